"""The questions and their doors: a ladder as SVG, whose boxes are links; doors that are not there are left out."""

from html import escape

import condmmd

# The question, the door, and what it gives.
RUNGS = (
    ("No table yet, or a pilot only: how many rows?", "plan", "rows needed, a curve of power"),
    ("Is it one sample, and a model that says what Y is at each x?", "model_test", "is the model right, and where not"),
    ("Is it class probabilities or forecasts, and what happened?", "calibration_test", "are they calibrated"),
    ("Does every row have two outcomes: two sensors, two judges?", "paired_test", "do they differ, given X"),
    ("Is it about X alone, or Y alone, with nothing held fixed?", "mmd_test", "did X move"),
    ("Is a density ratio given, such as the weights of a model?", "ratio_test", "are the weights right"),
    ("Is it what all rows would be, had they been in one group?", "interventional_test", "two whole populations"),
    ("More than two samples, one of them the reference?", "compare", "a ranking, with intervals"),
    ("Hundreds of outcomes or more?", "screen", "a p-value each, false discoveries held"),
    ("Only how different at each level, no verdict?", "cmmd", "a number for each level, a witness"),
    ("Two samples of X and Y: is Y given X the same?", "cmmd_test", "verdict, effect, where, report"),
)
WIDTH, HEIGHT, LEFT, RIGHT = 780, 66, 425, 280


def draw():
    rungs = [rung for rung in RUNGS if hasattr(condmmd, rung[1])]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT * len(rungs)}"'
    told = "Questions from top to bottom; the first that is answered with yes leads to a function."
    parts = [f'<svg class="doors" xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{told}">']
    for k, (question, door, gives) in enumerate(rungs):
        y, last = HEIGHT * k + 6, k == len(rungs) - 1
        parts += [
            f'<rect class="question" x="2" y="{y}" width="{LEFT}" height="44" rx="6"/>',
            f'<text x="14" y="{y + 27}">{escape(question)}</text>',
            f'<path class="arrow" d="M{LEFT + 4} {y + 22} h{WIDTH - RIGHT - LEFT - 12}"/>',
            f'<text class="small" x="{LEFT + 18}" y="{y + 16}">yes</text>',
            f'<a href="generated/reference/condmmd.{door}.html">',
            f'<rect class="door" x="{WIDTH - RIGHT - 2}" y="{y}" width="{RIGHT}" height="44" rx="6"/>',
            f'<text class="name" x="{WIDTH - RIGHT + 10}" y="{y + 19}">{door}()</text>',
            f'<text class="small" x="{WIDTH - RIGHT + 10}" y="{y + 36}">{escape(gives)}</text></a>',
        ]
        if not last:
            parts.append(f'<path class="arrow" d="M40 {y + 46} v{HEIGHT - 48}"/>')
            parts.append(f'<text class="small" x="50" y="{y + 60}">no</text>')
    return "\n".join([*parts, "</svg>", ""])
