"""The result of a test: everything needed to read, to explain and to repeat it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from condmmd.samples import Array
from condmmd.threads import cached_property
from condmmd.where import Evidence, Stratum, Where, locate, strata_tests

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes

__all__ = ["CMMDTestResult", "LevelResult", "MMDTestResult", "listed"]

# Columns named in a sentence.
MAX_NAMED = 8
# Fields that are no part of what a result says of itself.
UNTOLD = frozenset({"_gather", "_marginal", "spaces"})


@dataclass(frozen=True)
class LevelResult:
    """One level (with one kernel and lambda): its statistic CMMD_s^2 and its own p-value."""

    level: float
    statistic: float
    pvalue: float
    reg: str
    kernel_x: str
    kernel_y: str


@dataclass(frozen=True, eq=False)
class MMDTestResult:
    """Has X the same distribution in both samples? Made by `mmd_test`; unpacks to ``(statistic, pvalue)``."""

    statistic: float
    pvalue: float
    null_distribution: Array = field(repr=False)
    n_obs: tuple[int, int]
    n_resamples: int
    scheme: str
    rng_state: int

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))


@dataclass(frozen=True, eq=False, repr=False)
class CMMDTestResult:
    """Is Y given X the same in both samples? Made by `cmmd_test`; unpacks to ``(statistic, pvalue)``.

    Attributes
    ----------
    statistic
        CMMD_s^2 for a single level; else the largest studentised log-statistic.
    pvalue
        For the hypothesis that Y given X is the same; it is as good as ``assumption``.
    null_distribution
        The statistic at each null label vector; empty with ``null="gamma"``.
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
        The entropy that repeats the null labels: ``cmmd_test(..., rng=result.rng_state)``.
    call
        The call that repeats it, with every argument that is not a default.
    spaces
        The covariates and the outcomes in the user's names.
    evidence
        What was compared, for the further questions: `where`, `by_stratum`, `plot`, `report`.
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
    _gather: Callable[[], Evidence]
    _marginal: Callable[[], dict[str, MMDTestResult]]

    def marginal(self) -> dict[str, MMDTestResult]:
        """Did X move, did Y? Two tests, "X" and "Y", on the rows of this one and with its kernels."""
        return dict(self._margins)

    @cached_property
    def _margins(self) -> dict[str, MMDTestResult]:
        return self._marginal()

    @cached_property
    def evidence(self) -> Evidence:
        """In memory: of a test of rows in blocks, on some of them."""
        return self._gather()

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
        told = f"{y} given {x} differs between {p} and {q}{where} (p = {self.pvalue:.3g})."
        if self.pvalue <= self.significance:
            return f"The distribution of {told}"
        return f"No evidence that the distribution of {told}"

    def where(self, *, significance: float | None = None) -> Where:
        """Where the two differ: over each covariate and over all at once, in one simultaneous band.

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

        Unlike the marks of `where`, a small Holm p-value says that this stratum differs, whatever the others do.
        """
        return strata_tests(self.evidence, covariate, bins)

    def plot(self, kind: str = "null", ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a picture; needs matplotlib.

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
        from condmmd.plotting import plot_result  # noqa: PLC0415 - an extra

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
        from condmmd.report import Story, check_target, render, write_whole  # noqa: PLC0415 - extras

        target = check_target(path, overwrite=overwrite)
        write_whole(target, render(self, Story(title or self.question(), self.call, (), self.marginal())))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = "".join(
            f"<tr><td>{r.level:g}</td><td>{r.statistic:.4g}</td><td>{r.pvalue:.4g}</td></tr>"
            for r in self.by_level[:10]
        )
        return (
            f"<p><strong>{escape(self.sentence())}</strong></p>"
            f"<p>{self.n_obs[0]} + {self.n_obs[1]} rows; {escape(self.scheme)}, {self.n_resamples} null label vectors. "
            f"Rests on: {escape(self.assumption)}.</p>"
            f"<table><thead><tr><th>level</th><th>CMMD²</th><th>p-value alone</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        (n, m), (p, q) = self.n_obs, self.labels
        overlap = self.propensity_summary
        lines = [
            f"Is Y given X the same in P ({p}: {n} rows) and Q ({q}: {m} rows)?",
            f"  p-value     {self.pvalue:.4g}  ({self._verdict()})",
            f"  rests on    {self.assumption}",
            f"  null        {self.scheme}, {self.n_resamples} label vectors"
            if self.n_resamples
            else f"  null        {self.scheme}",
            f"  propensity  {overlap['model']}",
            f"              {overlap['min']:.3g} to {overlap['max']:.3g}",
            f"              {overlap['effective_size']:.0f} of {n + m} rows' worth of random labels",
            f"  statistic   {self.estimator}, lambda {self.reg}",
        ]
        if self.residualization:
            explained = self.residualization["explained"]
            lines.append(
                f"  outcomes    residuals of {_short(self.residualization['model'])}; explains {explained:.0%}"
            )
        if self.trimmed:
            lines.append(f"  trimmed     {self.trimmed} rows where one group is rare")
        lines += [
            f"  {name:<11} {_short(e['kernel'])}; rank {e['rank']}, residual {e['residual']:.2g}"
            for name, e in (("kernel of X", self.embeddings["x"]), ("kernel of Y", self.embeddings["y"]))
        ]
        lines.append("  level     CMMD^2      p-value alone")
        shown = self.by_level[:10]
        lines += [f"  {r.level:<8g}  {r.statistic:<10.4g}  {r.pvalue:.4g}" for r in shown]
        if len(self.by_level) > len(shown):
            lines.append(f"  ... and {len(self.by_level) - len(shown)} more")
        lines.append(f"  repeat with rng={self.rng_state}")
        return "\n".join(lines)

    def _verdict(self) -> str:
        differs = self.pvalue <= self.significance
        return f"{'' if differs else 'no '}evidence that it differs, at {self.significance:g}"

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in UNTOLD}
        plain["null_distribution"] = np.asarray(self.null_distribution).tolist()
        plain["by_level"] = [asdict(result) for result in self.by_level]
        plain["n_obs"] = {"P": self.n_obs[0], "Q": self.n_obs[1]}
        plain["labels"] = {"P": self.labels[0], "Q": self.labels[1]}
        plain["levels"] = list(self.levels)
        return plain

    def __repr__(self) -> str:
        return (
            f"CMMDTestResult(statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}, n_obs={self.n_obs}, "
            f"scheme='{self.scheme}', levels={self.levels}); .summary() says more"
        )


def listed(names: tuple[str, ...]) -> str:
    """Columns in a sentence."""
    shown = ", ".join(name or "(no name)" for name in names[:MAX_NAMED])
    return shown if len(names) <= MAX_NAMED else f"{shown} and {len(names) - MAX_NAMED} more"


def _short(text: str, width: int = 88) -> str:
    return text if len(text) <= width else f"{text[: width - 4]} ..."
