"""What is typed at a prompt answers in a few lines that fit on a screen."""

from textwrap import wrap

__all__ = ["SCREEN", "on_screen"]

# Characters in a line, and lines.
SCREEN = 100
MOST = 4


def on_screen(text: str) -> str:
    """A representation in a few lines of a screen's width; what is left out is marked."""
    lines = wrap(text, SCREEN, subsequent_indent="  ", max_lines=MOST, placeholder=" ...", break_on_hyphens=False)
    return "\n".join(lines)
