"""What tests of rows with two sides give: paired outcomes, a model, predictions; in the words of `CMMDTestResult`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, ClassVar, Self

from condmmd.backend import cached_property, n_rows
from condmmd.data.checks import check_significance
from condmmd.data.table import listed
from condmmd.effects import Effects
from condmmd.effects.rowwise import rowwise_effects
from condmmd.embedding.rowwise import ComparedRows
from condmmd.explain import RowWhere
from condmmd.explain.reliability import Reliability, reliability_of
from condmmd.explain.rowwise import locate_rows
from condmmd.inference.rowwise import RowwisePlan, TrainedRows
from condmmd.kernels import lengthscales
from condmmd.labels.blocks import read_units
from condmmd.present import ReportContext, check_extras, check_target, write_whole
from condmmd.present.rowwise import plot_rows, render_rows
from condmmd.results.tested import Tested, told_by
from condmmd.results.text import column_lines, effect_lines, kernel_lines

__all__ = ["CalibrationTestResult", "ModelTestResult", "PairedTestResult", "RowwiseResult"]


@dataclass(frozen=True, eq=False, repr=False)
class RowwiseResult(Tested):
    """Do the two sides of each row agree, given X? Unpacks to ``(statistic, pvalue)``.

    It keeps the plan and the data once, so that it can be asked more; `without_data` keeps neither.

    Attributes
    ----------
    statistic
        That of a single column; else the largest standard score of the columns.
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
    pvalue, assumption, embeddings, reg, lengthscales, significance, rng_state, call, spaces
        As in `CMMDTestResult`.
    """

    n_obs: int
    _plan: RowwisePlan | None
    _rows: ComparedRows | None

    _asked: ClassVar[str] = "Given {x}, have {first} and {second} the same distribution?"
    _claim: ClassVar[str] = "distributions of {first} and {second} differ given {x}"
    assumptions: ClassVar[dict[str, str]] = {}
    pictures: ClassVar[tuple[str, ...]] = ("where", "columns", "null")

    @classmethod
    def of(cls, plan: RowwisePlan, rows: ComparedRows, blocks: Any, call: str) -> Self:
        """Run the plan on some rows, those of one block together."""
        plan = replace(plan, blocks=read_units(blocks, rows.x.values))
        trained = plan.train(rows)
        outcome, fitted = plan.run(trained), trained.fitted
        x = {"kernel": repr(fitted.kernel)} if fitted.x is None else fitted.x.summary()
        result = cls(
            **told_by(outcome, plan.settings),
            n_obs=n_rows(rows.x.values),
            labels=rows.labels,
            assumption=cls.assumptions[outcome.scheme.removesuffix(" of blocks")],
            embeddings={"x": x, "y": fitted.residuals.summary},
            reg="; ".join(dict.fromkeys(row.reg for row in outcome.by_level if row.reg != "none")) or "none",
            lengthscales={"x": lengthscales(fitted.kernel), "y": lengthscales(fitted.residuals.kernel)},
            call=call,
            spaces=(listed(rows.x.names), listed(rows.outcomes)),
            _plan=plan,
            _rows=rows,
        )
        if plan.settings.compute.keep_fits:
            result.__dict__["_trained"] = trained
        return result

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels that took part."""
        return tuple(dict.fromkeys(column.level for column in self.by_level))

    def _in_words(self, text: str) -> str:
        (x, y), (first, second) = self.spaces, self.labels
        return text.format(x=x, y=y, first=first, second=second)

    def question(self) -> str:
        """What was asked, in the user's names."""
        return self._in_words(self._asked)

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        start = "The" if self.pvalue <= self.significance else "No evidence that the"
        return f"{start} {self._in_words(self._claim)} (p = {self.pvalue:.3g})."

    def effect(self, *, confidence: float | None = None) -> Effects:
        """How large the difference is: means and shares of one side less the other, with intervals.

        Parameters
        ----------
        confidence
            Of the intervals; None: one less the significance of the test.
        """
        return self._own_effect if confidence is None else self._estimated(confidence)

    def _estimated(self, confidence: float) -> Effects:
        plan, rows = self._kept()
        return rowwise_effects(rows, confidence, plan.settings, self.spaces[0], plan.blocks)

    @cached_property
    def _own_effect(self) -> Effects:
        return self._estimated(1 - self.significance)

    @property
    def _known_effect(self) -> Effects | None:
        return None if self._rows is None else self._own_effect

    def where(self, *, significance: float | None = None) -> RowWhere:
        """For which rows the sides differ: profiles along X in one simultaneous band.

        Parameters
        ----------
        significance
            Of the band; None: that of the test.
        """
        return self._where if significance is None else self._located(check_significance(significance))

    def _located(self, significance: float) -> RowWhere:
        return locate_rows(self._kept()[0], self._trained, significance)

    @cached_property
    def _where(self) -> RowWhere:
        return self._located(self.significance)

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
        write_whole(target, render_rows(self, ReportContext(title or self.question(), self.call)))

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        differs = "" if self.pvalue <= self.significance else "no "
        drawn = f", {self.n_resamples} draws" if self.n_resamples else ""
        lines = [self.question(), f"  rows        {self.n_obs}", *effect_lines(self._known_effect)]
        lines.append(f"  p-value     {self.pvalue:.4g}  ({differs}evidence that they differ, at {self.significance:g})")
        lines += column_lines(self.by_level, [row.name for row in self.by_level])
        lines += ["How it was tested", f"  rests on    {self.assumption}", f"  null        {self.scheme}{drawn}"]
        lines += [f"  lambda      {self.reg}"] if self.reg != "none" else []
        return "\n".join([*lines, *kernel_lines(self)])

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        own = {"levels": self.levels, "labels": self.labels, "spaces": self.spaces}
        return self._told(self._known_effect) | {name: list(value) for name, value in own.items()}


@dataclass(frozen=True, eq=False, repr=False)
class PairedTestResult(RowwiseResult):
    """Have two outcomes of the same units one distribution given X? Made by `paired_test`."""

    assumptions: ClassVar[dict[str, str]] = {
        "random signs": "the two outcomes of a unit could as well be the other way round; exact for any number of rows",
        "every sign": "the two outcomes of a unit could as well be the other way round; exact, by enumeration",
        "normal limit": "rows that are independent, and enough of them for a normal law",
    }


FIXED = "the model was fixed before these rows were seen"


@dataclass(frozen=True, eq=False, repr=False)
class ModelTestResult(RowwiseResult):
    """Is Y given X distributed as a model says? Made by `model_test`."""

    _asked: ClassVar[str] = "Is {y} given {x} distributed as the model says?"
    _claim: ClassVar[str] = "distribution of {y} given {x} is not that of the model"
    assumptions: ClassVar[dict[str, str]] = {
        "random signs": f"{FIXED}; residuals of which many rows make a normal sum, so it is asymptotic",
        "every sign": f"{FIXED}; residuals of which many rows make a normal sum, so it is asymptotic",
        "outcomes redrawn from the model": f"{FIXED}; exact for any number of rows",
        "normal limit": f"{FIXED}; rows that are independent, and enough of them for a normal law",
    }


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationTestResult(ModelTestResult):
    """Are predictions calibrated? Made by `calibration_test`."""

    _asked: ClassVar[str] = "Are the predictions of {y} calibrated, given {x}?"
    _claim: ClassVar[str] = "predictions of {y} are not calibrated"
    pictures: ClassVar[tuple[str, ...]] = ("reliability", *ModelTestResult.pictures)

    def reliability(self) -> Reliability:
        """What was predicted against what was observed, with the band in which calibrated predictions would be."""
        plan, rows = self._kept()
        return reliability_of(rows, self.significance, plan.settings.seed)
