"""The code broken on purpose: one wrong line each, and the test that must notice it (``python -m tests.mutants``)."""

from pathlib import Path

from tests.mutants import answers, arithmetic, effects, models, populations, rows, signs, testing
from tests.mutants.survivors import SURVIVORS

__all__ = ["MUTANTS", "ROOT", "SURVIVORS"]

ROOT = Path(__file__).parent.parent.parent
PARTS = (arithmetic, models, testing, signs, effects, answers, rows, populations)
MUTANTS = [mutant for part in PARTS for mutant in part.MUTANTS]
