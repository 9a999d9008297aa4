"""alibi-detect: `ContextMMDDrift` with X as the context; group 1 is the reference."""

import numpy as np
import torch
from alibi_detect.cd import ContextMMDDrift
from job import run


def test(X, Y, group, resamples, seed):
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    one = group == 1
    detector = ContextMMDDrift(Y[one], X[one], backend="pytorch", p_val=0.05, n_permutations=resamples, device="cpu")
    return detector.predict(Y[~one], X[~one])["data"]["p_val"]


if __name__ == "__main__":
    run(test, "alibi-detect", "torch", "numpy", "scikit-learn")
