"""The warnings that condmmd gives, each its own class so that it can be filtered, and how they are given."""

import sys
import warnings
from pathlib import Path

__all__ = [
    "ApproximationWarning",
    "CondmmdWarning",
    "ConstantColumnWarning",
    "OverlapWarning",
    "SmallSampleWarning",
    "warn_user",
]

PACKAGE = str(Path(__file__).parent.parent)


class CondmmdWarning(UserWarning):
    """Base of every warning that condmmd gives."""


class ConstantColumnWarning(CondmmdWarning):
    """A column has the same value in every row, so it says nothing about the difference."""


class ApproximationWarning(CondmmdWarning):
    """A kernel was cut off at a rank that leaves more than ``tol`` of its trace out."""


class OverlapWarning(CondmmdWarning):
    """Where some rows are, only one of the two groups is found, so they tell little about the difference."""


class SmallSampleWarning(CondmmdWarning):
    """There are so few ways to label the rows that no p-value can be as small as the significance asked for."""


def warn_user(message: str, category: type[CondmmdWarning]) -> None:
    """Warn as if it came from the line that called the package, however deep in it we are."""
    level, frame = 1, sys._getframe(0)  # noqa: SLF001 - what the standard library offers from Python 3.12 on only
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
