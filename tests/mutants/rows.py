"""Rows with two sides: residual features, signs, neighbours, models, calibration."""

# (what is broken, file, right, wrong, test that must fail)
MUTANTS = [
    ("rows: edges that go both ways count once", "statistics/neighbours.py", "squares.sum() + squares[self.graph.mutual].sum()", "squares.sum()", "tests/test_family_gold.py::test_ecmmd"),
    ("rows: the unbiased joint form with its diagonal", "statistics/sides.py", "np.asarray(values - diagonal * self.without)", "np.asarray(values)", "tests/statistics/test_sides.py::test_at_signs_and_at_other_residuals"),
    ("rows: the ridge without the rows' number", "statistics/rowwise.py", "self.sigma**level / (self.rows * (self.sigma + self.lam)) ** 2", "self.sigma**level / (self.rows * self.sigma + self.lam) ** 2", "tests/statistics/test_rowwise.py::test_every_level_at_any_signs"),
    ("rows: the unit of outcomes from the first alone", "embedding/views.py", "(first - middle) ** 2 + (second - middle) ** 2, axis=0", "2 * (first - middle) ** 2, axis=0", "tests/embedding/test_views.py::test_who_is_first_turns_the_sign"),
    ("rows: a bent square is expected to be one half", "embedding/views.py", 'np.einsum("ic,icq,q->i", weight, values, share / share.sum())', "0.5 + 0 * weight[:, 0]", "tests/embedding/test_views.py::test_the_expectation_of_a_bent_square"),
    ("rows: laws without the spread of the other", "kernels/laws.py", "v = own**2 + variance + its_own", "v = own**2 + variance", "tests/kernels/test_laws.py::test_against_draws"),
    ("rows: an outcome is none of its draws", "embedding/models.py", "which = rng.integers(count + 1, size=(size, len(bank)))", "which = rng.integers(1, count + 1, size=(size, len(bank)))", "tests/embedding/test_models.py::test_outcomes_drawn_anew_are_like_those_of_the_model"),
    ("rows: centre and unit of the draws alone", "embedding/models.py", "bank = np.concatenate(parts, axis=2)\n        return np.asarray(((count + 1) * bank - bank.sum(axis=1, keepdims=True)) / count)", "bank = np.concatenate(parts, axis=2)\n        return np.asarray(bank - bank[:, 1:].mean(axis=1, keepdims=True))", "tests/embedding/test_models.py::test_outcomes_drawn_anew_are_like_those_of_the_model"),
    ("rows: classes drawn from other probabilities", "embedding/models.py", "codes += u > column", "codes += u > column**2", "tests/embedding/test_models.py::test_outcomes_drawn_anew_are_like_those_of_the_model"),
    ("rows: probabilities need not sum to one", "data/forecasts.py", "xp.abs(xp.sum(P, axis=1) - 1.0) > SUM_TOLERANCE", "xp.abs(xp.sum(P, axis=1) - 1.0) > 1.0", "tests/data/test_forecasts.py::test_probabilities_that_are_none"),
    ("rows: one wrong row makes draws of all", "embedding/forecasts.py", "float(np.median(np.abs(some.sum(axis=1) - 1.0))) <= NEAR_ONE", "float(np.max(np.abs(some.sum(axis=1) - 1.0))) <= NEAR_ONE", "tests/embedding/test_forecasts.py::test_one_row_that_is_wrong_makes_no_draws_of_the_others"),
    ("rows: a column without its diagonal counts from zero", "inference/joining.py", "statistics - mean + 2 * deviation / skewness", "statistics", "tests/inference/test_joining.py::test_a_column_without_its_diagonal_counts_as_it_does_with_it"),
    ("rows: a block counts as often as it has rows", "effects/rowwise.py", "blocks = of_row if of_row is not None and len(of_row) == n else None", "blocks = None", "tests/effects/test_rowwise.py::test_rows_of_a_block_count_as_one"),
    ("rows: a band for each window alone", "explain/profiles.py", "pvalues, outside_of = largest_pvalues(z), critical_value(z, significance)", "pvalues, outside_of = largest_pvalues(z[:, :1].repeat(z.shape[1], 1)), 0.0", "tests/explain/test_rowwise.py::test_finds_the_part_where_it_was_put"),
    ("rows: blocks of an average without their last row", "statistics/block_mean.py", "slice(first * size, (first + 1) * size)", "slice(first * size, (first + 1) * size - 1)", "tests/statistics/test_block_mean.py::test_against_a_loop"),
]  # fmt: skip
