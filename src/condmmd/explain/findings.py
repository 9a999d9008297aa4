"""What was found: where the two sides of rows, or two samples, differ; the whole of it in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen
from condmmd.embedding import Embedding
from condmmd.explain.courses import Course
from condmmd.explain.everywhere import Everywhere
from condmmd.explain.measures import Difference
from condmmd.explain.profiles import ROUNDING, Profile, RowProfile
from condmmd.explain.regions import SURE, Contrast, interval

__all__ = ["RowWhere", "Where"]

# Covariates of which a summary says how the difference changes along them, and regions in a representation.
MAX_CONTRASTS = 3
SHOWN = 5
# From this p-value on chance puts some covariate as far in front more often than not.
WORTH_SAYING = 0.5
# Differences over all rows that are told.
MAX_DIFFERENCES = 3
AnyProfile = TypeVar("AnyProfile", bound=RowProfile)


@dataclass(frozen=True, eq=False, repr=False)
class _Found(Generic[AnyProfile]):
    """Profiles along each covariate in one simultaneous band.

    Attributes
    ----------
    profiles
        One for each covariate, the one that leads first.
    pvalue
        That anything at all is outside the band.
    significance
        Of the band.
    labels, outcome
        The two groups or sides, and what is compared where that is one number.
    control
        What the band protects against, in words.
    """

    profiles: tuple[AnyProfile, ...]
    pvalue: float
    significance: float
    labels: tuple[str, str]
    outcome: str | None
    control: str

    counts: ClassVar[tuple[str, ...]] = ("n_obs",)

    @property
    def regions(self) -> tuple[Any, ...]:
        """Those of the leading covariate first."""
        return tuple(region for profile in self.profiles for region in profile.regions)

    @property
    def anything(self) -> bool:
        """Whether anything is outside the band."""
        return self.pvalue <= self.significance + ROUNDING

    def profile(self, covariate: str | None = None) -> AnyProfile:
        """The profile of a covariate; of the leading one without a name."""
        if covariate is None:
            return self.profiles[0]
        for profile in self.profiles:
            if profile.covariate == covariate:
                return profile
        raise ValueError(f"no covariate '{covariate}'; there are {[p.covariate for p in self.profiles]}.")

    def statements(self) -> list[str]:
        """What was found, one line each."""
        raise NotImplementedError

    def cautions(self) -> list[str]:
        """What to keep in mind of the statements."""
        return []

    def _asked(self) -> str:
        raise NotImplementedError

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        first, second = self.labels
        head = f"{self._asked()} Differences are {first} less {second}, with 95 % intervals."
        return "\n".join([head, *(f"  {line}" for line in (*self.statements(), *self.cautions()))])

    def to_frame(self) -> Any:
        """A line for each region, as a pandas data frame; needs pandas."""
        columns = ("covariate", "condition", "low", "high", "categories", *self.counts, "shift", "error")
        lines = []
        for region in self.regions:
            counts = dict(zip(self.counts, np.atleast_1d(region.n_obs).tolist(), strict=True))
            lines.append({name: counts[name] if name in counts else getattr(region, name) for name in columns})
        return frame_of(lines, "to_dict()['regions']", columns)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        items = "".join(f"<li>{escape(line.strip())}</li>" for line in self.statements())
        return f"<ul>{items}</ul><p><small>{escape(' '.join((*self.cautions(), self.control)))}</small></p>"


@dataclass(frozen=True, eq=False, repr=False)
class RowWhere(_Found[RowProfile]):
    """For which rows the two sides differ; made by ``result.where()``. ``n_draws`` of the null are behind the band."""

    n_draws: int

    def _asked(self) -> str:
        return f"Where do {self.labels[0]} and {self.labels[1]} differ?"

    def statements(self) -> list[str]:
        """What was found, one line each."""
        if not self.anything:
            return [f"no part of the table stands out at {self.significance:g}"]
        return [
            f"{region.condition} ({region.rows}){region.difference and f': {self.outcome} {region.difference}'}"
            for region in self.regions
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return {
            "pvalue": self.pvalue, "significance": self.significance, "n_draws": self.n_draws, "control": self.control,
            "regions": [region.to_dict() for region in self.regions],
            "profiles": [profile.to_dict() for profile in self.profiles],
        }  # fmt: skip

    def __repr__(self) -> str:
        found = "; ".join(region.condition for region in self.regions[:SHOWN])
        return on_screen(
            f"RowWhere(pvalue={self.pvalue:.4g}, {len(self.regions)} regions: {found}); .summary() says more"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Where(_Found[Profile]):
    """Where Y given X differs; made by ``result.where()``.

    Attributes
    ----------
    everywhere
        The coarse answer: the difference over all rows, and whether it is the same everywhere.
    contrasts
        For each of the `carriers` the two parts of its range between which the difference changes most.
    points
        Row numbers (of the rows looked at: all, or of very many some) at which the witness over all covariates was
        evaluated.
    size, band, outside, pvalues, at_least
        At those rows, as in `Profile`.
    n_labels
        Null label vectors behind the band.
    spaces
        The covariates and the outcomes in the user's names.
    differences
        Over all rows: of a single number its mean and spread, else of means and shares, the largest first.
    courses
        Both groups along the leading covariates, adjusted for the others.
    """

    everywhere: Everywhere
    contrasts: tuple[Contrast, ...]
    points: npt.NDArray[np.int64]
    size: Array
    band: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array
    n_labels: int
    _outcomes: Embedding
    _outcome_range: tuple[float, float] | None
    spaces: tuple[str, str] = ("X", "Y")
    differences: tuple[Difference, ...] = ()
    courses: tuple[Course, ...] = ()
    at_least: Array = field(default_factory=lambda: np.empty(0))

    counts: ClassVar[tuple[str, ...]] = ("rows_p", "rows_q")

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

    def course(self, covariate: str | None = None) -> Course:
        """Both groups along a covariate; along the leading one without a name."""
        for course in self.courses:
            if covariate in {None, course.covariate}:
                return course
        if covariate is not None:
            self.profile(covariate)
        shown = ", ".join(course.covariate for course in self.courses)
        raise ValueError(
            f"the groups are followed along the leading covariates only ({shown}), not along '{covariate}'."
            if shown
            else "the groups cannot be followed along a covariate: the outcomes are a Gram matrix."
        )

    def statements(self) -> list[str]:
        """What was found, one line each: over all rows, whether it is the same everywhere, and only then where not."""
        lines = self._overall()
        if not self.anything:
            return [*lines, f"no part of the table stands out at {self.significance:g}", *self._most_likely()]
        if not self.varies:
            return lines
        if not self.contrasts:
            return [*lines, "but not detectably along any single covariate"]
        for contrast in self.contrasts[:MAX_CONTRASTS]:
            lines += [f"along {contrast.covariate}:", *(f"  {line}" for line in contrast.lines())]
        others = self.carriers[MAX_CONTRASTS:]
        return [*lines, f"it varies along {', '.join(others)} too"] if others else lines

    def _most_likely(self) -> list[str]:
        """Of several covariates the one to look at first, and how often chance alone would put one as far in front."""
        first = self.profiles[0]
        if len(self.profiles) < 2 or first.variation_pvalue > WORTH_SAYING:
            return []
        among = f"p = {first.variation_pvalue:.3g} over all {len(self.profiles)} covariates"
        return [f"if it varies, then along {first.covariate} most ({among})"]

    def _overall(self) -> list[str]:
        coarse, (n, m) = self.everywhere, self.everywhere.n_obs
        told = self.differences[:MAX_DIFFERENCES]
        if self.outcome is not None:  # its mean in any case, and its spread where that differs
            told = (*told[:1], *(one for one in told[1:] if one.score > SURE))
        lines = [f"over {n} + {m} rows: {one.measure} {interval(one.shift, one.error)}" for one in told]
        answer = "it varies with the covariates" if self.varies else "as far as can be seen, yes"
        return [*lines, f"is it the same everywhere? {answer} (p = {coarse.pvalue:.3g})"]

    def _asked(self) -> str:
        return f"Where does {self.spaces[1]} differ, given the covariates?"

    def cautions(self) -> list[str]:
        """What to keep in mind of the statements."""
        if not self.contrasts:
            return []
        return ["(each range is cut where the change is largest, so the two parts look further apart than they are)"]

    def to_dict(self) -> dict[str, Any]:
        """All of it but the map, in types that JSON has."""
        return {
            "pvalue": self.pvalue,
            "significance": self.significance,
            "n_labels": self.n_labels,
            "control": self.control,
            "everywhere": asdict(self.everywhere),
            "carriers": list(self.carriers),
            "contrasts": [contrast.to_dict() for contrast in self.contrasts],
            "regions": [region.to_dict() for region in self.regions],
            "differences": [one._asdict() for one in self.differences],
            "courses": [course.to_dict() for course in self.courses],
            "profiles": [profile.to_dict() for profile in self.profiles],
            "points": {"row": self.points.tolist()}
            | {name: getattr(self, name).tolist() for name in ("size", "band", "outside", "at_least")},
        }

    def __repr__(self) -> str:
        conditions = [region.condition for region in self.regions]
        shown = "; ".join(conditions[:SHOWN]) + ("; ..." if len(conditions) > SHOWN else "")
        found = f"{len(conditions)} regions{': ' if conditions else ''}{shown}"
        return on_screen(f"Where(pvalue={self.pvalue:.4g}, {found}); .summary() says more")
