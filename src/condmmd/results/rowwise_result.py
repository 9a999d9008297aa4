"""What tests of rows with two sides give: paired outcomes, a model, predictions; in the words of `CMMDTestResult`."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, fields, replace
from os import PathLike
from typing import Any, ClassVar, Self

from condmmd.backend import Array, cached_property, n_rows
from condmmd.data.checks import check_significance
from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen
from condmmd.data.table import listed
from condmmd.effects import Effects
from condmmd.effects.rowwise import rowwise_effects
from condmmd.embedding.rowwise import ComparedRows
from condmmd.explain.reliability import Reliability, reliability_of
from condmmd.explain.rowwise import RowWhere, locate_rows
from condmmd.inference import LevelResult
from condmmd.inference.rowwise import RowwisePlan, TrainedRows
from condmmd.kernels import lengthscales
from condmmd.present import check_extras, check_target, write_whole
from condmmd.present.rowwise import plot_rows
from condmmd.present.rowwise_report import RowReport, render_rows
from condmmd.results.text import shortened

__all__ = ["CalibrationTestResult", "ModelTestResult", "PairedTestResult", "RowwiseResult"]

# Fields that are no part of what a result says of itself.
NOT_IN_DICT = frozenset({"_plan", "_rows"})


@dataclass(frozen=True, eq=False, repr=False)
class RowwiseResult:
    """Do the two sides of each row agree, given X? Unpacks to ``(statistic, pvalue)``.

    It keeps the plan and the data once, so that it can be asked more; `without_data` keeps neither.

    Attributes
    ----------
    statistic
        That of a single column; else the largest standard score of the columns.
    pvalue
        For the hypothesis that the sides have one distribution given X; it is as good as ``assumption``.
    null_distribution
        The statistic at each draw of the null; empty for the normal limit.
    by_level
        Each level (and the neighbours) with its own statistic and p-value, not corrected for there being several.
    n_obs
        Rows.
    labels
        What the two sides are called.
    n_resamples, scheme
        How many draws of the null, and of which kind.
    assumption
        What the validity of the p-value rests on.
    embeddings
        Kernel, rank, residual and method for covariates and outcomes.
    reg
        Lambda, in the paper's scale.
    lengthscales
        Those of the kernels, in the units of their columns.
    significance
        The level of significance asked for, by which the summary speaks.
    rng_state
        The seed that repeats the run.
    call
        Code that repeats the run.
    spaces
        The covariates and the outcomes in the user's names.
    """

    statistic: float
    pvalue: float
    null_distribution: Array
    by_level: tuple[LevelResult, ...]
    n_obs: int
    labels: tuple[str, str]
    n_resamples: int
    scheme: str
    assumption: str
    embeddings: dict[str, dict[str, Any]]
    reg: str
    lengthscales: dict[str, list[float]]
    significance: float
    rng_state: int
    call: str
    spaces: tuple[str, str]
    _plan: RowwisePlan | None
    _rows: ComparedRows | None

    assumptions: ClassVar[dict[str, str]] = {}
    pictures: ClassVar[tuple[str, ...]] = ("where", "columns", "null")

    @classmethod
    def of(cls, plan: RowwisePlan, rows: ComparedRows, call: str) -> Self:
        """Run the plan on some rows."""
        trained = plan.train(rows)
        outcome, fitted = plan.run(trained), trained.fitted
        x = {"kernel": repr(fitted.kernel)} if fitted.x is None else fitted.x.summary()
        result = cls(
            statistic=outcome.statistic,
            pvalue=outcome.pvalue,
            null_distribution=outcome.null,
            by_level=outcome.by_level,
            n_obs=n_rows(rows.x.values),
            labels=rows.labels,
            n_resamples=outcome.n_resamples,
            scheme=outcome.scheme + (" of blocks" if plan.blocks is not None else ""),
            assumption=cls.assumptions[outcome.scheme],
            embeddings={"x": x, "y": fitted.residuals.summary},
            reg="; ".join(dict.fromkeys(row.reg for row in outcome.by_level if row.reg != "none")) or "none",
            lengthscales={"x": lengthscales(fitted.kernel), "y": lengthscales(fitted.residuals.kernel)},
            significance=plan.settings.significance,
            rng_state=plan.settings.seed,
            call=call,
            spaces=(listed(rows.x.names), listed(rows.outcomes)),
            _plan=plan,
            _rows=rows,
        )
        outcome.null.setflags(write=False)
        if plan.settings.compute.keep_fits:
            result.__dict__["_trained"] = trained
        return result

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels that took part."""
        return tuple(dict.fromkeys(column.level for column in self.by_level))

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def question(self) -> str:
        """What was asked, in the user's names."""
        first, second = self.labels
        return f"Given {self.spaces[0]}, have {first} and {second} the same distribution?"

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        first, second = self.labels
        start = "The" if self.pvalue <= self.significance else "No evidence that the"
        return f"{start} distributions of {first} and {second} differ given {self.spaces[0]} (p = {self.pvalue:.3g})."

    def effect(self, *, confidence: float | None = None) -> Effects:
        """How large the difference is: means and shares of one side less the other, with intervals.

        Parameters
        ----------
        confidence
            Of the intervals; None: one less the significance of the test.
        """
        plan, rows = self._kept()
        if confidence is None:
            return self._effect
        return rowwise_effects(rows, confidence, plan.settings.seed, self.spaces[0], plan.blocks)

    @cached_property
    def _effect(self) -> Effects:
        plan, rows = self._kept()
        return rowwise_effects(rows, 1 - self.significance, plan.settings.seed, self.spaces[0], plan.blocks)

    def where(self, *, significance: float | None = None) -> RowWhere:
        """For which rows the sides differ: profiles along X in one simultaneous band.

        Parameters
        ----------
        significance
            Of the band; None: that of the test.
        """
        if significance is None:
            return self._where
        return locate_rows(self._kept()[0], self._trained, check_significance(significance))

    @cached_property
    def _where(self) -> RowWhere:
        return locate_rows(self._kept()[0], self._trained, self.significance)

    @cached_property
    def _trained(self) -> TrainedRows:
        plan, rows = self._kept()
        return plan.train(rows)

    def _kept(self) -> tuple[RowwisePlan, ComparedRows]:
        if self._plan is None or self._rows is None:
            raise ValueError("this result was kept without its data, so it cannot be asked more; run the test again.")
        return self._plan, self._rows

    def without_data(self) -> Self:
        """The numbers and the words, without the rows: small, but it cannot be asked more."""
        return replace(self, _plan=None, _rows=None)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw a picture and return its axes; needs matplotlib.

        Parameters
        ----------
        kind
            "where", "columns" (each way of looking by itself) or "null"; of predictions also "reliability", which is
            theirs if nothing is said. None: the first that there is.
        ax
            Axes to draw on; None makes new ones.
        options
            ``covariate`` for "where"; without, the leading one.
        """
        return plot_rows(self, self.pictures[0] if kind is None else kind, ax, **options)

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
        write_whole(target, render_rows(self, RowReport(title or self.question(), self.call)))

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        differs = "" if self.pvalue <= self.significance else "no "
        drawn = f", {self.n_resamples} draws" if self.n_resamples else ""
        lines = [self.question(), f"  rows        {self.n_obs}"]
        if self._rows is not None:
            effect = self._effect
            lines += [f"  effect      {effect.estimand}", *(f"              {line}" for line in effect.statements())]
        lines.append(f"  p-value     {self.pvalue:.4g}  ({differs}evidence that they differ, at {self.significance:g})")
        width = max(len(row.name) for row in self.by_level)
        lines.append(f"  {'looked at':<{width}}  {'statistic':<10}  p-value alone")
        lines += [f"  {row.name:<{width}}  {row.statistic:<10.4g}  {row.pvalue:.4g}" for row in self.by_level]
        lines += ["How it was tested", f"  rests on    {self.assumption}", f"  null        {self.scheme}{drawn}"]
        lines += [f"  lambda      {self.reg}"] if self.reg != "none" else []
        for name, e in (("kernel of X", self.embeddings["x"]), ("kernel of Y", self.embeddings["y"])):
            rank = f"; rank {e['rank']}, residual {e['residual']:.2g}" if "rank" in e else ""
            lines.append(f"  {name:<11} {shortened(e['kernel'])}{rank}")
        return "\n".join([*lines, f"  repeat with rng={self.rng_state}"])

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain: dict[str, Any] = {"effect": None if self._rows is None else self._effect.to_dict()}
        plain |= {part.name: getattr(self, part.name) for part in fields(self) if part.name not in NOT_IN_DICT}
        plain |= {
            "null_distribution": self.null_distribution.tolist(), "levels": list(self.levels),
            "by_level": [asdict(row) for row in self.by_level], "labels": list(self.labels),
            "spaces": list(self.spaces),
        }  # fmt: skip
        return deepcopy(plain)

    def to_frame(self) -> Any:
        """A line for each column that was compared, as a pandas data frame; needs pandas."""
        return frame_of([asdict(column) for column in self.by_level], "to_dict()['by_level']")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the numbers, the plan and the data; not what was derived from them."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __repr__(self) -> str:
        return on_screen(
            f"{type(self).__name__}(statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}, n_obs={self.n_obs}, "
            f"scheme='{self.scheme}'); .summary() says more"
        )


@dataclass(frozen=True, eq=False, repr=False)
class PairedTestResult(RowwiseResult):
    """Have two outcomes of the same units one distribution given X? Made by `paired_test`."""

    assumptions: ClassVar[dict[str, str]] = {
        "sign flips": "the two outcomes of a unit could as well be the other way round; exact for any number of rows",
        "every sign flip": "the two outcomes of a unit could as well be the other way round; exact, by enumeration",
        "normal limit": "rows that are independent, and enough of them for a normal law",
    }


FIXED = "the model was fixed before these rows were seen"


@dataclass(frozen=True, eq=False, repr=False)
class ModelTestResult(RowwiseResult):
    """Is Y given X distributed as a model says? Made by `model_test`."""

    assumptions: ClassVar[dict[str, str]] = {
        "sign flips": f"{FIXED}; signs of residuals as random as flips make them, which many rows make true",
        "every sign flip": f"{FIXED}; signs of residuals as random as flips make them, which many rows make true",
        "outcomes redrawn from the model": f"{FIXED}; exact for any number of rows",
        "normal limit": f"{FIXED}; rows that are independent, and enough of them for a normal law",
    }

    def question(self) -> str:
        """What was asked, in the user's names."""
        return f"Is {self.spaces[1]} given {self.spaces[0]} distributed as the model says?"

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        x, y = self.spaces
        if self.pvalue <= self.significance:
            return f"The distribution of {y} given {x} is not that of the model (p = {self.pvalue:.3g})."
        return f"No evidence that the distribution of {y} given {x} is not that of the model (p = {self.pvalue:.3g})."


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationTestResult(ModelTestResult):
    """Are predictions calibrated? Made by `calibration_test`."""

    pictures: ClassVar[tuple[str, ...]] = ("reliability", *ModelTestResult.pictures)

    def reliability(self) -> Reliability:
        """What was predicted against what was observed, with the band in which calibrated predictions would be."""
        plan, rows = self._kept()
        return reliability_of(rows, self.significance, plan.settings.seed)

    def question(self) -> str:
        """What was asked, in the user's names."""
        return f"Are the predictions of {self.spaces[1]} calibrated, given {self.spaces[0]}?"

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        start = "The" if self.pvalue <= self.significance else "No evidence that the"
        verb = "are not calibrated"
        return f"{start} predictions of {self.spaces[1]} {verb} (p = {self.pvalue:.3g})."
