"""What a long run is at: told on standard error from five seconds on, and not at all by short ones."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from condmmd.backend import report_passes
from condmmd.inference import Compute

__all__ = ["Clock", "TellingCompute", "ticking"]

# Seconds until something is told, between looks where somebody sees the line change, and between lines in a log.
PATIENCE = 5.0
TICK = 0.5
LOG = 30.0
# Back to the start of the line, and nothing after it.
CLEAR = "\r\x1b[K"


@dataclass
class Clock:
    """Tells what is being done, beside the work."""

    doing: str = "working"
    shown: bool = field(default=False, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)

    def tell(self, doing: str) -> None:
        """What is done from now on."""
        self.doing = doing

    def start(self) -> None:
        """Begin to count."""
        self._thread = threading.Thread(target=self._tick, args=(time.monotonic(),), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Say nothing more, and leave a clean line."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self.shown and sys.stderr.isatty():
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            self.shown = False

    def _tick(self, start: float) -> None:
        seen = sys.stderr.isatty()
        wait = PATIENCE
        while not self._stop.wait(wait):
            line = f"{self.doing}, {time.monotonic() - start:.0f} s"
            sys.stderr.write(f"{CLEAR}{line}" if seen else f"{line}\n")
            sys.stderr.flush()
            self.shown, wait = True, TICK if seen else LOG


@contextmanager
def ticking(options: argparse.Namespace) -> Iterator[Clock]:
    """A clock for a command, which counts passes over a file that is read in parts too; silent with ``--quiet``."""
    clock = Clock()
    if options.quiet:
        yield clock
        return
    clock.start()
    try:
        with report_passes(lambda number: clock.tell(f"pass {number} over the rows")):
            yield clock
    finally:
        clock.stop()


def _silent(_: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class TellingCompute(Compute):
    """As `Compute`, but how far it is goes to a clock."""

    tell: Callable[[str], None] = field(default=_silent, compare=False, repr=False)

    def report(self, done: int, total: int, what: str = "null draws") -> None:
        self.tell(f"{what} {done}/{total}")

    def __reduce__(self) -> tuple[Any, ...]:
        """For workers, which have no clock."""
        return Compute, (self.n_jobs, self.batch_size, False, self.keep_fits)
