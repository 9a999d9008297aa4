"""Findings in words: warnings first, all of it in JSON."""

import json

from condmmd.explain import Diagnostics, Finding

FINE = Finding("rows", "fine", "Enough rows.")
NOTE = Finding("residuals", "note", "A little is left.", "Look closer.", {"share": 0.02})
WARNING = Finding("overlap", "warning", "Hardly any overlap.", "Use trim=0.05.", {"rows": 3})


def test_a_warning_speaks_first_and_is_not_ok():
    found = Diagnostics((FINE, NOTE, WARNING))
    assert not found.ok
    assert found.told == (WARNING, NOTE)
    text = found.summary()
    assert (
        text.index("Hardly any overlap. Use trim=0.05.") < text.index("A little is left.") < text.index("Enough rows.")
    )
    assert text.startswith("What speaks against the result:")


def test_notes_are_no_warning():
    assert Diagnostics((FINE, NOTE)).ok
    assert Diagnostics((FINE,)).summary().startswith("No check speaks against the result.")


def test_json_has_it_all():
    plain = json.loads(json.dumps(Diagnostics((FINE, NOTE)).to_dict()))
    assert plain["ok"] is True
    assert plain["findings"][1] == {
        "kind": "residuals", "severity": "note", "message": "A little is left.", "remedy": "Look closer.",
        "numbers": {"share": 0.02},
    }  # fmt: skip
