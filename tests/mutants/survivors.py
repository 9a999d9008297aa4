"""Wrong lines that no test notices, and why: they are not counted among the mutants."""

# (what is broken, file, right, wrong, why it cannot be seen)
SURVIVORS = [
    ("a share's quantile of both groups alike", "effects/sensitivity.py", "TwoValues(predicted, predicted + difference.location)", "TwoValues(predicted, predicted)", "any function of x in the quantile's place gives valid bounds, which are a little wider; the test of Difference sees its own quantiles, not those that a result passes to it."),
    ("a value at the threshold of a tree goes right", "nuisance/trees.py", "<= xp.take(threshold, node)", "< xp.take(threshold, node)", "a threshold is midway between two values of the bag, so a row is on it by rounding alone."),
    ("cuts are gone over once", "nuisance/interactions.py", "PASSES = 2\nCLEARLY", "PASSES = 1\nCLEARLY", "how often the cuts are gone over is a matter of time: the first pass finds what the tests look for."),
    ("the randomised range in one pass", "inference/moment_laws.py", "RANGE, OVERSAMPLED, PASSES, PROBES = 40, 10, 2, 20", "RANGE, OVERSAMPLED, PASSES, PROBES = 40, 10, 1, 20", "the accuracy is that of the tests with one pass as with two on spectra that fall as theirs; a second pass is for flatter ones."),
    ("kernels are compared with twice as many lambdas", "nuisance/pooled.py", "_fit(_embed(*pair), own, GRID[::2]).error for pair", "_fit(_embed(*pair), own, GRID).error for pair", "on the tables of the tests a finer grid finds the same kernel; it takes twice the time."),
]  # fmt: skip
