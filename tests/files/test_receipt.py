"""Receipts: what they say, and what is done about damaged ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labelguard import IncompleteError
from labelguard.facts.digest import digest_in_receipt
from labelguard.files.output_folder import OutputFolder
from labelguard.files.receipt import FILE_NAME, Provenance, Receipt, WrittenFile, indented, read_receipt, write_receipt

FILES = [WrittenFile("b.png", "b.jpg", "2", "20"), WrittenFile("a.png", "a.png", "1", "10", {"0": 4}, {"1": 4})]


def test_a_receipt_that_was_written_is_read(tmp_path: Path) -> None:
    write_receipt(OutputFolder.make(str(tmp_path)), Provenance("remap", "Remap(shift=1)", True, 12, (255,), {"0": 1}), FILES)
    assert read_receipt(tmp_path) == Receipt("Remap(shift=1)", True, {"a.png": "1", "b.png": "2"})


@pytest.mark.parametrize("values", [
    {}, {"a": 1}, {"a": {}}, {"a": [], "b": [1, 2], "c": None}, {"files": {"caf\udce9\n.png": {"name": "x", "before": {"0": 4, "1": 5}}}},
    {"a": {"b": {"c": [1, 2], "d": True}}, "e": 1.5},
])
def test_texts_are_laid_out_as_json_lays_them_out(values: dict[str, object]) -> None:
    assert indented(values) == json.dumps(values, indent=1)


def test_the_order_of_the_files_makes_no_difference(tmp_path: Path) -> None:
    for order in (FILES, FILES[::-1]):
        write_receipt(OutputFolder.make(str(tmp_path)), Provenance("resize", "Resize(scale=2)", False), order)
        content = (tmp_path / FILE_NAME).read_bytes()
        assert content.index(b"a.png") < content.index(b"b.png")


def test_names_in_another_encoding_survive(tmp_path: Path) -> None:
    name = "caf\udce9.png"
    write_receipt(OutputFolder.make(str(tmp_path)), Provenance("remap", "", True), [WrittenFile(name, name, "1", "2")])
    receipt = read_receipt(tmp_path)
    assert receipt is not None and list(receipt.digests) == [name]


def test_a_folder_without_one_has_none(tmp_path: Path) -> None:
    assert read_receipt(tmp_path) is None


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b"null", b"{}", b'{"files": {}}', b'{"stages": "", "remaps": true, "files": []}',
    b'{"stages": "", "remaps": true, "files": {"a.png": {}}}', b'{"stages": "", "remaps": true, "files": {"a.png": 3}}', b"\xff"])
def test_a_damaged_one_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(IncompleteError, match=r"receipt .* is damaged"):
        read_receipt(tmp_path)


def test_a_digest_tells_contents_apart() -> None:
    assert digest_in_receipt(b"a") == digest_in_receipt(b"a") != digest_in_receipt(b"b") and len(digest_in_receipt(b"")) == 40
