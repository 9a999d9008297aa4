"""What was found: regions, profiles, and the whole of it in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.embedding import Embedding
from condmmd.explain.everywhere import Everywhere
from condmmd.explain.windows import span

__all__ = ["ROUNDING", "Profile", "Region", "Where"]

ROUNDING = 1e-9


@dataclass(frozen=True)
class Region:
    """A range (or categories) of one covariate where the difference is outside the band.

    ``shift`` is the mean of the outcome in P minus that in Q there, given the covariates and weighted to where both
    groups are, in the outcome's units, where there is one numeric outcome; ``error`` is its standard error.
    """

    covariate: str
    low: float | None
    high: float | None
    categories: tuple[str, ...]
    n_obs: tuple[int, int]
    shift: float | None
    error: float | None

    @property
    def condition(self) -> str:
        """The region in words."""
        if self.low is None or self.high is None:
            return f"{_name(self.covariate)} is {' or '.join(self.categories)}"
        return f"{_name(self.covariate)} {span(self.low, self.high)}"


@dataclass(frozen=True, eq=False)
class Profile:
    """The difference along one covariate, the others as they are in the data.

    Attributes
    ----------
    covariate
        Its name.
    categories
        Names of the windows of a categorical covariate; empty for a numeric one.
    low, high
        Range of the covariate in each bin.
    size
        Norm of the difference of the outcomes' embeddings in the window around each bin.
    band
        The size above which it is outside the simultaneous band.
    z
        ``size^(2/3)`` studentised by all label vectors, observed and null.
    outside
        The bins outside the band.
    pvalues
        Simultaneous: over the windows of all covariates and the points of the witness.
    shift, error
        As in `Region`, in the window around each bin; None unless there is one numeric outcome. NaN in a window without
        rows of both groups.
    n_obs
        Rows of P and Q in each bin.
    variation, variation_pvalue
        How much the difference (of means, where there is one numeric outcome) varies from bin to bin, studentised, and
        its p-value over all covariates. Approximate, from random signs of the rows' deviations.
    regions
        Runs of bins outside the band.
    """

    covariate: str
    categories: tuple[str, ...]
    low: Array
    high: Array
    size: Array
    band: Array
    z: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array
    shift: Array | None
    error: Array | None
    n_obs: npt.NDArray[np.int64]
    variation: float
    variation_pvalue: float
    regions: tuple[Region, ...]
    difference: Array

    @property
    def middle(self) -> Array:
        """The middle of each bin's range."""
        return (self.low + self.high) / 2

    @property
    def share_outside(self) -> float:
        """Share of the rows in bins outside the band."""
        rows = self.n_obs.sum(axis=1)
        return float(rows[self.outside].sum() / rows.sum())


@dataclass(frozen=True, eq=False, repr=False)
class Where:
    """Where Y given X differs; made by ``result.where()``.

    Attributes
    ----------
    everywhere
        The coarse answer: the difference over all rows, and whether it is the same everywhere.
    profiles
        One for each covariate, the one along which the difference varies most first.
    points
        Row numbers (of the rows tested) at which the witness over all covariates was evaluated.
    size, band, outside, pvalues
        At those rows, as in `Profile`.
    pvalue
        That anything at all is outside.
    significance
        Of the band.
    n_labels
        Null label vectors behind it.
    control
        What it protects against, in words.
    """

    everywhere: Everywhere
    profiles: tuple[Profile, ...]
    points: npt.NDArray[np.int64]
    size: Array
    band: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array
    pvalue: float
    significance: float
    n_labels: int
    labels: tuple[str, str]
    outcome: str | None
    control: str
    _outcomes: Embedding
    _outcome_range: tuple[float, float] | None

    @property
    def regions(self) -> tuple[Region, ...]:
        """Those of the leading covariate first."""
        return tuple(region for profile in self.profiles for region in profile.regions)

    @property
    def anything(self) -> bool:
        """Whether anything is outside the band."""
        return self.pvalue <= self.significance + ROUNDING

    @property
    def varies(self) -> bool:
        """Whether the difference is not the same everywhere."""
        return self.everywhere.pvalue <= self.significance + ROUNDING

    @property
    def carriers(self) -> tuple[str, ...]:
        """Covariates along which the difference varies, the strongest first.

        None if nothing is outside the band, or if the difference may be the same everywhere.
        """
        there = self.anything and self.varies
        return tuple(p.covariate for p in self.profiles if there and p.variation_pvalue <= self.significance)

    def map(self, covariate: str | None = None, n_outcomes: int = 60) -> tuple[Profile, Array, Array]:
        """Signed witness over one covariate and the one numeric outcome.

        Parameters
        ----------
        covariate
            Its name; None: the leading one.
        n_outcomes
            Values of the outcome, evenly from its smallest to its largest per cent.

        Returns
        -------
        profile, y, values
            ``values[g, k]`` is positive where P has more mass than Q near bin g of the covariate and outcome ``y[k]``.
        """
        if self._outcome_range is None:
            raise ValueError("the signed map needs one numeric outcome.")
        profile = self.profile(covariate)
        y = np.linspace(*self._outcome_range, n_outcomes)
        return profile, y, profile.difference @ to_host(self._outcomes.transform(y[:, None])).T

    def profile(self, covariate: str | None = None) -> Profile:
        """The profile of a covariate; of the leading one without a name."""
        if covariate is None:
            return self.profiles[0]
        for profile in self.profiles:
            if profile.covariate == covariate:
                return profile
        raise ValueError(f"no covariate '{covariate}'; there are {[p.covariate for p in self.profiles]}.")

    def statements(self) -> list[str]:
        """What was found, one line each: over all rows, whether it is the same everywhere, and only then regions."""
        lines = self._overall()
        if not self.anything:
            return [*lines, f"nothing is outside the band at {self.significance:g}"]
        if not self.varies:
            marked = [f"{p.covariate} ({p.share_outside:.0%} of the rows)" for p in self.profiles if p.regions]
            about = f": along {', '.join(marked)}" if marked else ""
            return [*lines, f"marked regions are where there are the most rows, not where it is larger{about}"]
        carriers = self.carriers
        for profile in self.profiles:
            if profile.covariate in carriers or len(profile.regions) == 1:
                lines += [_described(region, self.outcome) for region in profile.regions]
            elif profile.regions:
                lines.append(f"along {profile.covariate}: windows with {profile.share_outside:.0%} of the rows")
        if self.outside.any():
            lines.append(f"over all covariates at once: {self.outside.mean():.0%} of {len(self.points)} rows")
        if carriers:
            lines.append(f"the difference varies along {', '.join(carriers)} (approximate)")
        else:
            lines.append("it does not detectably vary along any single covariate")
        return lines

    def _overall(self) -> list[str]:
        coarse, lines = self.everywhere, []
        if coarse.shift is not None and coarse.error is not None:
            n, m = coarse.n_obs
            lines.append(
                f"overall: mean of {self.outcome} {coarse.shift:+.3g} in P (standard error {coarse.error:.2g}; "
                f"{n} + {m} rows)"
            )
        answer = "no, it varies with the covariates" if self.varies else "it does not detectably vary"
        return [*lines, f"the same everywhere? p = {coarse.pvalue:.3g}: {answer}"]

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        p, q = self.labels
        head = f"Where does Y given X differ between P ({p}) and Q ({q})?  p-value of anything {self.pvalue:.4g}"
        return "\n".join([head, *(f"  {line}" for line in self.statements()), f"  {self.control}"])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        items = "".join(f"<li>{escape(line)}</li>" for line in self.statements())
        return f"<ul>{items}</ul><p><small>{escape(self.control)}</small></p>"

    def to_dict(self) -> dict[str, Any]:
        """All of it but the map, in types that JSON has."""
        return {
            "pvalue": self.pvalue,
            "significance": self.significance,
            "n_labels": self.n_labels,
            "control": self.control,
            "everywhere": asdict(self.everywhere),
            "carriers": list(self.carriers),
            "regions": [
                {"condition": r.condition, **{name: getattr(r, name) for name in r.__dataclass_fields__}}
                for r in self.regions
            ],
            "profiles": [
                {
                    name: _plain(value)
                    for name in profile.__dataclass_fields__
                    if name not in {"regions", "difference"}
                    for value in [getattr(profile, name)]
                }
                for profile in self.profiles
            ],
            "points": {
                name: getattr(self, attribute).tolist()
                for name, attribute in (("row", "points"), ("size", "size"), ("band", "band"), ("outside", "outside"))
            },
        }

    def __repr__(self) -> str:
        return f"Where(pvalue={self.pvalue:.4g}, regions={[r.condition for r in self.regions]}); .summary() says more"


def _plain(value: Any) -> Any:
    """In types that JSON has; there is no NaN in it."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return [float(v) if np.isfinite(v) else None for v in value]


def _described(region: Region, outcome: str | None) -> str:
    n, m = region.n_obs
    text = f"{region.condition}  ({n} + {m} rows)"
    if region.shift is None or region.error is None:
        return text
    return f"{text}: mean of {outcome} {region.shift:+.3g} in P (standard error {region.error:.2g})"


def _name(text: str) -> str:
    return text or "(no name)"
