"""True nulls are rejected at their level, by a rule whose errors are known; long tables: ``benchmarks.calibration``."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.calibration import trial
from tests.sequential import Sequential

LEVEL = 0.05
CASES = (
    ("equal marginals", "permutation"),
    ("equal marginals", "default"),
    ("shift +1", "true e, fixed-size"),
    ("shift +1", "default"),
    ("n = m = 20, shift 0.5", "true e, bernoulli"),
    ("binary X and Y, moved", "true e, fixed-size"),
    ("three far clusters", "default"),
)
RULE = Sequential(right=LEVEL, wrong=0.10)
pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_rule_is_sharp():
    """All cases pass if all are right, one that is at 0.10 does not; and the sum agrees with courses that are drawn."""
    passed, trials = RULE.chances(LEVEL)
    assert passed ** len(CASES) > 0.99
    assert trials < 200
    assert 1 - RULE.chances(0.10)[0] > 0.95
    rng = np.random.default_rng(0)
    for rate in (0.05, 0.07, 0.10):
        drawn = [RULE.run(lambda _, rate=rate: rng.random() < rate) for _ in range(300)]
        chance, expected = RULE.chances(rate)
        low, high = binom.interval(0.9999, 300, chance)
        assert low <= sum(verdict for verdict, _, _ in drawn) <= high
        counts = [number for _, _, number in drawn]
        assert abs(np.mean(counts) - expected) < 4 * np.std(counts) / 300**0.5


@pytest.mark.parametrize(("name", "procedure"), CASES)
def test_true_nulls_are_rejected_at_their_level(name, procedure):
    """The joined p-value by the rule; each column, on the same trials, within the 99.99 % binomial bound."""
    results = []

    def rejected(seed):
        results.append(trial(name, seed, 59, (procedure,)))
        return results[-1][procedure] <= LEVEL

    verdict, events, trials = RULE.run(rejected)
    assert verdict, f"{events} of {trials} rejected"
    exact = procedure != "default"
    for column in results[0]:
        count = sum(result[column] <= LEVEL for result in results if column in result)
        assert count <= binom.ppf(0.9999, trials, LEVEL if exact else 0.08), column
    assert np.mean([result[procedure] <= 0.25 for result in results]) >= 0.05  # and not far below it either
