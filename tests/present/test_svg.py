"""Pictures as elements of a page."""

import re
import xml.etree.ElementTree as ET

import pytest

from condmmd.present.svg import inline_svg


def drawn(name="c0", text="収入 <b>", size=(3.0, 2.0)):
    def draw(figure):
        ax = figure.subplots()
        ax.plot([0.123456789, 1.0], [0.0, 1.0], "o-", color="C0", label="p = 0.00123", gid="points-p")
        ax.set_xlabel(text)
        ax.legend()

    return inline_svg(draw, name, 'what "it" shows', size)


def test_it_is_one_element_with_a_text_alternative():
    found = ET.fromstring(drawn())  # noqa: S314 - our own
    assert found.attrib["role"] == "img"
    assert found.attrib["aria-label"] == 'what "it" shows'
    assert found.attrib["viewBox"] == "0 0 216 144"
    assert "{http://www.w3.org/2000/svg}style" not in {element.tag for element in found.iter()}


def test_text_is_text_whatever_the_script_and_numbers_in_it_are_whole():
    text = "".join(ET.fromstring(drawn()).itertext())  # noqa: S314
    assert "収入 <b>" in text
    assert "p = 0.00123" in text
    assert not re.search(r'\bd="[^"]*\d\.\d{3}', drawn())


def test_ids_are_its_own_and_known():
    one, other = drawn("c0"), drawn("c1")
    ids = re.findall(r'\bid="([^"]*)"', one)
    assert "c0-points-p" in ids
    assert len(set(ids)) == len(ids)
    assert not set(ids) & set(re.findall(r'\bid="([^"]*)"', other))
    for used in re.findall(r'(?:href="#|url\(#)([^")]*)', one):
        assert used in ids
    assert drawn("c0") == one


@pytest.mark.parametrize("colour", ["#1f77b4", "#000000"])
def test_colours_are_those_of_the_page(colour):
    assert colour not in drawn()
    assert "var(--blue)" in drawn()


def test_names_that_leave_no_room_do_no_harm():
    assert drawn(text="a name of many characters " * 20).endswith("</svg>")
