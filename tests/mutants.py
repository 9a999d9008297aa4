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
    ("lambda of P used for Q", "contrasts.py", "_ridge(A_q, M_q, reg[1] * m)", "_ridge(A_q, M_q, reg[0] * m)", PROPERTIES + "test_symmetric_in_p_and_q"),
    ("joint weights of Q by n", "contrasts.py", "(1 - T) / m[:, None]", "(1 - T) / n[:, None]", PROPERTIES + "test_symmetric_in_p_and_q"),
    ("pivoting depends on row order, badly", "embedding/cholesky.py", "column *= own**-0.5", "column *= (own + float(left[0])) ** -0.5", PROPERTIES + "test_row_order_does_not_matter"),
    ("lengthscale from the rows of P", "problem.py", "resolve_kernel(kernel_x, samples.x, samples.gram_x)", "resolve_kernel(kernel_x, type(samples.x)(samples.x.values[samples.groups.t > 0], samples.x.columns, samples.x.argument), samples.gram_x)", PROPERTIES + "test_every_choice_is_blind_to_the_labels"),
    ("lengthscale squared", "kernels/gaussian.py", "r *= -0.5", "r *= -0.51", "tests/test_gold.py"),
    ("outcomes of Q are not subtracted", "contrasts.py", "(T[b] == 0, self.reg[1], -1.0)", "(T[b] == 0, self.reg[1], 0.0)", PROPERTIES + "test_zero_for_identical_samples"),
    ("complement moments lose M", "contrasts.py", "A_q, M_q = A - A_p, M - M_p\n    n, m", "A_q, M_q = A - A_p, M - 0.99 * M_p\n    n, m", PROPERTIES + "test_chunks_of_rows_and_batches_of_labels_add_up"),
    ("sigma weights inverted", "spectrum.py", "matching(s - power, sigma)", "matching(power - s, sigma)", PROPERTIES + "test_hierarchy_of_levels"),
    ("eigenvalues not divided by N", "embedding/embedding.py", "sigma = squares / n_rows(phi)", "sigma = squares / (n_rows(phi) + 1)", PROPERTIES + "test_bounds_by_the_mean_of_the_kernel"),
    ("dual ridge without n", "contrasts.py", "+= lam * len(index)", "+= lam", PROPERTIES + "test_low_rank_and_dual_agree"),
    ("last chunk dropped", "moments.py", "    parts = steps_of(n_rows(rows[0]), step)", "    parts = steps_of(n_rows(rows[0]) // step * step, step)", PROPERTIES + "test_chunks_of_rows_and_batches_of_labels_add_up"),
    ("second batch overwrites the first", "problem.py", "values[labels] = to_host(", "values[:] = to_host(", PROPERTIES + "test_chunks_of_rows_and_batches_of_labels_add_up"),
    ("frame columns taken in reverse", "samples/table.py", "np.column_stack(values)", "np.column_stack(values[::-1])", PROPERTIES + "test_array_and_frame_agree"),
    ("multinomial weight of a monomial", "kernels/polynomial.py", "ways //= factorial(power)", "ways //= power + 1", PROPERTIES + "test_explicit_features_agree_with_pivoted_cholesky"),
    ("mixture weights swapped", "spectrum.py", "shares = mixture / xp.clip(n, min=1.0), (1 - mixture) /", "shares = (1 - mixture) / xp.clip(n, min=1.0), mixture /", PROPERTIES + "test_mixture_agrees_with_the_literal_formula"),
    ("Nystrom extension not triangular", "kernels/features.py", "lower=True).T", "lower=False).T", PROPERTIES + "test_witness_agrees_with_the_literal_formula"),
    ("leverage ignored in leave-one-out", "regularization.py", "(1.0 - leverage) ** 2", "(1.0 - 0 * leverage) ** 2", "tests/test_regularization.py"),
    ("residual not updated", "embedding/cholesky.py", "left -= column\n", "left -= 0.5 * column\n", "tests/test_embedding.py"),
    ("NaN let through", "samples/table.py", "    _check_finite(table)\n    return table", "    return table", "tests/test_samples.py"),
    ("ties do not count", "combining.py", "null >= observed - TIE * abs(observed)", "null > observed + TIE * abs(observed)", "tests/test_testing.py::test_ties_count"),
    ("studentised by the null rows alone", "combining.py", "(logs - logs.mean(axis=0))", "(logs - logs[1:].mean(axis=0))", "tests/test_testing.py::test_the_combined_statistic_is_symmetric_in_the_rows"),
    ("leaf counts ignore the other leaves", "resampling/tables.py", "self.leaf_laws[g] * np.where(after >= 0, self.rest[g, np.maximum(after, 0)], 0.0)", "self.leaf_laws[g] * (self.rest[g, np.maximum(after, 0)] > 0) * (after >= 0)", "tests/test_resampling.py"),
    ("bad rows of a block are not seen", "embedding/embedding.py", "xp.stack([xp.min(diagonal), xp.max", "xp.stack([xp.max(diagonal), xp.max", "tests/test_scale.py::test_one_bad_row_of_many_is_seen"),
    ("what is left of characteristic functions is cut off", "resampling/laws.py", "LAST_FREQUENCY, REACH = 8.7, 11.0", "LAST_FREQUENCY, REACH = 5.0, 11.0", "tests/test_resampling.py::test_law_of_a_sum_from_powers"),
    ("powers of the wrong block of rows", "resampling/laws.py", "before = first % classes", "before = 0", "tests/test_resampling.py::test_law_of_a_sum_from_powers"),
    ("rows left over are numbered as if they began the table", "resampling/halving.py", "(first + left.start) >> level", "0", "tests/test_resampling.py::test_powers_of_halves"),
    ("laws of few random labels from too few powers", "resampling/laws.py", "if U[-1] * t[-1] ** (POWERS + 1) > NEGLIGIBLE:", "if False:", "tests/test_resampling.py::test_few_random_labels_are_not_told_by_powers"),
    ("converged fits go on from the wrong place", "logistic.py", "left = left[moving]", "left = left[: len(moving)]", "tests/test_logistic.py"),
    ("labels of Q from the sums of P", "contrasts.py", "A_q, M_q = A - A_p, M - M_p\n        B_p", "A_q, M_q = A_p.copy(), M - M_p\n        B_p", "tests/test_threads.py::test_sums_are_the_same"),
    ("the middle of misleading values", "kernels/stationary.py", "if own[0] < 0 or own[1] >= len(near):", "if False:", "tests/test_kernels.py::test_middle_of_many_values"),
    ("threads inside threads", "threads.py", "with one_blas_thread(), ThreadPoolExecutor(allowed) as pool:", "with ThreadPoolExecutor(allowed) as pool:", "tests/test_threads.py"),
    ("halves are kept whatever is left", "resampling/halving.py", "good = chance(t.seeds, t.j, t.attempts) * law.probabilities.max() < law(left)", "good = law(left) > 0", "tests/test_resampling.py::test_halving_sampler"),
    ("strata leak", "resampling/schemes.py", "+ self.strata[by_stratum]", "+ 0.1 * self.strata[by_stratum]", "tests/test_resampling.py::test_permutation_within_strata_is_uniform_there"),
    ("labels shuffled although X moved", "design.py", '"fixed-size" if scheme == "auto" else scheme', '"permutation"', "tests/test_testing.py::test_the_result_says_everything"),
    ("Gram matrices estimate from row numbers", "nuisance.py", "scores = Scores((), (), ())", "scores = Scores.of(x)", "tests/test_testing.py::test_gram_matrices"),
    ("one seed for all units", "running.py", "np.random.SeedSequence(entropy).spawn(len(sizes))", "[np.random.SeedSequence(entropy)] * len(sizes)", "tests/test_testing.py::test_units_of_labels_differ"),
    ("fourth moment of tau", "closed_form.py", "(kappa - v**2)", "kappa", "tests/test_closed_form.py"),
    ("orthogonal weights", "contrasts.py", "return (T - e) / (e * (1 - e))", "return T - e", "tests/test_closed_form.py"),
    ("residuals keep the fit", "residuals.py", "map_rows(subtract, y.phi, pooled.fitted, columns=y.rank)", "map_rows(lambda a, b: a - 0.5 * b, y.phi, pooled.fitted, columns=y.rank)", "tests/test_residuals.py"),
    ("diagonal kept in the unbiased MMD", "marginal.py", 'np.einsum("bj,bj->b", sum_p, sum_p) - own_p', 'np.einsum("bj,bj->b", sum_p, sum_p) - 0 * own_p', "tests/test_marginal.py"),
    ("intercept penalised", "logistic.py", "ridge[:, 1:] = 1 / C[:, None]", "ridge[:] = 1 / C[:, None]", "tests/test_logistic.py"),
    ("pseudo-outcomes with the misprinted sign", "contrasts.py", "@ B_p + second_moments(of_q, phi) @ B_q", "@ B_p - second_moments(of_q, phi) @ B_q", "tests/test_doubly_robust.py"),
    ("cross-fitting sees its own fold", "contrasts.py", "np.flatnonzero(self.folds != fold)", "np.flatnonzero(self.folds >= 0)", "tests/test_doubly_robust.py::test_cross_fitted_models_do_not_see_their_fold"),
    ("training rows stay in the statistic's model", "problem.py", "take(rows, inside) for rows in", "rows for rows in", "tests/test_doubly_robust.py::test_reference_values_with_ridge_embeddings"),
    ("block sizes ignored", "design.py", "np.column_stack([*columns, (size - size.mean())[:, None]])", "np.column_stack([*columns, 0 * (size - size.mean())[:, None]])", "tests/test_testing.py::test_blocks_of_other_sizes_are_told_apart"),
    ("weights of the embedding", "conditional.py", "(len(covariates.phi) * (sigma + self.reg_))", "(len(covariates.phi) * sigma + self.reg_)", "tests/test_conditional.py::test_weights_are_those_of_the_paper"),
    ("best penalty instead of the smallest as good", "logistic.py", "mean <= mean[best] + error", "mean <= mean[best]", "tests/test_logistic.py"),
    ("a row's category found one too far", "moments.py", "np.arange(1, r)", "np.arange(0, r - 1)", PROPERTIES + "test_features_that_exclude_each_other"),
    ("rows rotated without their scale", "logistic.py", "matching(U * s, Z)", "matching(U, Z)", "tests/test_logistic.py::test_more_columns_than_rows"),
    ("band from single points", "where/locate.py", "largest = z.max(axis=1)", "largest = z[:, 0]", "tests/test_where.py::test_null_marks_nothing_too_often"),
    ("regions of the labels, not of the difference", "where/locate.py", "R = T - e", "R = T", "tests/test_where.py"),
    ("Holm without the largest so far", "where/strata.py", "largest = max(largest, min(1.0,", "largest = max(0.0, min(1.0,", "tests/test_where.py::test_holm"),
    ("names not escaped in the report", "report.py", "autoescape=True", "autoescape=False", "tests/test_report.py::test_untrusted_text_is_escaped"),
    ("a part of a file is left behind", "report.py", "Path(name).unlink(missing_ok=True)", "pass", "tests/test_cli.py::test_nothing_is_left_half_written"),
    ("missing values taken as they are", "files.py", "if not missing:", "if True:", "tests/test_cli.py::test_missing_values"),
    ("single precision not refined", "contrasts.py", "int(np.ceil(DIGITS / digits))", "1", "tests/test_gold.py"),
    ("the median of one column one gap too far", "kernels/stationary.py", "ranks - int((below - own).sum())", "ranks - int((below - own).sum()) + 1", "tests/test_gold.py::test_median_heuristic"),
    ("in-sample residuals of the shift", "nuisance.py", "misfit / np.maximum(1.0 - features**2 @ shrink, 0.01)", "misfit * 0.9", "tests/test_where.py::test_what_does_not_vary_is_not_said_to_vary"),
    ("a centre that follows the labels", "design.py", 'if self.kind == "bernoulli":\n            return self.propensity.e', 'if self.kind == "bernoulli":\n            return self.propensity.at_prevalence', "tests/test_where.py::test_centre_is_that_of_the_scheme"),
    ("strata lose their scheme", "further.py", "if design.strata is not None:\n        propensity = Strata", "if False:\n        propensity = Strata", "tests/test_where.py::test_strata_are_told_apart_and_keep_their_scheme"),
    ("labels depend on the block, not on the row", "resampling/halving.py", "return slice((2**j - 1 - first) % 2 ** (j + 1), None, 2 ** (j + 1))", "return slice(2**j - 1, None, 2 ** (j + 1))", "tests/test_scale.py::test_null_labels_of_blocks_are_those_of_the_whole"),
    ("the sign is shifted in", "resampling/counters.py", "(z >> 30) & (2**34 - 1)", "(z >> 30)", "tests/test_resampling.py::test_numbers_are_those_of_splitmix"),
    ("what the sample missed stays missed", "embedding/embedding.py", "MAX_ROUNDS = 8", "MAX_ROUNDS = 1", "tests/test_embedding.py::test_pivots_of_many_rows_come_from_a_sample_and_then_from_what_it_missed"),
    ("blocks are added up without the last", "arrays/passes.py", "for k in range(0, len(parts), BRANCHES)", "for k in range(0, len(parts) - 1, BRANCHES)", "tests/test_scale.py::test_sums_over_many_blocks"),
    ("coefficients of the sample stand for all", "logistic.py", "beta = _fit_all(Z, t, float(chosen), beta)", "pass", "tests/test_logistic.py::test_all_rows_are_fitted_from_some"),
    ("a part of a file with all groups", "streaming.py", "table, t = table.filter(keep), of_p[keep].astype(np.float64)", "t = of_p.astype(np.float64)", "tests/test_scale.py::test_a_file_in_parts"),
    ("a device's group solved with the other's rows", "contrasts.py", "(self.reg[1], -1.0, ~labels)):\n            sizes", "(self.reg[1], -1.0, labels)):\n            sizes", "tests/test_devices.py::test_same_labels_same_p_value"),
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
