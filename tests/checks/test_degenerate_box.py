"""LG601: boxes without width, height or place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard.checks import degenerate_box as check
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.files.coco import read_boxes
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import NOTHING, Labels, facts_on_disk

GOOD = [10, 10, 20, 20]


def coco(path: Path, *boxes: Any, width: int = 100, height: int = 50) -> Path:
    """A COCO file of one image a.jpg with these boxes."""
    path.write_text(json.dumps({"images": [{"id": 7, "file_name": "a.jpg", "width": width, "height": height}], "annotations": [
        {"id": number, "image_id": 7, "bbox": box} for number, box in enumerate(boxes)]}))
    return path


def said_of_boxes(path: Path) -> list[Finding]:
    return list(check.rule.dataset_check(DatasetFacts(boxes=(read_boxes(path),)), NOTHING))


def said_of_masks(masks: dict[str, Labels], spec: LabelSpec = NOTHING, declared: bool = False) -> list[Finding]:
    data = DatasetBuilder(instances=declared)
    for name, labels in masks.items():
        data.add(name, facts_on_disk(labels, spec))
    return list(check.rule.dataset_check(data.build(), spec))


@pytest.mark.parametrize(("box", "words"), [
    ([10, 10, 0, 5], "width or height 0"), ([10, 10, 5, 0], "width or height 0"), ([10, 10, -2, 5], "negative width or height"),
    ([float("nan"), 1, 2, 3], "NaN or infinite"), ([1, 1, float("inf"), 3], "NaN or infinite"), ([1, 1, 10**400, 3], "NaN or infinite"),
    ([100, 10, 5, 5], "outside the image"), ([10, -9, 5, 9], "outside the image"), ([1, 2, 3], "not a list of four numbers"),
    (None, "not a list of four numbers"), (["1", 2, 3, 4], "not a list of four numbers"), ([True, 2, 3, 4], "not a list of four numbers")])
def test_a_box_that_cannot_be_trained_on_is_an_error(tmp_path: Path, box: Any, words: str) -> None:
    finding, = said_of_boxes(coco(tmp_path / "b.json", GOOD, box))
    assert finding.severity is Severity.ERROR and finding.files == ("a.jpg",) and finding.subject == "image" and finding.path is None
    assert finding.message == f"1 of 2 boxes in {tmp_path}/b.json cannot be trained on."
    assert finding.evidence[0].startswith(f"{words}: 1 (annotation 1 of a.jpg: ")


def test_conventions_are_told_apart(tmp_path: Path) -> None:
    broken, thin = said_of_boxes(coco(tmp_path / "b.json", GOOD, [1, 1, 0, 5], [1, 1, 1, 5], [1, 1, 5, 0.5]))
    both = "without area if x2 = x + width: 1; if x2 = x + width - 1, the last pixel: 3"
    assert broken.evidence[-1] == thin.evidence[-1] == both
    assert thin.severity is Severity.WARNING and "2 of 4 boxes" in thin.message


def test_a_wrapped_coordinate_is_explained(tmp_path: Path) -> None:
    finding, = said_of_boxes(coco(tmp_path / "b.json", GOOD, [65535, 3, 5, 5]))
    assert "a -1 that wrapped in 16 bits" in finding.evidence[1]


def test_corners_are_recognized_and_named_as_the_cause(tmp_path: Path) -> None:
    corners = [[60, 10, 90, 40], [70, 20, 99, 50], [5, 5, 9, 9], [80, 30, 95, 45], [0, 0, 100, 50], [50, 25, 51, 40]]
    cause, thin = said_of_boxes(coco(tmp_path / "b.json", *corners))
    assert cause.severity is Severity.ERROR and "are corners (x1, y1, x2, y2)" in cause.message
    assert "1 of 6 boxes" in thin.message  # the one from 50 to 51


def test_boxes_that_reach_out_and_boxes_of_no_image_are_warnings(tmp_path: Path) -> None:
    path = coco(tmp_path / "b.json", GOOD, [90, 10, 30, 20])
    content = json.loads(path.read_text())
    content["annotations"].append({"id": 9, "image_id": 8, "bbox": GOOD})
    path.write_text(json.dumps(content))
    reaching, orphan = said_of_boxes(path)
    assert reaching.severity is orphan.severity is Severity.WARNING
    assert "more than a pixel beyond the image" in reaching.message and "1 box" in orphan.message


def test_good_boxes_are_left_alone(tmp_path: Path) -> None:
    assert said_of_boxes(coco(tmp_path / "b.json", GOOD, [0, 0, 100, 50], [99, 49, 1.5, 1.5], [-0.4, 0, 100.9, 50.3], [98, 0, 2, 2])) == []
    assert said_of_boxes(coco(tmp_path / "c.json")) == []
    (tmp_path / "d.json").write_text(json.dumps([{"image_id": 1, "bbox": GOOD, "score": 0.5}]))
    assert said_of_boxes(tmp_path / "d.json") == []


def instances(*ids: int, dtype: str = "uint16") -> Labels:
    """Squares of 4 pixels, one for each id; the last is a line, one pixel wide."""
    labels = np.zeros((40, 60), dtype)
    for number, label in enumerate(ids[:-1]):
        labels[5 * number:5 * number + 4, 10:14] = label
    labels[10:16, 30] = ids[-1]
    return labels


def test_a_thin_instance_is_named() -> None:
    finding, = said_of_masks({"a.png": instances(1, 2, 3, dtype="uint8"), "b.png": instances(1, 2)[:, :20]}, declared=True)
    assert finding.path == "a.png" and finding.ids == (3,) and finding.pixels == 6 and finding.first == (10, 30)
    assert finding.severity is Severity.ERROR and finding.evidence[0] == "id 3: 6 x 1 (height x width), 6 pixels"


def test_wide_ids_beyond_the_classes_are_taken_for_instances_with_a_warning() -> None:
    finding, = said_of_masks({"a.png": instances(7, 24000, 24001, 26000, 26001, 26002)}, LabelSpec(34))
    assert finding.ids == (26002,) and finding.severity is Severity.WARNING and "inferred" in finding.evidence[-1]


@pytest.mark.parametrize(("labels", "spec", "declared"), [
    (instances(1, 2, 3, dtype="uint8"), LabelSpec(2), False),                       # 8 bits: classes
    (instances(1, 2, 3), LabelSpec(4), False),                                      # 16 bits, and nothing but classes
    (instances(1, 257, 514, 771), LabelSpec(4), False),                             # stretched, not numbered
    (instances(1, 2, 65535), LabelSpec(4), False),                                  # a sentinel
    (instances(1, 2, 255), LabelSpec(3, 255), True),                                # a thin line of void
    (instances(24000, 24001, 7), LabelSpec(34), True),                              # a pole is a class, cars are instances
])
def test_ids_that_are_no_instances_are_left_alone(labels: Labels, spec: LabelSpec, declared: bool) -> None:
    assert said_of_masks({"a.png": labels, "b.png": np.zeros((4, 4), "uint16")}, spec, declared) == []


def test_real_instance_maps_have_no_thin_instance(real_data: Path) -> None:
    masks = {path.name: path for path in sorted((real_data / "cityscapes" / "instanceIds").glob("*.png"))}
    from labelguard import read
    assert said_of_masks({name: read(path).labels for name, path in list(masks.items())[:3]}, LabelSpec(34)) == []
