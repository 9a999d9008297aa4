"""The lists of what is broken on purpose fit the source (``make mutants`` runs them, which takes minutes)."""

import pytest

from tests.mutants import MUTANTS, ROOT, SURVIVORS


@pytest.mark.parametrize("entry", [*MUTANTS, *SURVIVORS], ids=lambda entry: entry[0])
def test_the_right_line_is_there_once(entry):
    _, file, right, wrong, _ = entry
    text = (ROOT / "src" / "condmmd" / file).read_text()
    assert text.count(right) == 1, f"{file}: mend this line of tests/mutants"
    assert right != wrong
    compile(text.replace(right, wrong), file, "exec")


def test_each_has_a_name_of_its_own_and_a_test_that_is_there():
    names = [entry[0] for entry in (*MUTANTS, *SURVIVORS)]
    assert sorted(set(names)) == sorted(names)
    for what, *_, test in MUTANTS:
        path, _, function = test.partition("::")
        assert f"def {function.partition('[')[0]}" in (ROOT / path).read_text(), what
