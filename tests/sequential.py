"""Is an event as frequent as it should be, or more frequent? Wald's sequential test, with exact chances of error.

After each trial the likelihood ratio of the larger rate to the right one is looked at: far below 1 the rate passes, far
above it fails. After ``most`` trials whichever is more likely is taken. The chance of each outcome is summed over all
courses that the number of events can take, so it is no approximation.
"""

from dataclasses import dataclass
from itertools import count
from math import inf, log

import numpy as np
from scipy.stats import binom


@dataclass(frozen=True)
class Sequential:
    """A rate that is right, one that must be noticed, and the errors that are asked for."""

    right: float = 0.05
    wrong: float = 0.10
    false_alarm: float = 0.001
    missed: float = 0.045
    most: int = 1200

    def evidence(self, events, trials):
        """The logarithm of the likelihood ratio."""
        others = trials - events
        return events * log(self.wrong / self.right) + others * log((1 - self.wrong) / (1 - self.right))

    def verdict(self, events, trials):
        """True: it passes; False: it fails; None: go on."""
        found = self.evidence(events, trials)
        last = trials >= self.most
        if found >= (0 if last else log((1 - self.missed) / self.false_alarm)):
            return False
        return True if found <= (inf if last else log(self.missed / (1 - self.false_alarm))) else None

    def run(self, trial):
        """Ask ``trial(0)``, ``trial(1)``, ... until there is a verdict: that, the events and the trials."""
        events = 0
        for number in count():
            events += bool(trial(number))
            found = self.verdict(events, number + 1)
            if found is not None:
                return found, events, number + 1
        raise AssertionError

    def chances(self, rate):
        """The probability to pass at a true rate, and the number of trials that it takes on average."""
        still, passed, trials = np.array([1.0]), 0.0, 0.0
        for number in range(1, self.most + 1):
            trials += still.sum()
            still = np.convolve(still, binom.pmf([0, 1], 1, rate))
            for events in np.flatnonzero(still):
                found = self.verdict(int(events), number)
                if found is not None:
                    passed += still[events] * found
                    still[events] = 0
        return passed, trials
