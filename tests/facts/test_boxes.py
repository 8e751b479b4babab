"""COCO files that are none, and the faults of a box against their plain definition."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.boxes import fault_of
from labelguard.files.coco import read_boxes


@pytest.mark.parametrize(("content", "words"), [
    (b"", "is no JSON: Expecting value"), (b"{", "is no JSON"), (b"\xff\xfe\x00", "is no JSON"), (b"[" * 100_000, "is no JSON"),
    (b"{}", "is no COCO file"), (b"3", "is no COCO file"), (b'{"annotations": {}}', "is no COCO file"),
    (b'{"annotations": [1]}', "is no COCO file"), (b'{"annotations": [], "images": 3}', "is no COCO file")])
def test_what_is_no_coco_file_is_said_in_a_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(UsageError, match=f"'{tmp_path}/x.json', given with --boxes, {words}"):
        read_boxes(tmp_path / "x.json")


def test_a_file_that_is_not_there_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(IncompleteError, match="cannot be opened: no such file"):
        read_boxes(tmp_path / "none.json")


@pytest.mark.parametrize("content", [
    b'{"annotations": [{"bbox": [1, 1, 9, 9]}]}', b'\xef\xbb\xbf{"annotations": []}', b'{"images": [1, {}], "annotations": [{}]}',
    b'{"images": [{"id": 1, "width": "x", "height": null}], "annotations": [{"image_id": 1, "bbox": [1, 1, 9, 9]}]}',
    b'{"images": [{"id": [1], "width": 5, "height": -4}], "annotations": [{"image_id": {}, "bbox": {}}]}'])
def test_odd_entries_end_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    read_boxes(tmp_path / "x.json")


NUMBERS = st.integers(-3, 12).map(float)


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_a_box_has_area_in_the_image_unless_it_says_why_not(box: tuple[float, float, float, float]) -> None:
    x, y, width, height = box
    covered = {(row, column) for row in range(8) for column in range(10) if y <= row < y + height and x <= column < x + width}
    fault = fault_of(box, (8, 10))
    assert bool(covered) == (fault in (None, "thin", "beyond"))
    if fault in (None, "beyond"):
        assert x + width - 1 > x and y + height - 1 > y
