"""The result of a test: everything needed to read, to explain and to repeat it."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any

from condmmd.data import Samples
from condmmd.effects import Adjusted, Effects
from condmmd.explain import Diagnostics, evidence_of
from condmmd.explain.diagnose import Leftovers
from condmmd.inference import Plan, Run
from condmmd.kernels import lengthscales
from condmmd.present import ReportContext, check_extras, check_target, plot_result, render, write_whole
from condmmd.regression.populations import PopulationName
from condmmd.results.questions import Questions
from condmmd.results.tested import told_by
from condmmd.results.text import html_of, question_of, summary_of, verdict_of
from condmmd.statistics import ConditionalFit, Interventional

__all__ = ["CMMDTestResult"]

# What a result says of itself, in this order.
TOLD = (
    "effect", "statistic", "pvalue", "null_distribution", "levels", "by_level", "n_obs", "labels", "n_resamples",
    "scheme", "assumption", "estimator", "propensity_summary", "embeddings", "reg", "lengthscales", "residualization",
    "trimmed", "significance", "rng_state", "call", "population", "diagnostics",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class CMMDTestResult(Questions):
    """Is Y given X the same in both samples? Made by `cmmd_test`; unpacks to ``(statistic, pvalue)``.

    It keeps the plan of the test and the data once, so that it can be asked more; `without_data` keeps neither.

    Attributes
    ----------
    statistic
        CMMD_s^2 for a single level; else the largest standard score of their logarithms.
    pvalue
        For the hypothesis that Y given X is the same; it is as good as ``assumption``.
    null_distribution
        The statistic at each null draw; empty with ``null=Asymptotic()``.
    levels
        The levels that took part.
    by_level
        Each with its own statistic and p-value, not corrected for there being several.
    n_obs
        Rows of P and of Q.
    labels
        What the user called P and Q.
    n_resamples, scheme
        How many null draws, and of what.
    assumption
        What the validity of the p-value rests on.
    propensity_summary
        Source, model, range and effective sample size.
    embeddings
        Kernel, rank, residual and method for covariates and outcomes.
    reg
        Lambda, in the paper's scale.
    lengthscales
        Those of the kernels of X and of Y, in the units of their columns.
    residualization
        The pooled regression whose residuals are compared; None without.
    trimmed
        Rows left out by ``trim``.
    significance
        The level of significance asked for, by which the summary speaks.
    rng_state
        The seed that repeats the null draws: ``cmmd_test(..., rng=result.rng_state)``.
    call
        Code that repeats the run, with every option that is not a default.
    spaces
        The covariates and the outcomes in the user's names.
    population
        Over whom outcomes were compared by `interventional_test`; None where it was at equal X.
    """

    n_obs: tuple[int, int]
    levels: tuple[float, ...]
    estimator: str
    propensity_summary: dict[str, Any]
    residualization: dict[str, Any] | None
    trimmed: int
    _plan: Plan | None
    _samples: Samples | None
    _checksum: int = 0
    _lost: str = ""
    _checked: Diagnostics | None = None
    _effect: Effects | None = None
    population: PopulationName | None = None

    @classmethod
    def of(cls, plan: Plan, samples: Samples, run: Run, call: str) -> CMMDTestResult:
        """From a run of the plan of a test on some rows."""
        trained, outcome, statistic = run.trained, run.outcome, plan.statistic
        fitted, labels, how = trained.fitted, trained.labels, trained.learned.residualization
        if not isinstance(fitted, ConditionalFit):
            raise TypeError(f"`statistic`: the fit of {statistic.name} has no features of covariates and outcomes.")
        groups = labels.samples.groups
        sides = (("x", fitted.covariates), ("y", fitted.outcomes))
        result = cls(
            **told_by(outcome, plan.settings),
            levels=tuple(dict.fromkeys(column.level for column in outcome.by_level)),
            n_obs=(groups.n, groups.m),
            labels=(groups.p_label, groups.q_label),
            assumption=trained.null.assumption(labels) + statistic.remark,
            estimator=statistic.name,
            propensity_summary=labels.propensity.summary(),
            embeddings={name: e.summary() for name, e in sides},
            reg="; ".join(dict.fromkeys(row.reg for row in outcome.by_level)),
            lengthscales={name: lengthscales(e.kernel) for name, e in sides},
            residualization=None if how is None else {"model": how.model, "explained": how.explained},
            trimmed=labels.trimmed,
            call=call,
            spaces=labels.samples.spaces,
            _plan=plan,
            _samples=samples,
            _checksum=samples.checksum(),
            population=statistic.population if isinstance(statistic, Interventional) else None,
        )
        if plan.settings.compute.keep_fits:
            result.__dict__["_trained"] = trained
        if Adjusted.kept_of(samples) or Leftovers.kept_of(samples):  # so that a summary has not to train once more
            evidence = evidence_of(plan, trained)
            if Leftovers.kept_of(samples):
                result.__dict__["_leftovers"] = Leftovers.of(evidence)
            if Adjusted.kept_of(samples):
                result.__dict__["_adjusted"] = Adjusted.of(evidence)
                result.effect()
        return result

    def question(self) -> str:
        """What was asked, in the user's names."""
        return question_of(self)

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        return verdict_of(self)

    def without_data(self) -> CMMDTestResult:
        """The numbers and the words, without the rows: small, but it cannot be asked `where` or for a report."""
        return replace(self, _plan=None, _samples=None, _checked=self._checks, _effect=self._known_effect)

    def plot(self, kind: str = "null", ax: Any = None, **options: Any) -> Any:
        """Draw a picture and return its axes; needs matplotlib.

        Parameters
        ----------
        kind
            "null" (the statistic among its values at null draws), "levels", "where", "map" (signed witness over a
            covariate and the outcome), "curves" (the outcome given one covariate, by group) or "overlap".
        ax
            Axes to draw on; None makes new ones.
        options
            ``covariate`` for "where" and "map"; without, the leading one.
        """
        return plot_result(self, kind, ax, **options)

    def report(
        self, path: str | PathLike[str], *, overwrite: bool = False, title: str | None = None, check: bool | int = False
    ) -> None:
        """Write everything to one HTML file, pictures included; needs matplotlib and jinja2.

        Parameters
        ----------
        path
            The file; it appears when it is complete.
        overwrite
            Whether it may replace an older one.
        title
            Of the page; None asks the question of the test.
        check
            Whether to say how often the test cries wolf, as `check` does; or the number of tables for that.
        """
        check_extras()
        target = check_target(path, overwrite=overwrite)
        alarms = "" if check is False else self.check(None if check is True else check).sentence()
        context = ReportContext(
            title or self.question(), self.call, (), self.marginal(), alarms=alarms, outlook=self.outlook()
        )
        write_whole(target, render(self, context))

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        asked = self.__dict__.get("_sensitivity")  # it takes a second, so it is here once it was asked for
        return summary_of(self, self._checks, self._known_effect, "" if asked is None else asked.sentence())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html_of(self, self._checks, self._known_effect)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = self._told(self._known_effect) | {
            "levels": list(self.levels), "n_obs": dict(zip("PQ", self.n_obs, strict=True)),
            "labels": dict(zip("PQ", self.labels, strict=True)),
            "diagnostics": None if self._checks is None else self._checks.to_dict(),
        }  # fmt: skip
        return {name: plain[name] for name in TOLD}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the numbers, the plan and the data; not what was derived from them."""
        state = super().__getstate__()
        try:
            pickle.dumps(self._plan)
        except Exception as error:  # noqa: BLE001 - whatever the user passed in may fail in its own way
            state |= {
                "_effect": self._known_effect,
                "_plan": None,
                "_samples": None,
                "_lost": f"its plan could not be pickled ({error})",
            }
        return state

    def __copy__(self) -> CMMDTestResult:
        return replace(self)  # nothing in it can be changed

    def __deepcopy__(self, memo: dict[int, Any]) -> CMMDTestResult:
        """A copy of everything, functions that cannot be pickled included."""
        return CMMDTestResult(**{part.name: deepcopy(getattr(self, part.name), memo) for part in fields(self)})
