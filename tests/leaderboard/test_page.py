"""The page: what does not keep its level is marked, its power is in brackets, and everything chosen runs."""

import pytest

from benchmarks.leaderboard import __main__ as command
from benchmarks.leaderboard.page import not_had, page, time_cell
from benchmarks.leaderboard.pictures import colour, draw
from benchmarks.leaderboard.problems import PAIRED, Problem
from benchmarks.leaderboard.registry import METHODS, OURS, WRITTEN, Method
from benchmarks.leaderboard.tables import Rate, is_broken, is_merit, ranked, row_of
from tests.leaderboard.test_running import draw as draw_pairs
from tests.leaderboard.test_running import heads

NULLS = [Problem(name, PAIRED, True, draw_pairs, "") for name in ("null one", "null two")]
OF_ONE, OF_ANY = (Problem(f"of {of}", PAIRED, False, draw_pairs, "", of=of) for of in ("null one", ""))
OF_TWO = Problem("of null two", PAIRED, False, draw_pairs, "", of="null two")
PROBLEMS = [*NULLS, OF_ONE, OF_TWO, OF_ANY]


def record(*hits, trials=100):
    cells = {
        problem.name: {"pvalues": [0.01] * k + [0.5] * (trials - k), "seconds": [0.2, 0.1]}
        for problem, k in zip(PROBLEMS, hits, strict=True)
    }
    return {"missing": None, "versions": {}, "problems": cells}


HONEST, LIAR, MISSING = (
    Method(name, PAIRED, heads, origin, "") for name, origin in (("honest", OURS), ("liar", WRITTEN), ("gone", WRITTEN))
)
RECORDS = {
    LIAR: record(30, 5, 95, 90, 85),
    HONEST: record(7, 2, 60, 50, 40),
    MISSING: {"missing": "no such package", "versions": {}, "problems": {}},
}
ROWS = ranked([row for method in RECORDS if (row := row_of(method, RECORDS[method], PROBLEMS)).rates])


def test_a_level_is_not_kept_beyond_chance():
    """Of 100 trials 12 or more: P(Bin(100, 0.05) >= 12) = 0.0043 and P(>= 13) = 0.0015, against 0.01 over two nulls."""
    assert [is_broken(Rate(k, 100), 2) for k in (0, 5, 11, 12, 30)] == [False, False, False, True, True]
    assert not is_broken(Rate(2, 10), 1)  # few trials say little


def test_power_counts_where_the_null_that_it_was_made_from_holds():
    honest, liar = ROWS
    assert (honest.method, liar.method) == (HONEST, LIAR)  # although the other has more power
    assert liar.broken == ("null one",)
    assert [is_merit(liar, problem) for problem in (OF_ONE, OF_TWO, OF_ANY)] == [False, True, False]
    assert all(is_merit(honest, problem) for problem in PROBLEMS)
    assert honest.seconds == pytest.approx(0.1)


def test_a_mean_of_fewer_alternatives_comes_later():
    few = row_of(MISSING, record(5, 5, 99, 99, 99), [*NULLS, OF_ONE])
    assert [row.method.name for row in ranked([few, *ROWS])] == ["honest", "gone", "liar"]
    early = row_of(MISSING, record(0, 0, 10, 10, 10, trials=10), PROBLEMS)
    assert [row.method.name for row in ranked([early, *ROWS])] == ["honest", "gone", "liar"]


def test_the_page_marks_it():
    text = page({PAIRED: ROWS}, RECORDS, {PAIRED: PROBLEMS}, 199)
    assert "| liar † | 0.30 ±0.05 | 0.05 ±0.02 | null one | 100 |" in text
    assert "| liar † | (0.95 ±0.02) | 0.90 ±0.03 | (0.85 ±0.04) | 0.90 of 3 | 0.1 |" in text
    assert "| **honest** | 0.60 ±0.05 | 0.50 ±0.05 | 0.40 ±0.05 | 0.50 of 3 | 0.1 |" in text
    assert "- gone: no such package" in not_had(RECORDS)
    assert "Of 2 methods 1 did not keep a level." in text
    assert "the most mean power had honest (0.50)." in text


def test_times_and_what_took_too_long():
    slow = {"problems": {"500": {"pvalues": [None], "seconds": [60.0], "error": "over 60 s"}}}
    fast = {"problems": {"500": {"pvalues": [0.3], "seconds": [4.0, 2.0]}}}
    problem = Problem("500", PAIRED, True, draw_pairs, "", trials=3)
    assert [time_cell(r, problem, 0.5) for r in (slow, fast)] == ["over 60 s", "2 (4)"]


def test_what_is_rejected_more_is_darker():
    for problem in (NULLS[0], OF_ANY):
        light = [sum(colour(problem, Rate(k, 10), True)[:3]) for k in (1, 3, 4, 10)]
        assert light == sorted(light, reverse=True)
        assert light[0] > light[-1]
    assert colour(OF_ANY, Rate(10, 10), False)[:3] == (1.0, 1.0, 1.0)


def test_the_picture(tmp_path):
    assert draw(PAIRED, ROWS, PROBLEMS, tmp_path) == "pairs"
    assert (tmp_path / "figures" / "pairs.png").stat().st_size > 5000
    assert (tmp_path / "figures" / "pairs.svg").exists()


@pytest.mark.parametrize("question", command.QUESTIONS)
def test_one_command(question, tmp_path, capsys):
    """A null and an alternative of each question with the fast methods that are no packages; two trials."""
    problems = [p for p in command.all_problems() if p.question == question and not p.timed and p.rows.startswith("1")]
    words = [next(p.name for p in problems if p.null == null) for null in (True, False)]
    slow = ("condmmd", "KCD", "smoothed")
    methods = [m.name for m in METHODS if m.question == question and callable(m.call) and not m.name.startswith(slow)]
    arguments = ["--questions", question, "--problems", *words, "--trials", "2", "--resamples", "20"]
    assert command.main([*arguments, "--out", str(tmp_path), "--only", *methods]) in {0, 3}
    text = (tmp_path / "README.md").read_text()
    for name in methods:
        assert f"{name}" in text
    assert "failed" not in text.split("## What could not be had")[1]
    assert (tmp_path / "figures" / f"{question.replace(' ', '_')}.svg").exists()


def test_a_whole_name_chooses_one():
    names = [method.name for method in command.chosen(METHODS, ["condmmd", "xKTE, sm"])]
    assert set(names) == {"condmmd", "xKTE, smoothed"}


def test_bad_options_are_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["--trials", "0"])
    assert "must be positive" in capsys.readouterr().err
