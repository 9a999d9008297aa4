"""What the results of all tests have in common: how they unpack, what they say of themselves, what is pickled."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from condmmd.backend import Array
from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen
from condmmd.effects import Effects
from condmmd.inference import LevelResult, Outcome, Settings

__all__ = ["Tested", "Unpacked", "told_by"]


def told_by(outcome: Outcome, settings: Settings) -> dict[str, Any]:
    """The fields that every result has from a run of a test."""
    outcome.null.setflags(write=False)
    return {
        "statistic": outcome.statistic, "pvalue": outcome.pvalue, "null_distribution": outcome.null,
        "by_level": outcome.by_level, "n_resamples": outcome.n_resamples, "scheme": outcome.scheme,
        "significance": settings.significance, "rng_state": settings.seed,
    }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Unpacked:
    """Unpacks to ``(statistic, pvalue)``."""

    statistic: float
    pvalue: float

    _shown: ClassVar[tuple[str, ...]] = ("n_obs",)
    _more: ClassVar[str] = "; .summary() says more"

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def __repr__(self) -> str:
        own = "".join(f", {name}={getattr(self, name)!r}" for name in self._shown)
        told = f"statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}{own}"
        return on_screen(f"{type(self).__name__}({told}){self._more}")


@dataclass(frozen=True, eq=False, repr=False)
class Tested(Unpacked):
    """What was found by a test of Y given X, and everything that is told of it; see `CMMDTestResult`."""

    null_distribution: Array
    by_level: tuple[LevelResult, ...]
    n_obs: Any
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

    _shown: ClassVar[tuple[str, ...]] = ("n_obs", "scheme")

    def _told(self, effect: Effects | None) -> dict[str, Any]:
        """The public fields in types that JSON has, and the effect where it is known."""
        plain: dict[str, Any] = {"effect": None if effect is None else effect.to_dict()}
        plain |= {name: value for name, value in self.__getstate__().items() if not name.startswith("_")}
        null, columns = self.null_distribution.tolist(), [asdict(row) for row in self.by_level]
        return deepcopy(plain | {"null_distribution": null, "by_level": columns})

    def to_frame(self) -> Any:
        """A line for each column that was compared, as a pandas data frame; needs pandas."""
        return frame_of([asdict(column) for column in self.by_level], "to_dict()['by_level']")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the numbers, the plan and the data; not what was derived from them."""
        return {part.name: getattr(self, part.name) for part in fields(self)}
