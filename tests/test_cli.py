"""The command line: every kind of file, every exit status, and nothing half-written."""

import gzip
import json
import os
import runpy
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from condmmd import cli, cmmd_test


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "age": rng.integers(20, 60, 160),
        "town": np.array(["a", "b", "c"])[rng.integers(3, size=160)],
        "zip": rng.integers(1, 4, 160),
        "treated": np.repeat([1, 0], 80),
    })  # fmt: skip
    frame["y"] = 0.1 * frame.age + frame.treated * (frame.town == "a") * 4 + rng.normal(size=160)
    return frame


@pytest.fixture
def file(table, tmp_path):
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    return path


def run(*arguments):
    return cli.main([str(a) for a in arguments])


FAST = ("--resamples", "99", "--no-where")
ROLES = ("--outcome", "y", "--group", "treated")


def answer(capsys, *arguments):
    assert run("test", *arguments, "--json", "--quiet", *FAST) == 0
    return json.loads(capsys.readouterr().out)


def test_text_and_notes(file, capsys):
    assert run("test", file, *ROLES, "--categorical", "zip", "--resamples", "99") == 0
    out, err = capsys.readouterr()
    assert out.startswith("The distribution of y given age, town, zip differs between treated = 1 and treated = 0")
    assert "What moved?" in out
    assert "town is a" in out
    assert "covariate  zip: category (3 values)" in err
    assert "covariate  age: number" in err


def test_all_formats_agree(table, file, tmp_path, capsys, monkeypatch):
    expected = answer(capsys, file, *ROLES)["pvalue"]
    others = {name: tmp_path / name for name in ("t.tsv", "t.csv.gz", "t.parquet", "t.semicolon", "latin.csv")}
    table.to_csv(others["t.tsv"], index=False, sep="\t")
    table.to_csv(others["t.csv.gz"], index=False)
    table.assign(town=table.town.astype("category")).to_parquet(others["t.parquet"])
    table.to_csv(others["t.semicolon"], index=False, sep=";")
    table.to_csv(others["latin.csv"], index=False, encoding="latin-1")
    for path in others.values():
        assert answer(capsys, path, *ROLES)["pvalue"] == expected, path
    for path in (file, others["t.csv.gz"], others["t.parquet"]):
        with path.open("rb") as stream:
            monkeypatch.setattr(sys, "stdin", type("S", (), {"buffer": stream})())
            assert answer(capsys, "-", *ROLES)["pvalue"] == expected


def test_the_same_as_python(table, file, capsys):
    X = table[["age", "town", "zip"]].astype({"age": float, "zip": float})
    result = cmmd_test(X, table[["y"]], table.treated, n_resamples=99, rng=0)
    assert answer(capsys, file, *ROLES)["pvalue"] == result.pvalue


def test_two_files(table, tmp_path, capsys):
    for name, value in (("after", 1), ("before", 0)):
        table[table.treated == value].drop(columns="treated").to_csv(tmp_path / f"{name}.csv", index=False)
    one = answer(capsys, tmp_path / "after.csv", tmp_path / "before.csv", "--outcome", "y")
    assert one["labels"] == {"P": "after", "Q": "before"}
    assert one["n_obs"] == {"P": 80, "Q": 80}
    assert run("test", tmp_path / "after.csv", tmp_path / "before.csv", *ROLES) == 2


def test_groups(table, tmp_path, capsys):
    path = tmp_path / "t.csv"
    table.drop(columns="treated").to_csv(path, index=False)
    assert run("test", path, "--outcome", "y", "--group", "town") == 2
    assert "it has 3: 'a', 'b', 'c'. Name the two to compare: --groups P Q." in capsys.readouterr().err
    found = answer(capsys, path, "--outcome", "y", "--group", "town", "--groups", "c", "a")
    assert found["labels"] == {"P": "town = c", "Q": "town = a"}
    assert run("test", path, "--outcome", "y", "--group", "town", "--groups", "c", "z") == 2


def test_missing_values(table, tmp_path, capsys):
    path = tmp_path / "t.csv"
    table.assign(age=table.age.where(table.age > 22)).to_csv(path, index=False)
    gone = int((table.age <= 22).sum())
    assert gone
    assert run("test", path, *ROLES, *FAST) == 2
    assert f"{gone} of 160 rows have missing values (age {gone})" in capsys.readouterr().err
    found = answer(capsys, path, *ROLES, "--drop-missing")
    assert sum(found["n_obs"].values()) == 160 - gone
    assert f"{gone} rows with missing values were left out" in found["notes"]


def test_fail_under(file, table, tmp_path):
    assert run("test", file, *ROLES, *FAST, "--quiet", "--fail-under", "0.05") == 1
    same = tmp_path / "same.csv"
    table.assign(y=table.age + np.random.default_rng(1).normal(size=160)).to_csv(same, index=False)
    assert run("test", same, *ROLES, *FAST, "--quiet", "--fail-under", "0.05") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", *ROLES], "there is no file nowhere.csv"),
        (["FILE", "--outcome", "y"], "--group, or give two files"),
        (["FILE", "--outcome", "income", "--group", "treated"], "no column 'income'; it has 'age'"),
        (["FILE", *ROLES, "--covariates", "y"], "'y' can have one role only"),
        (["FILE", *ROLES, "--categorical", "zap"], "no column 'zap'"),
        (["FILE", *ROLES, "--numeric", "town"], "'town' is to be numbers, but 3 of its 3"),
        (["FILE", *ROLES, "--resamples", "5"], "--significance 0.05 needs --resamples of at least 19"),
        (["FILE", *ROLES, "--resamples", "99", "--fail-under", "0.001"], "--fail-under 0.001 needs --resamples of at"),
        (["FILE", *ROLES, "--trim", "0.7"], "--trim must be between"),
        (["FILE", *ROLES, "--trim", "0.1", "--propensity", "equal"], "with --propensity equal there is none"),
        (["FILE", *ROLES, "--jobs", "0"], "--jobs must be at least 1"),
        (["FILE", *ROLES, "--report", "-"], "--report must be a file"),
        (["FILE", *ROLES, "--report", "FILE", "--overwrite"], "is the table itself"),
        (["FILE", *ROLES, "--report", "a.x", "--json-file", "a.x"], "name two files"),
        (["--outcome", "y", "FILE"], "name the file first"),
        (["FILE", *ROLES, "--fail-under", "5"], "--fail-under must be between"),
        (["FILE", *ROLES, "--seed", "-1"], "--seed must not be negative"),
        (["FILE", *ROLES, "--report", "no/such/folder/r.html"], "there is no folder"),
        (["FILE", *ROLES, "--delimiter", "ab"], "--delimiter must be one character"),
        (["FILE"], "the following arguments are required: --outcome"),
    ],
)
def test_bad_input(file, arguments, message, capsys):
    assert run("test", *[file if a == "FILE" else a for a in arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_bad_files(tmp_path, capsys):
    contents = {
        "empty.csv": (b"", "is empty"),
        "twice.csv": (b"y,y,g\n1,2,1\n", "more than one column called 'y'"),
        "ragged.csv": (b"y,x,g\n1,2,1\n1,2\n", "could not be read"),
        "latin.csv": ("y,x,g\né,2,1\n".encode("latin-1"), "--encoding"),
        "cut.gz": (gzip.compress(b"y,x,g\n" + b"1,2,1\n" * 5000)[:60], "could not be read"),
        "cut.parquet": (b"PAR1 and then nothing", "could not be read"),
        "header.csv": (b"y,x,g\n", "no rows"),
        "ids.csv": (
            b"y,x,g\n" + b"".join(b"%d,id%d,%d\n" % (k, k, k % 2) for k in range(60)),
            "identifier or free text",
        ),
        "utf16.csv": ("y,x,g\n1,2,1\n".encode("utf-16"), "utf-16"),
        "header.latin.csv": ("y,é,g\n1,2,1\n".encode("latin-1"), "--encoding"),
        "mark.csv": (
            b"y,x,g\n" + b"".join(b"%d,%s,%d\n" % (k, b"?" if k == 7 else b"%d" % k, k % 2) for k in range(40)),
            "looks like numbers, but 1 of its 40 different values are not, such as '?'",
        ),
        "thousands.csv": (
            b"y,x,g\n" + b"".join(b'%d,"%d,000",%d\n' % (k, k + 1, k % 2) for k in range(40)),
            "without separators of thousands",
        ),
        "void.csv": (b"y,x,g\n" + b"1,,1\n2,,0\n" * 5, "'x' is empty"),
        "one.csv": (b"y,x,g\n" + b"1,2,1\n" * 5, "two different values; it has 1: '1'"),
        "few.csv": (b"y,x,g\n" + b"1,2,1\n" * 5 + b"1,2,0\n", "at least 2 are needed"),
    }
    for name, (content, message) in contents.items():
        (tmp_path / name).write_bytes(content)
        assert run("test", tmp_path / name, "--outcome", "y", "--group", "g", *FAST) == 2, name
        assert message in capsys.readouterr().err, name
    assert run("test", tmp_path, "--outcome", "y", "--group", "g") == 2


def test_measure(file, capsys):
    assert run("measure", file, *ROLES, "--level", "0", "1", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["levels"]["0"] > found["levels"]["1"] > 0
    assert run("measure", file, *ROLES) == 0
    assert "CMMD^2" in capsys.readouterr().out


def test_files_are_not_overwritten(file, tmp_path, capsys):
    target = tmp_path / "answer.json"
    target.write_text("mine")
    assert run("test", file, *ROLES, *FAST, "--json-file", target) == 2
    assert "add --overwrite" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run("test", file, *ROLES, *FAST, "--json-file", target, "--overwrite") == 0
    assert json.loads(target.read_text())["differs"] is True


def test_nothing_is_left_half_written(file, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    folder.mkdir()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("condmmd.present.report.Path.replace", fail)
    assert run("test", file, *ROLES, *FAST, "--json-file", folder / "a.json", "--report", folder / "a.html") == 2
    assert list(folder.iterdir()) == []


def test_help_version_and_nothing(capsys):
    assert run() == 0
    assert "examples:" in capsys.readouterr().out
    assert run("--version") == 0
    assert capsys.readouterr().out.strip() == "0.1.0"
    assert run("test", "--help") == 0
    assert "a randomised trial" in " ".join(capsys.readouterr().out.split())
    assert run("nonsense") == 2


def test_an_assumption_that_the_data_contradict_is_told(table, tmp_path, capsys):
    path = tmp_path / "moved.csv"
    table.assign(age=table.age + 20 * table.treated).to_csv(path, index=False)
    found = answer(capsys, path, *ROLES, "--propensity", "equal")
    assert any("X differs (p = " in note for note in found["notes"])
    assert not any("X differs" in note for note in answer(capsys, path, *ROLES)["notes"])


def test_trimmed_rows_are_left_out_everywhere(table, tmp_path, capsys):
    path = tmp_path / "moved.csv"
    table.assign(age=table.age + 10 * table.treated).to_csv(path, index=False)
    whole, trimmed = answer(capsys, path, *ROLES), answer(capsys, path, *ROLES, "--trim", "0.2")
    assert trimmed["trimmed"] > 0
    assert trimmed["moved"]["X"]["statistic"] != whole["moved"]["X"]["statistic"]
    assert "rows left by trim" in trimmed["verdict"]


def test_a_fault_of_ours_is_not_an_answer(file, monkeypatch, capsys):
    def fail(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "cmmd_test", fail)
    assert run("test", file, *ROLES, *FAST) == 70
    assert "internal error: ZeroDivisionError: oops" in capsys.readouterr().err


def test_the_demo_keeps_what_is_there(tmp_path, capsys):
    (tmp_path / "diabetes.csv").write_text("mine")
    assert run("demo", "--folder", tmp_path) == 2
    assert (tmp_path / "diabetes.csv").read_text() == "mine"
    (tmp_path / "diabetes.csv").unlink()
    (tmp_path / "demo.html").write_text("mine")
    assert run("demo", "--folder", tmp_path) == 2
    assert (tmp_path / "demo.html").read_text() == "mine"


def test_demo(tmp_path, capsys):
    assert run("demo", "--folder", tmp_path) == 0
    assert "The distribution of progression given age, bmi, bp, tc" in capsys.readouterr().out
    assert (tmp_path / "demo.html").stat().st_size > 100_000


def test_python_m_condmmd(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["condmmd", "--version"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("condmmd", run_name="__main__")
    assert stop.value.code == 0


# ---- fuzz -----------------------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(exclude_characters="\r\n\x00", exclude_categories=["Cs"]), min_size=1, max_size=8)
CELLS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.sampled_from(["", "NA", "true", "2020-01-01", "x", "y", "<script>", '"', "$a$", "1e400", "0x10", " ", "é"]),
    st.text(max_size=4),
)


def columns_of(draw, kind, rows, rng):
    if kind == "numbers":
        return [f"{v:.3g}" for v in rng.normal(size=rows) * 10.0 ** rng.integers(-3, 8)]
    if kind == "few":
        return [str(v) for v in rng.choice(draw(st.lists(CELLS, min_size=1, max_size=3)), size=rows)]
    if kind == "labels":
        return [str(v) for v in rng.choice(draw(st.lists(NAMES, min_size=2, max_size=2, unique=True)), size=rows)]
    if kind == "dates":
        return [str(v) for v in np.datetime64("2020-01-01") + rng.integers(0, 900, size=rows)]
    return draw(st.lists(CELLS, min_size=rows, max_size=rows))


@st.composite
def tables(draw):
    """A CSV file with a group, an outcome and covariates, as people have them; and now and then anything at all."""

    def seldom(times=8):
        return draw(st.integers(0, times - 1)) == times // 2

    names = draw(st.lists(NAMES, min_size=3, max_size=6, unique=not seldom()))
    rows = draw(st.integers(0, 5) if seldom() else st.integers(12, 40))
    others = [
        draw(st.sampled_from(["numbers", "numbers", "labels", "labels", "few", "dates", "any"])) for _ in names[2:]
    ]
    kinds = [draw(st.sampled_from(["any", "few"])) if seldom() else "labels", "numbers", *others]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [columns_of(draw, kind, rows, rng) for kind in kinds]
    cell = str if seldom() else (lambda c: '"' + c.replace('"', '""') + '"')
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    lines = [delimiter.join(map(cell, names)), *(delimiter.join(map(cell, row)) for row in zip(*columns, strict=True))]
    text = "\n".join(lines).encode("utf-8", errors="replace")
    pick = st.sampled_from([*names, "missing"])
    arguments = [f"--outcome={draw(pick) if seldom() else names[1]}", f"--group={draw(pick) if seldom() else names[0]}"]
    if seldom(3):
        chosen = pick if seldom() else st.sampled_from(names[2:])
        arguments += [f"--covariates={name}" for name in draw(st.lists(chosen, min_size=1, max_size=3))]
    arguments += [f"{flag}={draw(pick)}" for flag in ("--categorical", "--numeric") if seldom()]
    arguments += [flag for flag in ("--json", "--overwrite", "--quiet") if draw(st.booleans())]
    if not seldom(3):
        arguments.append("--drop-missing")
    if seldom():
        values = columns[0] if rows and not seldom() else draw(st.lists(CELLS, min_size=1, max_size=2))
        arguments += ["--groups", values[0], values[-1]]
    command = draw(st.sampled_from(["test", "test", "test", "measure"]))
    if command == "test" and seldom():
        arguments.append("--trim=" + draw(st.sampled_from(["0.1", "0.4", "2", "nan", "x"])))
    if command == "test" and seldom(30):
        arguments += ["--report", "REPORT"]
    return text, command, arguments


@settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=tables())
def test_fuzz(case, tmp_path_factory, capsys):
    """An answer or a clear error: never a traceback, never a file that is half there."""
    text, command, arguments = case
    folder = tmp_path_factory.mktemp("fuzz")
    source = folder / "in.csv"
    source.write_bytes(text)
    json_file = folder / "out.json"
    arguments = [str(folder / "r.html") if a == "REPORT" else a for a in arguments]
    extra = ["--resamples", "39"] if command == "test" else []
    status = cli.main([command, str(source), *arguments, *extra, "--json-file", str(json_file)])
    out, err = capsys.readouterr()
    event(f"{command}, status {status}")
    assert status in (0, 2)
    assert "Traceback" not in err
    if status == 2:
        assert "error" in err
        assert not json_file.exists()
    else:
        json.loads(json_file.read_text())
        if "--json" in arguments:
            json.loads(out)
    for path in folder.glob("r.html"):
        assert path.read_text().rstrip().endswith("</html>")
    assert {p.name for p in folder.iterdir()} <= {"in.csv", "out.json", "r.html"}
