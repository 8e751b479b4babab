"""COCO files: what is not one, odd entries, and boxes that are corners."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from labelguard.errors import IncompleteError, UsageError
from labelguard.files.coco import read_boxes


@pytest.mark.parametrize(("content", "words"), [
    (b"", "is not JSON: Expecting value"), (b"{", "is not JSON"), (b"\xff\xfe\x00", "is not JSON"), (b"[" * 100_000, "is not JSON"),
    (b"{}", "is not a COCO file"), (b"3", "is not a COCO file"), (b'{"annotations": {}}', "is not a COCO file"),
    (b'{"annotations": [1]}', "is not a COCO file"), (b'{"annotations": [], "images": 3}', "is not a COCO file")])
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


def coco(path: Path, inside: int, reaching: int) -> Path:
    """A file of boxes in an image of 100 x 100 pixels that make sense as corners; some leave the image where the last two are sizes."""
    boxes = [[10, 10, 30, 30]] * inside + [[60, 60, 90, 90]] * reaching
    path.write_text(json.dumps({"images": [{"id": 1, "width": 100, "height": 100}],
                                "annotations": [{"id": number, "image_id": 1, "bbox": box} for number, box in enumerate(boxes)]}))
    return path


@pytest.mark.parametrize(("inside", "reaching", "corners"), [
    (4, 1, False), (3, 2, True),      # one box that leaves its image is a fault of that box
    (2, 2, False), (0, 4, False), (0, 5, True),  # fewer than five boxes say nothing about their convention
    (27, 3, True), (28, 3, False)])   # a tenth of the boxes has to leave
def test_corners_are_believed_where_several_boxes_leave_their_image_as_sizes(tmp_path: Path, inside: int, reaching: int,
                                                                             corners: bool) -> None:
    assert read_boxes(coco(tmp_path / "boxes.json", inside, reaching)).corners is corners


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_is_no_regular_file_is_not_read(kind: str, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo") or not os.path.exists("/dev/zero"):
        pytest.skip("this system has no such things")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IncompleteError, match=r"given with --boxes, is a (device|named pipe), not a file\.$"):
        read_boxes("/dev/zero" if kind == "device" else tmp_path / "pipe")


def test_a_file_of_boxes_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = coco(tmp_path / "boxes.json", 2, 0)
    monkeypatch.setattr("labelguard.files.coco.MAX_FILE_BYTES", file.stat().st_size)
    assert read_boxes(file).boxes == 2
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(IncompleteError, match="has more than .* GB; leave its key 'segmentation' out, or give"):
        read_boxes(file)


def test_polygons_are_dropped_while_a_file_is_read(tmp_path: Path) -> None:
    note = {"id": 1, "bbox": [1, 1, 2, 2], "segmentation": [[float(number) for number in range(1000)]]}
    (tmp_path / "x.json").write_text(json.dumps({"images": [], "annotations": [note] * 200}))
    tracemalloc.start()
    try:
        assert read_boxes(tmp_path / "x.json").boxes == 200
        assert tracemalloc.get_traced_memory()[1] < 2.5 * (tmp_path / "x.json").stat().st_size  # 6 MB of floats are not among it
    finally:
        tracemalloc.stop()
