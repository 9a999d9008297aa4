"""Step 3 of the flow: kernel and pooled rows become features, whose inner products are the kernel."""

from condmmd.embedding.cholesky import greedy_cholesky
from condmmd.embedding.choose import Solver, affordable_rank, embed_covariates, embed_outcomes
from condmmd.embedding.embedding import Embedding, embed, embed_gram

__all__ = [
    "Embedding", "Solver", "affordable_rank", "embed", "embed_covariates", "embed_gram", "embed_outcomes",
    "greedy_cholesky",
]  # fmt: skip
