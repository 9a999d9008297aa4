"""Words in pictures: names from the data, legends beside the data, dates as dates, and any script that has a font."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from condmmd.backend import Array

Axes: TypeAlias = Any  # of matplotlib, an extra

__all__ = ["Axes", "fonts", "give_fonts", "label", "legend_above", "name_values"]

MAX_LABEL = 40
# Categories, and different values, that are named under an axis.
MAX_TICKS, MAX_VALUES = 45, 9
# Fonts with the scripts that matplotlib's own has not, as systems have them.
FURTHER_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Source Han Sans", "PingFang SC",
    "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "SimHei",
    "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "IPAexGothic", "NanumGothic", "Noto Sans Devanagari", "Noto Sans Thai",
    "Arial Unicode MS",
)  # fmt: skip


def label(text: object, width: int = MAX_LABEL) -> str:
    """A name from the data as matplotlib shows it: no mathematics, one line, not too long."""
    line = "".join(c if c.isprintable() else " " for c in str(text)).strip() or "(no name)"
    short = line if len(line) <= width else f"{line[: width - 1]}…"
    return short.replace("$", r"\$")


@cache
def _further_fonts() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - an extra

    known = {font.name for font in fontManager.ttflist}
    return tuple(name for name in FURTHER_FONTS if name in known)


def fonts() -> Any:
    """Matplotlib's setting under which text has further fonts to fall back on, as far as there are any here."""
    import matplotlib as mpl  # noqa: PLC0415

    chosen = mpl.rcParams["font.family"]
    own = [chosen] if isinstance(chosen, str) else list(chosen)
    return {"font.family": [*own, *(name for name in _further_fonts() if name not in own)]}


def give_fonts(ax: Axes) -> None:
    """The same for what stands on axes that were made before: their labels keep the fonts that they were born with."""
    from matplotlib.text import Text  # noqa: PLC0415

    families = fonts()["font.family"]
    for text in ax.findobj(Text):
        text.set_family(families)


def legend_above(ax: Axes, *, leftwards: bool = False) -> None:
    """The legend above the axes, where no data are; ``leftwards`` of their right end, for those with wide labels."""
    if not ax.get_legend_handles_labels()[1]:
        return
    place, at = ("lower right", 1.0) if leftwards else ("lower center", 0.5)
    ax.legend(fontsize="small", loc=place, bbox_to_anchor=(at, 1.0), ncols=3, frameon=False, borderpad=0.2)


def name_values(ax: Axes, values: Array | None, categories: tuple[str, ...], *, dates: bool = False) -> None:
    """What stands under an axis: categories by their names, few values each by itself, days since 1970 as dates."""
    if categories:
        _name_categories(ax, categories)
    elif dates:
        from matplotlib import dates as calendar  # noqa: PLC0415

        made: Any = calendar  # whose classes have no types
        locator = made.AutoDateLocator(minticks=3)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(made.ConciseDateFormatter(locator))
    elif values is not None and len(values) <= MAX_VALUES:
        ax.set_xticks(list(values), [f"{value:.6g}" for value in values])


def _name_categories(ax: Axes, names: tuple[str, ...]) -> None:
    """Under each category its name; of many, smaller, and as many as can be read."""
    step = -(-len(names) // MAX_TICKS)
    shown = range(0, len(names), step)
    size = "medium" if len(names) <= MAX_TICKS // 3 else "x-small"
    steep = 30 if len(names) <= MAX_TICKS // 3 else 90
    ax.set_xticks(
        list(shown), [label(names[k], 12) for k in shown], rotation=steep, ha="right" if steep == 30 else "center",
        fontsize=size,
    )  # fmt: skip
