from __future__ import annotations

import pytest

from service.sensors.told_count import ReportError
from service.sensors.xml_report import read_xml


def test_elements_are_values_by_name_without_namespaces_and_attributes() -> None:
    body = b"""<?xml version="1.0"?>
        <a xmlns="urn:one" xmlns:b="urn:two" version="2.0">
          <b:c id="7"> 1 </b:c><d><e>&lt;x&gt; &#233;</e></d><f/><g>1</g><g>2</g><g><h>3</h></g>
        </a>"""
    assert read_xml(body, "a") == {
        "c": "1",
        "d": {"e": "<x> é"},
        "f": "",
        "g": ["1", "2", {"h": "3"}],
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_the_encoding_is_the_one_that_is_declared(encoding: str) -> None:
    body = f'<?xml version="1.0" encoding="{encoding}"?><a><b>é</b></a>'.encode(encoding)
    assert read_xml(body, "a") == {"b": "é"}


def test_entities_that_grow_are_refused_before_they_do() -> None:
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 20}">' for n in range(1, 20))
    body = f'<!DOCTYPE a [<!ENTITY e0 "x">{grown}]><a>&e19;</a>'.encode()
    with pytest.raises(ReportError, match="body: has a document type, which is not read"):
        read_xml(body, "a")


def test_a_text_alone_is_no_value_by_name() -> None:
    assert read_xml(b"<a>text</a>", "a") == {}


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
def test_of_a_form_with_a_picture_the_part_that_is_xml_is_read(line_end: bytes) -> None:
    picture = b"\xff\xd8\xff--b<a>"
    parts = [b"image/jpeg", b"", picture, b"--b", b"application/xml", b"", b"<a><b>1</b></a>", b"--b--", b""]
    assert read_xml(line_end.join([b"", b"--b", *parts]), "a") == {"b": "1"}
    with pytest.raises(ReportError, match="of which none is XML"):
        read_xml(line_end.join([b"--b", *parts[:3], b"--b--"]), "a")
