"""Populations, ratios, lower bounds and outcomes that are not seen."""

# (what is broken, file, right, wrong, test that must fail)
MUTANTS = [
    ("weights of P for Q", "regression/populations.py", '{"all": 1 - 2 * e, "p": -e, "q": 1 - e}', '{"all": 1 - 2 * e, "q": -e, "p": 1 - e}', "tests/regression/test_populations.py::test_the_difference_is_counted_once"),
    ("inverse weights for everybody", "regression/populations.py", '{"p": 1 - e, "q": e, "all": overlap(e)}', '{"p": 1 - e, "q": e, "all": e}', "tests/regression/test_populations.py::test_residuals_of_both_groups_weigh_as_much_as_the_population"),
    ("a difference that has seen the row", "statistics/interventional.py", "axis=1) - own[:, 0, :]", "axis=1) - 0 * own[:, 0, :]", "tests/statistics/test_interventional.py::test_it_is_the_mean_of_pseudo_outcomes_whose_models_have_not_seen_the_row"),
    ("the rest of a row's leverage forgotten", "statistics/interventional.py", "return d / (1 - overlap(e) * leverage)", "return d / (1 - 0 * overlap(e) * leverage)", "tests/statistics/test_interventional.py::test_it_is_the_mean_of_pseudo_outcomes_whose_models_have_not_seen_the_row"),
    ("views not in units of their variance", "statistics/interventional.py", "(tau * added) ** 2", "0 * (tau * added) ** 2 + 1", "tests/statistics/test_interventional.py::test_columns_are_views_of_the_difference_in_units_of_its_variance"),
    ("DETT by the wrong model", "statistics/interventional.py", "(t - e) / e * (psi - mu_p)", "(t - e) / e * (psi - mu_q)", "tests/statistics/test_interventional.py::test_date_and_dett"),
    ("a shifted MMD with each row itself", "statistics/shifted_mmd.py", "(norm - itself / n**2)", "(norm - 0 * itself / n**2)", "tests/statistics/test_shifted_mmd.py::test_it_is_that_of_the_authors"),
    ("the odds of the other group", "doors/ratio_test.py", "sigmoid(-logarithms)", "sigmoid(logarithms)", "tests/doors/test_ratio_test.py::test_the_true_ratio_and_wrong_ones"),
    ("a ratio of 0 is taken", "data/ratios.py", "(values > 0)", "(values >= 0)", "tests/data/test_ratios.py::test_what_is_refused"),
    ("joint weights not in units of the overlap", "statistics/joint.py", "return cross_moments(T, x.phi, y.phi) / self.total", "return cross_moments(T, x.phi, y.phi) / self.total**2", "tests/statistics/test_joint.py::test_weights_give_x_the_same_distribution"),
    ("rows where one group is rare count as others do", "statistics/orthogonal.py", "return T / overlap(e)", "return 4 * T + 0 * e", "tests/statistics/test_orthogonal.py"),
    ("bounds of one place at a time", "explain/at_least.py", "np.max(np.sqrt(off)", "np.mean(np.sqrt(off)", "tests/explain/test_at_least.py::test_one_sign_for_each_block_and_a_factor_for_all_places"),
    ("a difference left in what chance adds", "explain/at_least.py", "(psi - tau[:, None] * predicted)", "(psi - 0 * tau[:, None] * predicted)", "tests/explain/test_at_least.py::test_deviations_are_of_the_differences_that_the_other_rows_show"),
    ("outcomes that are not seen count by the model of others", "regression/missing_outcomes.py", "(phi * (1 - seen)[:, None]).T", "(phi * (0 * seen + 1)[:, None]).T", "tests/regression/test_missing_outcomes.py::test_weights_are_those_of_the_paper"),
    ("a likelihood without its determinant", "regression/regularization.py", "N * np.log(misfit) + np.sum(", "N * np.log(misfit) + 0 * np.sum(", "tests/regression/test_regularization.py::test_marginal_likelihood_is_that_of_a_gaussian_process"),
    ("a witness from the pivots alone", "statistics/plugin.py", "        if x.gram is None:\n            return None\n", "        if x is not None:\n            return None\n", "tests/test_two_sample_gold.py::test_codite_at_points_is_the_witness"),
]  # fmt: skip
