"""The encoding of a text: from its bytes first, then from what it declares."""

import pytest

from pincite.model.problems import InputError
from pincite.parsing.encoding import decoded, read_text

CZECH = "@misc{a, title={Žluťoučký kůň}}\r\n"


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("% Encoding: windows-1250\r\n", "cp1250"),
        ("% Encoding: ISO8859_2\n", "iso8859-2"),
        ("This file was created with JabRef 2.9.\nEncoding: Cp1250\n\n", "cp1250"),
        ("% -*- mode: bibtex; coding: windows-1250 -*-\n", "cp1250"),
    ],
)
def test_what_the_first_lines_declare(header, encoding):
    assert decoded((header + CZECH).encode(encoding)).text == header + CZECH


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_is_detected_by_its_bytes(encoding, tmp_path):
    text = "% Encoding: windows-1250\n" + CZECH
    path = tmp_path / "refs.bib"
    path.write_bytes(text.encode(encoding))
    assert read_text(path) == text
    path.write_bytes(b"\xfe\xff" + text.encode("utf-16-be"))
    assert read_text(path) == text


@pytest.mark.parametrize("declared", ["base64", "no-such", "utf-16", "UTF16", "ascii", ""])
def test_a_header_that_cannot_be_true_is_passed_over(declared):
    text = f"% Encoding: {declared}\ncafé"
    assert decoded(text.encode("latin-1")).text == text


def test_a_declaration_far_from_the_start_is_text():
    text = "x" * 2_000 + "\n% Encoding: windows-1250\né"
    assert decoded(text.encode("cp1252")).text == text


def test_half_a_character_of_utf_16_loses_nothing_else():
    assert decoded("abc".encode("utf-16") + b"\x00").text.startswith("abc")


def test_other_bytes_are_binary(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_bytes(b"@misc\0")
    with pytest.raises(InputError, match="binary"):
        read_text(path)


def test_bytes_that_no_encoding_has_lose_nothing_else():
    assert decoded(b"Gr\xf6\xdfe\x81").text.startswith("Größe")
