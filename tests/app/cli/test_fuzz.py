"""Files and arguments as people have them, and now and then anything at all."""

import json
import os
import shlex

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from condmmd.app import files
from tests.app.cli.test_answers import schema_of
from tests.app.command_line import run
from tests.app.schema_check import faults

NAMES = st.text(st.characters(exclude_characters="\r\n\x00", exclude_categories=["Cs"]), min_size=1, max_size=8)
CELLS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.sampled_from(["", "NA", "true", "2020-01-01", "x", "y", "<script>", '"', "$a$", "1e400", "0x10", " ", "é"]),
    st.sampled_from(["$1,234.50", "1 234,50 €", "(5)", "1,234", "12,5", "03/04/2020", "31.12.2020", "31/12/20", "5%"]),
    st.text(max_size=4),
)


def columns_of(draw, kind, rows, rng):
    if kind == "numbers":
        return [f"{v:.3g}" for v in rng.normal(size=rows) * 10.0 ** rng.integers(-3, 8)]
    if kind in {"few", "labels"}:
        two = st.lists(NAMES, min_size=2, max_size=2, unique=True)
        values = draw(st.lists(CELLS, min_size=1, max_size=3) if kind == "few" else two)
        return [str(v) for v in rng.choice(values, size=rows)]
    if kind == "amounts":
        written = draw(st.sampled_from(["${:,.2f}", "{:,.0f}", "{:.1f} €", "CHF {:.2f}", "{:.0f}%"]))
        return [written.format(v) for v in rng.normal(size=rows) * 10.0 ** rng.integers(0, 7)]
    if kind == "dates":
        written = draw(st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%y", "%Y/%m/%d"]))
        days = np.datetime64("2020-01-01") + rng.integers(0, 900, size=rows)
        return [day.strftime(written) for day in days.tolist()]
    if kind == "units":
        several = draw(st.sampled_from([1, 2]))
        return [f"u{k // several}" for k in range(rows)]
    return draw(st.lists(CELLS, min_size=rows, max_size=rows))


@st.composite
def tables(draw):
    """A CSV file with a group, an outcome and covariates, as people have them; and now and then anything at all."""

    def seldom(times=8):
        return draw(st.integers(0, times - 1)) == times // 2

    names = draw(st.lists(NAMES, min_size=3, max_size=6, unique=not seldom()))
    rows = draw(st.integers(0, 5) if seldom() else st.integers(12, 40))
    others = [
        draw(
            st.sampled_from(
                ["numbers", "numbers", "labels", "labels", "few", "dates", "dates", "amounts", "units", "any"]
            )
        )
        for _ in names[2:]
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
    arguments += [f"{flag}={draw(pick)}" for flag in ("--categorical", "--numeric", "--exclude") if seldom()]
    arguments += [flag for flag in ("--json", "--overwrite", "--quiet", "--full") if draw(st.booleans())]
    if not seldom(3):
        arguments.append("--drop-missing")
    if seldom():
        values = columns[0] if rows and not seldom() else draw(st.lists(CELLS, min_size=1, max_size=2))
        arguments += ["--groups", values[0], values[-1]]
    if seldom(4):
        arguments += ["--names", draw(NAMES), draw(st.sampled_from(["controls", "日本", "<i>b</i>", "$x$"]))]
    command = draw(st.sampled_from(["test", "test", "test", "measure", "look", "look"]))
    if command == "look":
        arguments = [
            word for word in arguments if not (word.startswith(("--outcome", "--group=")) and draw(st.booleans()))
        ]
        arguments = [word for word in arguments if word != "--drop-missing"] + ["--drop-missing"] * seldom()
    if command in {"test", "look"} and seldom(5):
        arguments.append(f"--blocks={draw(pick)}")
    arguments += ["--sheet=x"] * seldom(30)
    if command == "test" and seldom():
        arguments.append("--trim=" + draw(st.sampled_from(["0.1", "0.4", "2", "nan", "x"])))
    if command == "test" and seldom(30):
        arguments += ["--report", "REPORT"]
    return text, command, arguments, seldom(3)


@settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=tables())
def test_fuzz(case, tmp_path_factory, capsys):
    """An answer that keeps its schema or a clear error: never a traceback, never a file that is half there."""
    text, command, arguments, plain = case
    folder = tmp_path_factory.mktemp("fuzz")
    source = folder / "in.csv"
    source.write_bytes(text)
    json_file = folder / "out.json"
    arguments = [str(folder / "r.html") if a == "REPORT" else a for a in arguments]
    extra = ["--resamples", "39"] if command == "test" else []
    with pytest.MonkeyPatch.context() as patch:
        if plain:
            patch.setattr(files, "find_spec", lambda _: None)
        status = run(command, source, *arguments, *extra, "--json-file", json_file)
        out, err = capsys.readouterr()
        event(f"{command}, status {status}")
        assert status in (0, 2), err
        assert "Traceback" not in err
        if status == 2:
            assert "error" in err
            assert not json_file.exists()
        else:
            answer = json.loads(json_file.read_text())
            assert list(faults(answer, schema_of(command))) == []
            if "--json" in arguments:
                json.loads(out)
            if command == "look" and answer["command"]:
                check_command(answer["command"], capsys)
    for path in folder.glob("r.html"):
        assert path.read_text().rstrip().endswith("</html>")
    assert {p.name for p in folder.iterdir()} <= {"in.csv", "out.json", "r.html"}


def check_command(line, capsys):
    """What is suggested is understood and read without fault; a test may have reasons against it that a look lacks."""
    status = run(*shlex.split(line)[1:], "--resamples", "39", "--no-where", "--quiet")
    err = capsys.readouterr().err
    event(f"suggested, status {status} {err[:70]}".strip())
    assert status in (0, 2), err
    assert "usage:" not in err
    assert "column" not in err.split("no overlap")[0], f"{line}: {err}"
