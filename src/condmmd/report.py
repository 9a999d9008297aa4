"""One self-contained HTML file: the verdict, what it rests on, what moved, pictures, and how to repeat it."""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
import warnings
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condmmd.plotting import plot_result, plot_where
from condmmd.samples import Table

if TYPE_CHECKING:
    from condmmd.result import CMMDTestResult, MMDTestResult

__all__ = ["Story", "check_target", "contradictions", "render", "write_whole"]

THEMES = {"light": "default", "dark": "dark_background"}
CAPTIONS = {
    "null": "The statistic of the test (line) among its values when the labels are drawn anew as if nothing differed.",
    "levels": "Low levels count a difference wherever there are any rows, high levels where most rows are.",
    "where": "The difference along the covariate that carries it most; hatched: outside the band, if anything is.",
    "map": "Where in covariate and outcome one group has more rows than the other.",
    "curves": "The outcome given the covariate, for each group.",
    "overlap": "Where the two groups overlap little, nothing can be said about Y given X.",
}
MAX_COLUMNS = 100
MAX_PROFILES = 6


@dataclass(frozen=True)
class Story:
    """What a report tells beside the test itself.

    Attributes
    ----------
    title
        Of the page.
    repeat
        The command or call that repeats it.
    notes
        Lines about the data: where they are from, what was left out.
    marginal
        Tests of X and of Y alone, by their names; may be empty.
    """

    title: str
    repeat: str
    notes: tuple[str, ...] = ()
    marginal: dict[str, MMDTestResult] = field(default_factory=dict)


def render(result: CMMDTestResult, story: Story) -> str:
    """The page as text."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("the report needs jinja2: pip install 'condmmd[report]'") from error

    environment = Environment(
        loader=PackageLoader("condmmd", "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    where = _where(result)
    return environment.get_template("report.html").render(
        result=result,
        story=replace(story, notes=tuple(dict.fromkeys((*story.notes, *contradictions(result, story.marginal))))),
        where=where,
        pictures=_pictures(result, where),
        columns=_columns(result),
        hidden=max(0, sum(len(t.columns) for t in _tables(result)) - MAX_COLUMNS),
        version=version("condmmd"),
        python=".".join(map(str, sys.version_info[:3])),
        numpy=np.__version__,
    )


def contradictions(result: CMMDTestResult, marginal: dict[str, MMDTestResult]) -> tuple[str, ...]:
    """What the data say against the assumption of the test."""
    x = next(iter(marginal.values()), None)
    if x is None or result.propensity_summary["source"] != "equal marginals" or x.pvalue > result.significance:
        return ()
    note = (
        f"The test assumes that X has the same distribution in both samples, but X differs (p = {x.pvalue:.3g}): do "
        "not rely on it; let the propensity be estimated."
    )
    return (note,)


def _where(result: CMMDTestResult) -> Any:
    possible = result.n_resamples > 0 and result.evidence.samples.gram_x is None
    return result.where() if possible else None


def _tables(result: CMMDTestResult) -> tuple[Table, Table]:
    return result.evidence.samples.x, result.evidence.samples.y


def _pictures(result: CMMDTestResult, where: Any) -> list[dict[str, str]]:
    """Every picture that this result can have, in both themes."""
    found = []
    for kind in ("where", "map", "curves", "null", "levels", "overlap"):
        if kind in {"where", "map"} and where is None:
            continue
        try:
            images = {theme: _image(result, kind, style) for theme, style in THEMES.items()}
        except ValueError:  # this result has no such picture: several outcomes, a categorical covariate
            continue
        found.append({"kind": kind, "caption": CAPTIONS[kind], **images})
    if where is not None and len(where.profiles) > 1:
        images = {theme: _profiles_image(where, style) for theme, style in THEMES.items()}
        position = 1 + sum(picture["kind"] == "map" for picture in found)
        found.insert(position, {"kind": "profiles", "caption": "The same along the other covariates.", **images})
    return found


def _image(result: CMMDTestResult, kind: str, style: str) -> str:
    import matplotlib.pyplot as plt  # noqa: PLC0415

    with plt.style.context(style):
        fig, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
        try:
            plot_result(result, kind, ax)
            return _encode(fig)
        finally:
            plt.close(fig)


def _profiles_image(where: Any, style: str) -> str:
    import matplotlib.pyplot as plt  # noqa: PLC0415

    shown = where.profiles[1 : 1 + MAX_PROFILES]
    rows = -(-len(shown) // 2)
    with plt.style.context(style):
        fig, axes = plt.subplots(rows, 2, figsize=(11.2, 3 * rows), layout="constrained", squeeze=False)
        try:
            for ax, profile in zip(axes.ravel(), shown, strict=False):
                plot_where(where, ax, profile.covariate)
                ax.set_title("")
                ax.get_legend().remove()
            for ax in axes.ravel()[len(shown) :]:
                ax.remove()
            return _encode(fig)
        finally:
            plt.close(fig)


def _encode(fig: Any) -> str:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        fig.savefig(buffer, format="png", dpi=120)
    return base64.b64encode(buffer.getvalue()).decode()


def _columns(result: CMMDTestResult) -> list[dict[str, str]]:
    """A line about each column: what it is and how it is distributed in the two groups."""
    t = result.evidence.samples.groups.t
    lines = []
    for role, table in zip(("covariate", "outcome"), _tables(result), strict=True):
        gram = result.evidence.samples.gram_x if role == "covariate" else result.evidence.samples.gram_y
        for j, column in enumerate(table.columns if gram is None else ()):
            groups = [table.values[t == group, j] for group in (1, 0)]
            if column.categories is None:
                kind, told = "number", [f"{g.mean():.4g} ± {g.std():.3g}" for g in groups]
            else:
                kind, told = f"category ({len(column.categories)} values)", [_top(g, column.categories) for g in groups]
            lines.append({"name": column.name or "(no name)", "role": role, "kind": kind, "p": told[0], "q": told[1]})
    return lines[:MAX_COLUMNS]


def _top(codes: Any, categories: tuple[str, ...]) -> str:
    """The three most frequent categories."""
    shares = np.bincount(codes.astype(int), minlength=len(categories)) / len(codes)
    return ", ".join(f"{categories[k]} {shares[k]:.0%}" for k in np.argsort(-shares)[:3] if shares[k] > 0)


def check_target(path: str | os.PathLike[str], *, overwrite: bool, argument: str = "path") -> Path:
    """A path that may be written to, or an error before any work is done."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"`{argument}`: {target} is a folder; name a file in it.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"`{argument}`: {target} exists already; name another file, or pass overwrite=True.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"`{argument}`: there is no folder {target.parent}; make it first.")
    return target


def write_whole(path: Path, text: str) -> None:
    """Write all of a file or nothing: it appears under its name when it is complete."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
