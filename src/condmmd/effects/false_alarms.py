"""How often a test finds a difference where there is none: the whole of it, on tables like the one that it is of."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaincinv

from condmmd.backend import cached_property, move_to, to_host
from condmmd.data.checks import check_count
from condmmd.data.on_screen import on_screen
from condmmd.data.warning_types import CondmmdWarning
from condmmd.inference import Compute, Plan, Trained
from condmmd.inference.plan import LabelBlind
from condmmd.labels import LabelPlan, Scheme
from condmmd.nuisance.propensity import Known

__all__ = ["FalseAlarms", "binomial_interval", "false_alarms"]

# Null labels of each test, which are enough to see whether it rejects.
RESAMPLES = 199
# Without a number of tables: as many as fit in so many seconds, within these limits.
SECONDS, FEWEST, MOST = 10.0, 10, 400
CONFIDENCE = 0.95


def binomial_interval(count: int, trials: int) -> tuple[float, float]:
    """Clopper and Pearson's 95 % interval of a share."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, trials - count + 1, tail))
    high = 1.0 if count == trials else float(betaincinv(count + 1, trials - count, 1 - tail))
    return low, high


@dataclass(frozen=True)
class FalseAlarms:
    """How often this very test rejects where nothing differs. Made by ``result.check()``.

    The tables have the same covariates and outcomes, with labels drawn from the propensity. So it sees faults of the
    test, not of the propensity: a dependence of the labels on X that the estimate has not found is in none of its
    tables. For that there is ``result.diagnostics()``.

    Attributes
    ----------
    trials
        Tables like this one in which nothing differs.
    rejected
        Those of them where the test rejected.
    rate, low, high
        Their share, and its 95 % interval (Clopper and Pearson).
    significance
        What the share should be, at most.
    pvalues
        Of each table.
    refused
        Tables that the test would not take, which are not counted.
    """

    trials: int
    rejected: int
    rate: float
    low: float
    high: float
    significance: float
    pvalues: tuple[float, ...]
    refused: int = 0

    def sentence(self) -> str:
        """What was found."""
        found = (
            f"The test cried wolf in {self.rejected} of {self.trials} tables like this one in which nothing differs, "
            f"{100 * self.rate:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f} %)"
        )
        allowed = f"{100 * self.significance:g} %"
        if self.low > self.significance:
            return f"{found}: more often than the {allowed} that it is allowed. Do not rely on its p-value."
        if self.high < self.significance:
            return f"{found}: less often than the {allowed} that it is allowed. It is cautious."
        return f"{found}: no more often than the {allowed} that it is allowed, as far as so many tables tell."

    def __repr__(self) -> str:
        return on_screen(
            f"FalseAlarms(rate={self.rate:.4g} [{self.low:.4g}, {self.high:.4g}], rejected={self.rejected}, "
            f"trials={self.trials}, significance={self.significance:g}); .summary() says more"
        )

    def summary(self) -> str:
        """The sentence, and what to do for more."""
        lines = [self.sentence()]
        if self.refused:
            lines.append(f"{self.refused} more tables had no overlap, or not enough rows, and were left out.")
        if self.high - self.low > 2 * self.significance:
            lines.append("For a sharper answer: result.check(trials=400).")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return {**asdict(self), "pvalues": list(self.pvalues)}


def false_alarms(plan: Plan, trained: Trained, trials: int | None = None) -> FalseAlarms:
    """Make the test of many tables like the one that it was trained on, with labels drawn from the propensity."""
    if trials is not None:
        check_count(trials, "trials")
    labels, settings, compute = trained.labels, plan.settings, plan.settings.compute
    enough = settings.significance * (RESAMPLES + 1) >= 1
    count = min(settings.n_resamples, RESAMPLES) if enough else settings.n_resamples
    rules = plan.rules
    if labels.trimmed:  # these rows are gone already
        model = Known(labels.propensity.e) if isinstance(rules.model, Known) else rules.model
        rules = replace(rules, trim=None, model=model)
    test = replace(plan, rules=rules, settings=replace(settings, n_resamples=count, compute=Compute()))
    law = _Relabelled(test, labels, test.learn(labels.samples))
    pvalues: list[float | None] = []
    for part in _rounds(law, compute, trials):
        pvalues += part
    taken = tuple(p for p in pvalues if p is not None)
    if not taken:
        raise ValueError("the test takes none of the tables like this one: the groups overlap too little.")
    rejected = sum(p <= settings.significance for p in taken)
    low, high = binomial_interval(rejected, len(taken))
    return FalseAlarms(
        len(taken), rejected, rejected / len(taken), low, high, settings.significance, taken, len(pvalues) - len(taken)
    )


@dataclass(frozen=True, eq=False)
class _Relabelled:
    """A test of the same rows with labels drawn from their law, under which outcomes have no part in them."""

    test: Plan
    labels: LabelPlan
    blind: LabelBlind

    @cached_property
    def scheme(self) -> Scheme:
        """How labels are drawn."""
        return self.labels.scheme()

    def pvalue(self, number: int) -> float | None:
        """That of one table; None where the test would not take it."""
        samples, seed = self.labels.samples, np.random.SeedSequence([self.test.settings.seed, number])
        t = self.scheme.draw([(1, np.random.default_rng(seed.spawn(1)[0]))], samples.groups.t).held
        groups = replace(samples.groups, t=move_to(np.asarray(to_host(t)[0], dtype=np.float64), samples.groups.t))
        own = int(seed.generate_state(1, dtype=np.uint64)[0]) >> 1
        plan = replace(self.test, settings=replace(self.test.settings, seed=own))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)
            try:
                return plan.run(replace(samples, groups=groups), self.blind).outcome.pvalue
            except ValueError:  # labels that leave no overlap
                return None


def _rounds(law: _Relabelled, compute: Compute, trials: int | None) -> Iterator[list[float | None]]:
    """P-values of some tables at a time, until there are as many as were asked for, or the time is up."""
    workers = _workers(compute.n_jobs)
    goal, done, start = trials or MOST, 0, time.monotonic()
    with _workshop(law, workers) as each:
        while done < goal:
            size = min(workers, goal - done)
            yield each(range(done, done + size))
            done += size
            spent = time.monotonic() - start
            if trials is None:
                goal = int(np.clip(SECONDS * done / spent, FEWEST, MOST))
            compute.report(min(done, goal), goal, "tables")


def _workers(n_jobs: int | None) -> int:
    if n_jobs in (None, 1):
        return 1
    from joblib import effective_n_jobs  # noqa: PLC0415 - an import that few runs need

    return int(effective_n_jobs(n_jobs))


@contextmanager
def _workshop(law: _Relabelled, workers: int) -> Iterator[Callable[[range], list[float | None]]]:
    """P-values of some tables, by as many workers, who stay until all is done."""
    if workers == 1:
        yield lambda numbers: [law.pvalue(number) for number in numbers]
        return
    from joblib import Parallel, delayed  # noqa: PLC0415

    with Parallel(n_jobs=workers) as parallel:
        yield lambda numbers: list(parallel(delayed(law.pvalue)(number) for number in numbers))
