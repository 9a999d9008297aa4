"""The warnings that condmmd gives, each its own class so that it can be filtered."""

__all__ = [
    "ApproximationWarning",
    "CondmmdWarning",
    "ConstantColumnWarning",
    "OverlapWarning",
    "SmallSampleWarning",
]


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
