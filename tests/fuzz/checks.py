"""What must hold for every call."""

import json
import re
import signal
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real

import dask
import numpy as np
import pandas as pd
import polars as pl

from condmmd import CondmmdWarning
from tests.fuzz.calls import make_call

SECONDS = 60
# Words by which a message says what to do.
REMEDY = re.compile(
    r"\b(must|use|pass|drop|give|call|convert|subtract|take|compare|needs?|leave|choose|select|put|fill|impute|"
    r"rename|scale|rescale|set|make|try|instead|write|divide|remove|split)\b", re.IGNORECASE
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A call for which something does not hold."""

    number: int
    door: str
    kind: str
    what: str
    where: str = ""

    @property
    def signature(self):
        """The same for findings of the same cause, most likely."""
        return self.kind, re.sub(r"[\d.e+-]+", "#", self.what)[:90], self.where


def picture_of(value):
    """Bytes that change if the value does; None for what has none."""
    if hasattr(value, "__next__") or hasattr(value, "dask"):
        return None
    if isinstance(value, np.ndarray) and value.dtype != object:
        about = value.dtype, value.shape, value.flags.writeable
        return np.ma.getdata(value).tobytes() + np.ma.getmaskarray(value).tobytes() + str(about).encode()
    if isinstance(value, pl.DataFrame | pl.Series):
        value = pl.DataFrame(value).to_dict(as_series=False)
    if isinstance(value, pd.DataFrame | pd.Series):
        frame = pd.DataFrame(value)
        value = frame.dtypes.tolist(), list(frame.columns), list(frame.index), frame.to_numpy().tolist()
    return repr(value).encode()


def is_clear(error):
    """A refusal that names an argument, in backticks, or a function, kernel or regressor, and says what to do."""
    text = str(error)
    named = re.search(r"`[^`]+`|\b(cmmd|mmd|screen)\w*\(\)|\b[a-z_]+='|\b[Tt]he (kernel|regressor) \S", text)
    return isinstance(error, ValueError | TypeError) and bool(named) and bool(REMEDY.search(text))


def not_finite(value, path="result"):
    """Where there is a number that is none, in anything nested; a null law may be empty but not NaN."""
    if isinstance(value, dict):
        return next((found for k, v in value.items() if (found := not_finite(v, f"{path}.{k}"))), None)
    if isinstance(value, list | tuple):
        return next((found for k, v in enumerate(value) if (found := not_finite(v, f"{path}[{k}]"))), None)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return None if np.isfinite(value).all() else path
    if isinstance(value, Real) and not np.isfinite(float(value)):
        return path
    return None


@contextmanager
def alarm(seconds):
    def ring(*_):
        raise TimeoutError(f"not done after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def place_of(error):
    """The last line of the package that the error came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "src/condmmd" in frame.filename]
    return f"{frames[-1].filename.split('condmmd/')[-1]}:{frames[-1].lineno}" if frames else ""


def examine(seed, number):
    """Make a call and run it: whether it gave an answer, and what does not hold."""
    door, given, run = make_call(seed, number)
    before = [picture_of(value) for value in given]
    found, wrong = None, []
    with warnings.catch_warnings(record=True) as caught, alarm(SECONDS), dask.config.set(scheduler="synchronous"):
        warnings.simplefilter("always")
        try:
            found = run()
        except Exception as error:  # noqa: BLE001 - any error at all is looked at
            if not is_clear(error):
                wrong.append(("unclear error", f"{type(error).__name__}: {error}", place_of(error)))
    wrong += answers_wrong(found or [])
    for name, value, picture in zip(("X", "Y", "group"), given, before, strict=True):
        if picture_of(value) != picture:
            wrong.append(("changed input", name, ""))
    for warning in caught:
        if not issubclass(warning.category, CondmmdWarning | ResourceWarning | DeprecationWarning):
            text = f"{warning.category.__name__}: {warning.message}"
            wrong.append(("warning", text, warning.filename.split("/condmmd/")[-1]))
    return found is not None, [Finding(number, door, *one) for one in wrong]


def answers_wrong(found):
    """Numbers that are none, and what JSON does not hold."""
    bad = not_finite(found)
    if bad:
        yield "not finite", bad, ""
    for part in found:
        if isinstance(part, dict):
            try:
                json.dumps(part, allow_nan=False)
            except (ValueError, TypeError) as error:
                yield "no JSON", str(error), ""
