"""Break the code on purpose and see the tests fail: ``python -m tests.mutants``.

Each mutant is one wrong line and the test that must notice it. The whole source is copied, so the tree stays as it is.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROPERTIES = "tests/test_properties.py::"

# (what is broken, file, right, wrong, test that must fail)
MUTANTS = [
    ("lambda of P used for Q", "regression/ridge.py", "solve_ridge(A_q, M_q, reg[1] * m)", "solve_ridge(A_q, M_q, reg[0] * m)", PROPERTIES + "test_symmetric_in_p_and_q"),
    ("joint weights of Q by n", "statistics/joint.py", "(1 - T) / m[:, None]", "(1 - T) / n[:, None]", PROPERTIES + "test_symmetric_in_p_and_q"),
    ("pivoting depends on row order, badly", "embedding/cholesky.py", "column *= own**-0.5", "column *= (own + float(left[0])) ** -0.5", PROPERTIES + "test_row_order_does_not_matter"),
    ("lengthscale from the rows of P", "statistics/cmmd.py", "resolve_kernel(given[0], samples.x, samples.gram_x)", "resolve_kernel(given[0], samples.x.at(samples.x.values[samples.groups.t > 0]), samples.gram_x)", PROPERTIES + "test_every_choice_is_blind_to_the_labels"),
    ("lengthscale squared", "kernels/gaussian.py", "r *= -0.5", "r *= -0.51", "tests/test_gold.py"),
    ("outcomes of Q are not subtracted", "regression/ridge.py", "RowGroups(~of_p, reg[1], -1.0)", "RowGroups(~of_p, reg[1], 0.0)", PROPERTIES + "test_zero_for_identical_samples"),
    ("complement moments lose M", "regression/ridge.py", "A_q, M_q = A - A_p, M - M_p\n    n, m", "A_q, M_q = A - A_p, M - 0.99 * M_p\n    n, m", "tests/statistics/test_comparison.py::test_batches_of_labels_add_up"),
    ("sigma weights inverted", "statistics/spectrum.py", "move_to(s - power, sigma)", "move_to(power - s, sigma)", PROPERTIES + "test_hierarchy_of_levels"),
    ("eigenvalues not divided by N", "embedding/embedding.py", "sigma = squares / n_rows(phi)", "sigma = squares / (n_rows(phi) + 1)", PROPERTIES + "test_bounds_by_the_mean_of_the_kernel"),
    ("dual ridge without n", "backend/linear_algebra.py", "ridge = K.take(index, axis=0).take(index, axis=1), group.lam * len(index)", "ridge = K.take(index, axis=0).take(index, axis=1), group.lam", PROPERTIES + "test_low_rank_and_dual_agree"),
    ("last chunk dropped", "regression/moments.py", "    parts = steps_of(n_rows(rows[0]), step)", "    parts = steps_of(n_rows(rows[0]) // step * step, step)", "tests/regression/test_moments.py::test_chunks_of_rows_add_up"),
    ("every batch is the first", "backend/labels.py", "yield HeldLabels(self.values[part, :])", "yield HeldLabels(self.values[: part.stop - part.start, :])", "tests/statistics/test_comparison.py::test_batches_of_labels_add_up"),
    ("frame columns taken in reverse", "data/reading.py", "np.column_stack(values)", "np.column_stack(values[::-1])", PROPERTIES + "test_array_and_frame_agree"),
    ("multinomial weight of a monomial", "kernels/polynomial.py", "ways //= factorial(power)", "ways //= power + 1", PROPERTIES + "test_explicit_features_agree_with_pivoted_cholesky"),
    ("mixture weights swapped", "statistics/spectrum.py", "shares=(mixture / n, (1 - mixture) / m)", "shares=((1 - mixture) / n, mixture / m)", PROPERTIES + "test_mixture_agrees_with_the_literal_formula"),
    ("Nystrom extension not triangular", "backend/linear_algebra.py", "solve_triangular(self.L, K.T, lower=True).T", "solve_triangular(self.L, K.T, lower=False).T", PROPERTIES + "test_witness_agrees_with_the_literal_formula"),
    ("leverage ignored in leave-one-out", "regression/regularization.py", "(1.0 - leverage) ** 2", "(1.0 - 0 * leverage) ** 2", "tests/regression/test_regularization.py"),
    ("residual not updated", "embedding/cholesky.py", "left -= column\n", "left -= 0.5 * column\n", "tests/embedding/test_cholesky.py"),
    ("NaN let through", "data/reading.py", "    _check_finite(table)\n    return table", "    return table", "tests/data/test_reading.py"),
    ("ties do not count", "inference/joining.py", "null[:, None] >= observed - slack", "null[:, None] > observed + slack", "tests/inference/test_joining.py::test_ties_count"),
    ("studentised by the null rows alone", "inference/joining.py", "standard_scores(np.log(np.maximum(own, floor)), known).z", "standard_scores(np.log(np.maximum(own, floor)), slice(1, None)).z", "tests/inference/test_joining.py::test_the_joined_statistic_is_symmetric_in_the_rows"),
    ("leaf counts ignore the other leaves", "labels/tables.py", "self.leaf_laws[g] * np.where(after >= 0, self.rest[g, np.maximum(after, 0)], 0.0)", "self.leaf_laws[g] * (self.rest[g, np.maximum(after, 0)] > 0) * (after >= 0)", "tests/labels/test_tables.py"),
    ("bad rows of a chunk are not seen", "embedding/embedding.py", "xp.stack([xp.min(diagonal), xp.max", "xp.stack([xp.max(diagonal), xp.max", "tests/embedding/test_embedding.py::test_one_bad_row_of_many_is_seen"),
    ("what is left of characteristic functions is cut off", "labels/laws.py", "LAST_FREQUENCY, REACH = 8.7, 11.0", "LAST_FREQUENCY, REACH = 5.0, 11.0", "tests/labels/test_laws.py::test_law_of_a_sum_from_powers"),
    ("powers of the wrong chunk of rows", "labels/laws.py", "before = first % classes", "before = 0", "tests/labels/test_laws.py::test_law_of_a_sum_from_powers"),
    ("rows left over are numbered as if they began the table", "labels/halving.py", "(first + left.start) >> level", "0", "tests/labels/test_halving.py::test_powers_of_halves"),
    ("laws of few random labels from too few powers", "labels/laws.py", "if U[-1] * t[-1] ** (POWERS + 1) > NEGLIGIBLE:", "if False:", "tests/labels/test_halving.py::test_few_random_labels_are_not_told_by_powers"),
    ("converged fits go on from the wrong place", "regression/logistic.py", "left = left[moving]", "left = left[: len(moving)]", "tests/regression/test_logistic.py"),
    ("labels of Q from the sums of P", "regression/ridge.py", "A_q, M_q = A - A_p, M - M_p\n        B_p", "A_q, M_q = A_p.copy(), M - M_p\n        B_p", "tests/regression/test_ridge.py::test_models_are_those_of_each_group_by_itself"),
    ("the middle of misleading values", "kernels/stationary.py", "if own[0] < 0 or own[1] >= len(near):", "if False:", "tests/kernels/test_stationary.py::test_middle_of_many_values"),
    ("threads inside threads", "backend/threads.py", "with one_blas_thread(), ThreadPoolExecutor(allowed) as pool:", "with ThreadPoolExecutor(allowed) as pool:", "tests/backend/test_threads.py"),
    ("halves are kept whatever is left", "labels/halving.py", "good = chance(t.seeds, t.j, t.attempts) * law.probabilities.max() < law(left)", "good = law(left) > 0", "tests/labels/test_halving.py::test_halving_sampler"),
    ("strata leak", "labels/schemes.py", "+ self.strata[by_stratum]", "+ 0.1 * self.strata[by_stratum]", "tests/labels/test_schemes.py::test_permutation_within_strata_is_uniform_there"),
    ("labels shuffled although X moved", "labels/plan.py", '"fixed-size" if self.scheme == "auto" else self.scheme', '"permutation"', "tests/results/test_cmmd_test_result.py::test_the_result_says_everything"),
    ("Gram matrices estimate from row numbers", "nuisance/pooled.py", "scores = Scores((), (), ())", "scores = Scores.of(x)", "tests/doors/test_cmmd_test.py::test_gram_matrices"),
    ("one seed for all units", "inference/evaluate.py", "np.random.SeedSequence(seed).spawn(len(sizes))", "[np.random.SeedSequence(seed)] * len(sizes)", "tests/doors/test_cmmd_test.py::test_units_of_labels_differ"),
    ("a law without the refit of the propensity", "inference/label_noise.py", "if fit is not None:", "if False:", "tests/inference/test_label_noise.py"),
    ("the lower tail without its sign", "inference/chi_squares.py", "tail if side > 0 else 1.0 - tail", "tail", "tests/inference/test_chi_squares.py"),
    ("outcomes not centred by the labels' number", "inference/label_noise.py", "return A - (share * sums if transposed else sums)", "return A", "tests/inference/test_label_noise.py"),
    ("orthogonal weights", "regression/odds.py", "return (T - e) / overlap(e)", "return T - e", "tests/statistics/test_orthogonal.py"),
    ("residuals keep the fit", "nuisance/residuals.py", "map_rows(subtract, y.phi, pooled.fitted, columns=y.rank)", "map_rows(lambda a, b: a - 0.5 * b, y.phi, pooled.fitted, columns=y.rank)", "tests/nuisance/test_residuals.py"),
    ("diagonal kept in the unbiased MMD", "statistics/mmd.py", "(_dot(sum_p, sum_p) - own_p)", "(_dot(sum_p, sum_p) - 0 * own_p)", "tests/doors/test_mmd.py"),
    ("intercept penalised", "regression/logistic.py", "ridge[:, 1:] = 1 / C[:, None]", "ridge[:] = 1 / C[:, None]", "tests/regression/test_logistic.py"),
    ("pseudo-outcomes with the misprinted sign", "statistics/doubly_robust.py", "@ B_p + second_moments(of_q, phi) @ B_q", "@ B_p - second_moments(of_q, phi) @ B_q", "tests/statistics/test_doubly_robust.py"),
    ("cross-fitting sees its own fold", "nuisance/folds.py", "np.flatnonzero(folds != fold)", "np.flatnonzero(folds >= 0)", "tests/statistics/test_doubly_robust.py::test_cross_fitted_models_do_not_see_their_fold"),
    ("training rows of other rows", "statistics/doubly_robust.py", "take(given.samples.groups.t, inside), take(given.y.phi, inside)", "take(given.samples.groups.t, inside), take(given.y.phi, outside[: len(inside)])", "tests/statistics/test_doubly_robust.py::test_reference_values_with_ridge_embeddings"),
    ("block sizes ignored", "labels/plan.py", "np.column_stack([*columns, (size - size.mean())[:, None]])", "np.column_stack([*columns, 0 * (size - size.mean())[:, None]])", "tests/doors/test_cmmd_test.py::test_blocks_of_other_sizes_are_told_apart"),
    ("weights of the embedding", "regression/conditional.py", "(n_rows(covariates.phi) * (sigma + self.reg_))", "(n_rows(covariates.phi) * sigma + self.reg_)", "tests/regression/test_conditional.py::test_weights_are_those_of_the_paper"),
    ("best penalty instead of the smallest as good", "regression/logistic.py", "mean <= mean[best] + error", "mean <= mean[best]", "tests/regression/test_logistic.py"),
    ("a row's category found one too far", "backend/operations.py", "np.arange(1, r)", "np.arange(0, r - 1)", "tests/regression/test_moments.py::test_features_that_exclude_each_other"),
    ("rows rotated without their scale", "regression/logistic.py", "place_rows(U * s, Z)", "place_rows(U, Z)", "tests/regression/test_logistic.py::test_more_columns_than_rows"),
    ("band from single points", "inference/joining.py", "return _ranked(z[0], z[1:].max(axis=1), 1.0)", "return _ranked(z[0], z[1:, 0], 1.0)", "tests/explain/test_locate.py::test_null_marks_nothing_too_often"),
    ("a band that is one row too low", "inference/joining.py", "np.partition(largest, count - allowed)[count - allowed]", "np.partition(largest, count - allowed - 1)[count - allowed - 1]", "tests/inference/test_joining.py::test_the_critical_value_and_the_pvalues_say_the_same"),
    ("regions by labels that keep their propensity", "explain/evidence.py", "residual_labels(HeldLabels(T), self.e, self.labels.propensity.fit)", "residual_labels(HeldLabels(T), self.e, None)", "tests/explain/test_evidence.py"),
    ("a constant is left in what null labels see", "explain/everywhere.py", "constant = R @ values / total", "constant = 0 * (R @ values) / total", "tests/explain/test_everywhere.py::test_the_statistic_written_out"),
    ("directions with a constant part", "explain/everywhere.py", "centred = phi - weights @ phi / total", "centred = phi - phi.mean(axis=0)", "tests/explain/test_everywhere.py::test_directions_have_no_constant_part"),
    ("a stratum is pulled to no dependence on x", "regression/logistic.py", "return self.elsewhere, np.zeros_like(self.beta)", "return self.elsewhere, self.ridge * self.beta", "tests/regression/test_logistic.py::test_some_rows_are_held_by_the_others"),
    ("a row meets itself in the product", "explain/shared_structure.py", "(_sums(self.cells, values) - own)", "(_sums(self.cells, values) - 0 * own)", "tests/explain/test_shared_structure.py::test_the_product_is_the_sum_over_pairs"),
    ("one wrong model is enough for a warning", "explain/shared_structure.py", "pvalues = np.maximum(", "pvalues = np.minimum(", "tests/explain/test_shared_structure.py::test_one_right_model_is_enough_and_a_difference_is_no_confounding"),
    ("labels drawn anew keep the old propensity", "explain/shared_structure.py", "residual_labels(labels, self.e, self.fit)", "residual_labels(labels, self.e, None)", "tests/explain/test_shared_structure.py::test_labels_drawn_anew_have_their_propensity_refitted"),
    ("a warning of overlap without its remedy", "nuisance/overlap.py", "as_float(balanced > 1 - TRIM) + as_float(balanced < TRIM)", "as_float(balanced > 1 - TRIM / 10) + as_float(balanced < TRIM / 10)", "tests/nuisance/test_overlap.py::test_the_warning_has_the_rule_of_its_remedy"),
    ("Holm without the largest so far", "explain/strata.py", "largest = max(largest, min(1.0,", "largest = max(0.0, min(1.0,", "tests/explain/test_strata.py::test_holm"),
    ("names not escaped in the report", "present/report.py", "autoescape=True", "autoescape=False", "tests/present/test_report.py::test_untrusted_text_is_escaped"),
    ("a part of a file is left behind", "present/writing.py", "Path(name).unlink(missing_ok=True)", "pass", "tests/app/cli/test_output.py::test_nothing_is_left_half_written"),
    ("missing values taken as they are", "app/files.py", "if not missing:", "if True:", "tests/app/cli/test_reading.py::test_missing_values"),
    ("single precision not refined", "backend/linear_algebra.py", "int(np.ceil(DIGITS / digits))", "1", "tests/test_gold.py"),
    ("the median of one column one gap too far", "kernels/stationary.py", "ranks - int((below - own).sum())", "ranks - int((below - own).sum()) + 1", "tests/kernels/test_stationary.py::test_median_gap_of_one_column"),
    ("in-sample residuals of the shift", "nuisance/pooled.py", "misfit / np.maximum(1.0 - features**2 @ shrink, 0.01)", "misfit * 0.9", "tests/nuisance/test_pooled.py::test_the_smoother_fits_and_its_residuals_leave_one_out"),
    ("a centre that follows the labels", "labels/plan.py", 'if self.kind == "bernoulli":\n            return self.propensity.e', 'if self.kind == "bernoulli":\n            return self.propensity.at_prevalence', "tests/explain/test_locate.py::test_centre_is_that_of_the_scheme"),
    ("strata lose their scheme", "labels/plan.py", "strata = None if self.strata is None else np.unique(", "strata = None if True else np.unique(", "tests/explain/test_strata.py::test_strata_are_told_apart_and_keep_their_scheme"),
    ("labels depend on the chunk, not on the row", "labels/halving.py", "return slice((2**j - 1 - first) % 2 ** (j + 1), None, 2 ** (j + 1))", "return slice(2**j - 1, None, 2 ** (j + 1))", "tests/labels/test_halving.py::test_null_labels_of_chunks_are_those_of_the_whole"),
    ("the sign is shifted in", "labels/counters.py", "(z >> 30) & (2**34 - 1)", "(z >> 30)", "tests/labels/test_counters.py::test_numbers_are_those_of_splitmix"),
    ("what the sample missed stays missed", "embedding/embedding.py", "MAX_ROUNDS = 8", "MAX_ROUNDS = 1", "tests/embedding/test_embedding.py::test_pivots_of_many_rows_come_from_a_sample_and_then_from_what_it_missed"),
    ("chunks are added up without the last", "backend/chunks.py", "for k in range(0, len(parts), BRANCHES)", "for k in range(0, len(parts) - 1, BRANCHES)", "tests/backend/test_chunks.py::test_sums_over_many_chunks"),
    ("coefficients of the sample stand for all", "regression/logistic.py", "beta = _fit_all(Z, t, float(chosen), beta)", "pass", "tests/regression/test_logistic.py::test_all_rows_are_fitted_from_some"),
    ("a part of a file with all groups", "app/streaming.py", "table, t = table.filter(keep), of_p[keep].astype(np.float64)", "t = of_p.astype(np.float64)", "tests/app/test_streaming.py::test_a_file_in_parts"),
    ("a device's group of Q is added", "backend/linear_algebra.py", "xp.reshape(group.sign * solve_positive(", "xp.reshape(solve_positive(", "tests/test_devices.py::test_same_labels_same_p_value"),
    ("a call that forgets an option", "results/code.py", "if part.init and not _same(own, default):", "if part.init and part.name != 'reg' and not _same(own, default):", "tests/results/test_code.py"),
    ("the base point of the energy kernel is forgotten", "statistics/energy.py", "replace(self, centre=tuple(float(c) for c in mean))", "replace(self, centre=tuple(0.0 for _ in mean))", "tests/statistics/test_energy.py"),
    ("lambdas are joined without the last", "statistics/cmmd.py", "for reg in self.regs\n        ]", "for reg in self.regs[:1]\n        ]", "tests/statistics/test_cmmd.py::test_a_column_for_each_kernel_lambda_and_level"),
    ("propensity not refitted", "regression/logistic.py", "return T - e - overlap(e) * (", "return T - e - 0 * overlap(e) * (", "tests/statistics/test_overlap.py::test_the_propensity_is_refitted_for_every_label_vector_to_first_order"),
    ("levels of overlap in the pooled basis", "statistics/overlap.py", "given.x.principal(map_rows(overlap, e))", "given.x.principal()", "tests/statistics/test_overlap.py::test_the_formula_with_a_given_propensity"),
    ("spread not regressed on X", "statistics/family.py", "less_mean(learned.further(spread))", "less_mean(spread)", "tests/statistics/test_family.py::test_the_spread_is_less_what_x_says_of_it"),
    ("gamma tails of the lower side", "inference/joining.py", "np.where(moves, -log_tail, 0.0)", "np.where(moves, log_tail, 0.0)", "tests/inference/test_joining.py::test_gamma_scores_are_fair_to_any_number_of_degrees_of_freedom"),
    ("trees predict rows that they have seen", "nuisance/trees.py", "outside[tree.rows] = False", "outside[tree.rows[:0]] = False", "tests/nuisance/test_trees.py::test_a_row_is_told_what_trees_say_that_have_not_seen_it"),
    ("bags by the place of a row", "nuisance/trees.py", "return order[places], often", "return places, often", "tests/nuisance/test_trees.py::test_the_order_of_the_rows_does_not_matter"),
    ("categories in their own order", "nuisance/trees.py", "np.where(weights > 0, sums / np.maximum(weights, 1.0), mean)", "np.arange(size) + 0.0 * mean", "tests/nuisance/test_trees.py::test_categories_are_ordered_by_the_bag_alone"),
    ("a tree is walked the wrong way", "nuisance/trees.py", "xp.where(goes_left, xp.take(left, node), xp.take(right, node))", "xp.where(goes_left, xp.take(right, node), xp.take(left, node))", "tests/nuisance/test_trees.py::test_walking_a_tree_anywhere_gives_what_scikit_learn_gives"),
    ("the ridge keeps a row's own part", "nuisance/forests.py", "features**2 @ shrink, 0.0, MOST_LEVERAGE", "features**2 @ shrink, 0.0, 0.0", "tests/nuisance/test_forests.py::test_the_ridge_predicts_a_row_by_all_others"),
    ("further columns as they are", "nuisance/forests.py", "left = map_rows(_minus, values, grown.forest(values), columns=values.shape[1])", "left = values", "tests/nuisance/test_forests.py::test_further_columns_lose_what_x_says_of_them"),
    ("trees have a share in any case", "nuisance/mixing.py", "if gain[best] <= error[best]:", "if gain[best] < gain.min():", "tests/nuisance/test_mixing.py::test_an_estimate_that_is_right_stays_as_it_is"),
    ("cells where there is no interaction", "nuisance/interactions.py", "if p < limit]", "if p < 2.0]", "tests/nuisance/test_interactions.py::test_noise_and_main_effects_are_no_interactions"),
    ("cuts stay at quantiles", "nuisance/interactions.py", "cells = _moved(cells, at, k, values, left)", "cells = cells", "tests/nuisance/test_interactions.py::test_a_product_of_signs_is_found_and_cut_where_the_signs_change"),
    ("cells of main effects", "nuisance/interactions.py", "left = left - _cell_means(code, count, left)", "left = left - 0.0 * left", "tests/nuisance/test_interactions.py::test_noise_and_main_effects_are_no_interactions"),
    ("trees without the cells that were found", "nuisance/bagging.py", "few = with_cells(few, cells)", "few = with_cells(few, ())", "tests/nuisance/test_interactions.py::test_trees_see_through_cells_what_they_do_not_see_by_single_columns"),
    ("noise as a prognostic score", "nuisance/pooled.py", "if self.explained < MIN_SOUND * self.aligned:", "if self.explained < -1e9:", "tests/nuisance/test_pooled.py::test_a_regression_that_follows_every_row_is_no_prognostic_score"),
    ("moments of labels without their refit", "regression/refitting.py", "return M - taken", "return M", "tests/regression/test_refitting.py"),
    ("changed arrays are not noticed", "results/cmmd_test_result.py", "if self._samples.checksum() != self._checksum:", "if self._samples.checksum() == -1:", "tests/results/test_carrying.py::test_what_the_user_changes_later_does_not_change_an_answer"),
    ("energy without a base point", "statistics/energy.py", "return 2 * self._from_centre(A)[:, 0]", "return 1 * self._from_centre(A)[:, 0]", "tests/statistics/test_energy.py"),
    ("fits are pickled", "results/cmmd_test_result.py", "state = {part.name: getattr(self, part.name) for part in fields(self)}\n        try:", "state = dict(self.__dict__)\n        try:", "tests/results/test_carrying.py::test_a_result_is_about_as_large_as_the_data"),
    ("a centre taken away in part", "statistics/plugin.py", "return self.contrast(T, x, y) - self.centre", "return self.contrast(T, x, y) - 0.9 * self.centre", "tests/statistics/test_plugin.py::test_the_centre_is_the_mean_difference_over_labels_from_the_propensity"),
    ("a centre of permuted labels", "statistics/plugin.py", "labels = Bernoulli(e).draw(", "labels = Bernoulli(0 * e + 0.5).draw(", "tests/statistics/test_plugin.py::test_the_centre_is_the_mean_difference_over_labels_from_the_propensity"),
    ("the rest moves with the share", "statistics/outcome_scale.py", "column.name, around_mean=True)", "column.name, around_mean=False)", "tests/statistics/test_outcome_scale.py::test_a_pile_of_equal_values_and_the_rest"),
    ("a share in units of itself", "statistics/outcome_scale.py", "(share * (1 - share) * parts)", "(share * parts)", "tests/statistics/test_outcome_scale.py::test_of_two_values_one_share_says_it_all"),
    ("a cap without a word", "embedding/choose.py", "        if warn:\n", "        if warn and max_rank < 0:\n", "tests/statistics/test_rank_cap.py"),
    ("more rows do not help", "effects/power.py", "+ rows * self.signal", "+ self.signal", "tests/effects/test_power.py::test_more_rows_see_more_as_a_stronger_effect_does"),
    ("null labels without the effect among the residuals", "effects/power.py", "weights = product.weights.T / self._louder(product, base, change)", "weights = product.weights.T", "tests/effects/test_power.py::test_the_columns_are_those_of_a_test_of_the_changed_table"),
    ("an effect in every row", "effects/power.py", "_moments(tau * T, product.phi, change)", "_moments(tau, product.phi, change)", "tests/effects/test_power.py::test_a_shift_is_seen_as_often_as_whole_tests_see_it"),
    ("redrawn outcomes are the old ones", "effects/redraw.py", "moved = own[donors] + self.predicted - self.predicted[donors]", "moved = own", "tests/effects/test_redraw.py::test_outcomes_follow_the_covariates_and_labels_the_propensity_and_nothing_else"),
    ("rows of a block from many blocks", "effects/redraw.py", "given = self._members[blocks[own]]", "given = rng.permutation(len(self.score))", "tests/effects/test_redraw.py::test_rows_of_a_block_get_theirs_from_one_block"),
    ("as many ones as zeros turn", "effects/alternatives.py", "own.column != code) < size / max(room, 1e-300)", "own.column != code) < size", "tests/effects/test_alternatives.py::test_the_share_of_a_class_rises_and_classes_stay_classes"),
]  # fmt: skip


def survives(mutant, folder):
    """Run the mutant's test in a copy of the tree; True if it passes, which it must not."""
    _, file, right, wrong, test = mutant
    copy = Path(folder) / "tree"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for part in ("src", "tests", "benchmarks", "experiments"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    target = copy / "src" / "condmmd" / file
    text = target.read_text()
    if text.count(right) != 1:
        raise SystemExit(f"{file}: {right!r} stands there {text.count(right)} times; mend this list.")
    target.write_text(text.replace(right, wrong))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False)  # noqa: S603
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return done.returncode == 0


def main():
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        for mutant in MUTANTS:
            alive = survives(mutant, folder)
            survivors += alive
            print(f"{'SURVIVES' if alive else 'caught':<9} {mutant[0]}: {mutant[4]}", flush=True)
    print(f"{len(MUTANTS) - survivors} of {len(MUTANTS)} mutants caught")
    return survivors > 0


if __name__ == "__main__":
    sys.exit(main())
