"""Files and arguments as people have them, and now and then anything at all."""

import json
import os

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.app.command_line import run

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
    status = run(command, source, *arguments, *extra, "--json-file", json_file)
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
