"""How much of the machine a test may use. Nothing here changes a result."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from condmmd.data.checks import check_count

__all__ = ["Compute"]


@dataclass(frozen=True)
class Compute:
    """Workers, batches and progress.

    Parameters
    ----------
    n_jobs
        Workers, through joblib, for rows in NumPy; None is one, -1 is one for each core. There are never more than
        cores, or than batches of labels.
    batch_size
        Label vectors held at once, in units of 64; None: as many as are worth a pass over the rows and fit in memory.
    progress
        Whether to write a progress line to standard error.
    keep_fits
        Keep in the result what was fitted, so that `where`, strata and the report need not fit it again. It takes many
        times the memory of the data, so it is for a result of which more will be asked, not for thousands of them.

    Examples
    --------
    >>> from condmmd import Compute
    >>> Compute(n_jobs=2)
    Compute(n_jobs=2, batch_size=None, progress=False, keep_fits=False)
    """

    n_jobs: int | None = None
    batch_size: int | None = None
    progress: bool = False
    keep_fits: bool = False

    def __post_init__(self) -> None:
        if self.batch_size is not None:
            check_count(self.batch_size, "batch_size")
        if self.n_jobs is not None and self.n_jobs != -1:
            check_count(self.n_jobs, "n_jobs")

    def workers(self, batches: int) -> int:
        """As many as were asked for, as there are cores, and as have something to do."""
        if self.n_jobs in (None, 1) or batches <= 1:
            return 1
        from joblib import cpu_count  # noqa: PLC0415 - an import that few runs need

        cores = int(cpu_count())
        return min(batches, cores if self.n_jobs == -1 else min(cores, int(self.n_jobs or 1)))

    def report(self, done: int, total: int, what: str = "null draws") -> None:
        """Say how far it is."""
        if self.progress:
            sys.stderr.write(f"\r{what} {done}/{total}" + ("\n" if done >= total else ""))
            sys.stderr.flush()
