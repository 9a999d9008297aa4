"""The result of a test: everything needed to read, to explain and to repeat it."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, fields, replace
from os import PathLike
from typing import Any

import numpy as np

from condmmd.backend import Array, cached_property
from condmmd.data import Samples
from condmmd.data.warning_types import CondmmdWarning
from condmmd.explain import Diagnostics, Evidence, Stratum, Where, evidence_of, locate, strata_tests
from condmmd.explain.diagnose import Leftovers, diagnose
from condmmd.inference import LevelResult, Plan, Resampling, Run, Trained
from condmmd.kernels import lengthscales
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import EqualMarginals
from condmmd.nuisance.residuals import NoResiduals
from condmmd.present import ReportContext, check_extras, check_target, plot_result, render, write_whole
from condmmd.results.mmd_test_result import MMDTestResult
from condmmd.results.text import html_of, spaces_of, summary_of
from condmmd.statistics import CMMD, ConditionalFit, ConditionalStatistic

__all__ = ["CMMDTestResult"]

# Fields that are no part of what a result says of itself.
NOT_IN_DICT = frozenset({"spaces", "_plan", "_samples", "_checksum", "_lost", "_checked"})


@dataclass(frozen=True, eq=False, repr=False)
class CMMDTestResult:
    """Is Y given X the same in both samples? Made by `cmmd_test`; unpacks to ``(statistic, pvalue)``.

    It keeps the plan of the test and the data once, so that it can be asked more; `without_data` keeps neither.

    Attributes
    ----------
    statistic
        CMMD_s^2 for a single level; else the largest standard score of their logarithms.
    pvalue
        For the hypothesis that Y given X is the same; it is as good as ``assumption``.
    null_distribution
        The statistic at each null label vector; empty with ``null=Asymptotic()``.
    levels
        The levels that took part.
    by_level
        Each with its own statistic and p-value, not corrected for there being several.
    n_obs
        Rows of P and of Q.
    labels
        What the user called P and Q.
    n_resamples, scheme
        How many null label vectors, and how they were drawn.
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
        The seed that repeats the null labels: ``cmmd_test(..., rng=result.rng_state)``.
    call
        Code that repeats the run, with every option that is not a default.
    spaces
        The covariates and the outcomes in the user's names.
    """

    statistic: float
    pvalue: float
    null_distribution: Array
    levels: tuple[float, ...]
    by_level: tuple[LevelResult, ...]
    n_obs: tuple[int, int]
    labels: tuple[str, str]
    n_resamples: int
    scheme: str
    assumption: str
    estimator: str
    propensity_summary: dict[str, Any]
    embeddings: dict[str, dict[str, Any]]
    reg: str
    lengthscales: dict[str, list[float]]
    residualization: dict[str, Any] | None
    trimmed: int
    significance: float
    rng_state: int
    call: str
    spaces: tuple[str, str]
    _plan: Plan | None
    _samples: Samples | None
    _checksum: int = 0
    _lost: str = ""
    _checked: Diagnostics | None = None

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
            statistic=outcome.statistic,
            pvalue=outcome.pvalue,
            null_distribution=outcome.null,
            levels=tuple(dict.fromkeys(column.level for column in outcome.by_level)),
            by_level=outcome.by_level,
            n_obs=(groups.n, groups.m),
            labels=(groups.p_label, groups.q_label),
            n_resamples=outcome.n_resamples,
            scheme=outcome.scheme,
            assumption=labels.propensity.assumption + statistic.remark,
            estimator=statistic.name,
            propensity_summary=labels.propensity.summary(),
            embeddings={name: e.summary() for name, e in sides},
            reg="; ".join(dict.fromkeys(row.reg for row in outcome.by_level)),
            lengthscales={name: lengthscales(e.kernel) for name, e in sides},
            residualization=None if how is None else {"model": how.model, "explained": how.explained},
            trimmed=labels.trimmed,
            significance=plan.settings.significance,
            rng_state=plan.settings.seed,
            call=call,
            spaces=spaces_of(labels.samples),
            _plan=plan,
            _samples=samples,
            _checksum=samples.checksum(),
        )
        outcome.null.setflags(write=False)
        if plan.settings.compute.keep_fits:
            result.__dict__["_trained"] = trained
        if Leftovers.kept_of(samples):  # so that a summary has not to train once more
            result.__dict__["_leftovers"] = Leftovers.of(evidence_of(plan, trained, fitted))
        return result

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def question(self) -> str:
        """What was asked, in the user's names."""
        x, y = self.spaces
        return f"Is {y} given {x} the same in {self.labels[0]} and {self.labels[1]}?"

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        x, y = self.spaces
        p, q = self.labels
        where = f" among the {sum(self.n_obs)} rows left by trim" if self.trimmed else ""
        found = f"{y} given {x} differs between {p} and {q}{where} (p = {self.pvalue:.3g})."
        start = "The" if self.pvalue <= self.significance else "No evidence that the"
        return f"{start} distribution of {found}"

    def marginal(self) -> dict[str, MMDTestResult]:
        """Did X move, did Y? Two tests, "X" and "Y", on the rows of this one and with its kernels."""
        return dict(self._margins)

    @cached_property
    def _margins(self) -> dict[str, MMDTestResult]:
        plan, samples = self._kept()
        if not isinstance(plan.statistic, CMMD | ConditionalStatistic):
            raise TypeError(f"the statistic {plan.statistic.name} does not say how X and Y alone are compared.")
        rows = self._trained.labels.samples if self.trimmed else samples
        rules = LabelRules(EqualMarginals(), blocks=plan.rules.blocks)
        spaces = {"X": (rows.x, rows.gram_x), "Y": (rows.y, rows.gram_y)}
        found = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)  # of block sizes, which the test itself takes into account
            for (name, (table, gram)), statistic in zip(spaces.items(), plan.statistic.margins(), strict=True):
                own = Samples(table, table, rows.groups, gram_y=gram)
                run = replace(plan, statistic=statistic, rules=rules, residuals=NoResiduals(), null=Resampling()).run(
                    own
                )
                found[name] = MMDTestResult.of(run, own, plan.settings.seed)
        return found

    def _kept(self) -> tuple[Plan, Samples]:
        if self._plan is None or self._samples is None:
            reason = self._lost or "it was made by without_data()"
            raise ValueError(f"this result has no data to ask further: {reason}. Run the test again: {self.call}")
        if self._samples.checksum() != self._checksum:
            raise ValueError(
                "the arrays of this test were changed in place since it was run, so that nothing more can be asked of "
                "it. Run it again, or pass copies."
            )
        return self._plan, self._samples

    @cached_property
    def _trained(self) -> Trained:
        plan, samples = self._kept()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)  # which the test has given already
            return plan.train(samples)

    @cached_property
    def evidence(self) -> Evidence:
        """What was compared, in memory: of a test of rows in chunks, some of them."""
        fitted = self._trained.fitted
        if not isinstance(fitted, ConditionalFit):
            raise TypeError("there are no covariates along which to look.")
        return evidence_of(self._kept()[0], self._trained, fitted)

    def without_data(self) -> CMMDTestResult:
        """The numbers and the words, without the rows: small, but it cannot be asked `where` or for a report."""
        return replace(self, _plan=None, _samples=None, _checked=self._checks)

    def diagnostics(self) -> Diagnostics:
        """What speaks against this result, in plain words, with what to do. Nothing is fitted; it takes a moment.

        Overlap; whether X still predicts what is left of the labels, of the outcomes, or of both in one place, which is
        what makes false alarms; enough rows; copies of rows; an outcome that X fixes.
        """
        return self._diagnostics

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        return diagnose(self._leftovers) if self._checked is None else self._checked

    @cached_property
    def _leftovers(self) -> Leftovers:
        return Leftovers.of(self.evidence)

    @property
    def _checks(self) -> Diagnostics | None:
        """The diagnostics where they cost next to nothing."""
        return self._diagnostics if self._checked is not None or Leftovers.kept_of(self._samples) else None

    def where(self, *, significance: float | None = None) -> Where:
        """Where the two differ: by how much over all rows, whether it is the same everywhere, and only then regions.

        Regions are over each covariate and over all at once, in one simultaneous band.

        Parameters
        ----------
        significance
            Of the band; None: that of the test.

        Returns
        -------
        Where
            It has weak control: if nothing differs anywhere, the chance of a mark is at most ``significance``.
        """
        if significance is None:
            return self._where
        return locate(self.evidence, significance=significance)

    @cached_property
    def _where(self) -> Where:
        return locate(self.evidence)

    def by_stratum(self, covariate: str, bins: int = 4) -> tuple[Stratum, ...]:
        """Repeat the test within each category of a covariate, or each of ``bins`` quantile bins; Holm over them.

        Unlike the marks of `where`, a small Holm p-value says that this stratum differs, whatever the others do. The
        models are those of the whole table; of one numeric outcome each stratum has its mean shift.
        """
        return strata_tests(self.evidence, covariate, bins)

    def plot(self, kind: str = "null", ax: Any = None, **options: Any) -> Any:
        """Draw a picture and return its axes; needs matplotlib.

        Parameters
        ----------
        kind
            "null" (the statistic among its values at null labels), "levels", "where", "map" (signed witness over a
            covariate and the outcome), "curves" (the outcome given one covariate, by group) or "overlap".
        ax
            Axes to draw on; None makes new ones.
        options
            ``covariate`` for "where" and "map"; without, the leading one.
        """
        return plot_result(self, kind, ax, **options)

    def report(self, path: str | PathLike[str], *, overwrite: bool = False, title: str | None = None) -> None:
        """Write everything to one HTML file, pictures included; needs matplotlib and jinja2.

        Parameters
        ----------
        path
            The file; it appears when it is complete.
        overwrite
            Whether it may replace an older one.
        title
            Of the page; None asks the question of the test.
        """
        check_extras()
        target = check_target(path, overwrite=overwrite)
        context = ReportContext(title or self.question(), self.call, (), self.marginal())
        write_whole(target, render(self, context))

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        return summary_of(
            self, estimator=self.estimator, reg=self.reg, residualization=self.residualization, checks=self._checks
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html_of(self, self._checks)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = {part.name: getattr(self, part.name) for part in fields(self) if part.name not in NOT_IN_DICT}
        plain |= {
            "null_distribution": np.asarray(self.null_distribution).tolist(), "levels": list(self.levels),
            "by_level": [asdict(result) for result in self.by_level],
            "n_obs": dict(zip("PQ", self.n_obs, strict=True)), "labels": dict(zip("PQ", self.labels, strict=True)),
            "diagnostics": None if self._checks is None else self._checks.to_dict(),
        }  # fmt: skip
        return deepcopy(plain)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the numbers, the plan and the data; not what was derived from them."""
        state = {part.name: getattr(self, part.name) for part in fields(self)}
        try:
            pickle.dumps(self._plan)
        except Exception as error:  # noqa: BLE001 - whatever the user passed in may fail in its own way
            state |= {"_plan": None, "_samples": None, "_lost": f"its plan could not be pickled ({error})"}
        return state

    def __copy__(self) -> CMMDTestResult:
        return replace(self)  # nothing in it can be changed

    def __deepcopy__(self, memo: dict[int, Any]) -> CMMDTestResult:
        """A copy of everything, functions that cannot be pickled included."""
        return CMMDTestResult(**{part.name: deepcopy(getattr(self, part.name), memo) for part in fields(self)})

    def __repr__(self) -> str:
        return (
            f"CMMDTestResult(statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}, n_obs={self.n_obs}, "
            f"scheme='{self.scheme}'); .summary() says more"
        )
