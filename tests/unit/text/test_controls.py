"""Characters that steer what shows a text."""

import json

import pytest

from pincite.text.characters import with_controls_escaped, with_controls_shown, without_controls

STEERING = [
    *("\x00", "\x07", "\x08", "\x1b", "\x7f", "\x85", "\x9b"),
    *("\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"),
]


@pytest.mark.parametrize("sign", STEERING, ids=ascii)
def test_no_control_gets_through(sign):
    text = f"a{sign}b"
    assert without_controls(text) == "ab"
    assert with_controls_shown(text) == "a�b"
    escaped = with_controls_escaped(json.dumps(text, ensure_ascii=False))
    assert escaped.isprintable()
    assert json.loads(escaped) == text


def test_tabs_lines_and_letters_of_all_scripts_stay():
    text = "a\tb\nc\r\nשלום مرحبا 日本語 e\u0301 \u200d"
    assert without_controls(text) == text
