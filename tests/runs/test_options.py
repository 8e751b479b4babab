from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

import labelguard
from labelguard import LabelSpec, ScanOptions
from labelguard.errors import SpecError, UsageError
from labelguard.runs.options import ScanKeywords, scan_options
from tests.drawn import bands, folder


def test_what_is_given_becomes_plain_frozen_values() -> None:
    options = ScanOptions(num_classes=3, ignore_index=255, select="LG1, LG201", ignore=["LG101"], crop=[4, 6])
    assert options.spec == LabelSpec(3, 255) and options.crop == (4, 6)
    assert options.select == ("LG1", "LG201") and options.ignore == ("LG101",)
    assert ScanOptions(select=["LG1, LG201"], ignore=["LG101,", " "]) == ScanOptions(select=["LG1", "LG201"], ignore="LG101")
    with pytest.raises(FrozenInstanceError):
        options.jobs = 2  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(options)) == options


def test_a_count_and_ignored_ids_win_over_a_spec() -> None:
    spec = LabelSpec(names=["sky", "road"])
    assert ScanOptions(spec=spec, ignore_index=[7, 9]).spec == LabelSpec(2, [7, 9], ["sky", "road"])
    assert ScanOptions(spec=spec, num_classes=3).spec == LabelSpec(3)
    assert ScanOptions(spec=None).spec == LabelSpec()


def test_keywords_win_over_options() -> None:
    options = ScanOptions(num_classes=3, jobs=2)
    assert scan_options(options, {"jobs": 1, "ignore_index": 255}) == ScanOptions(num_classes=3, ignore_index=255, jobs=1)
    assert scan_options(options, {}) == options == replace(options)


def test_every_field_can_be_given() -> None:
    assert {field.name for field in fields(ScanOptions)} | {"num_classes", "ignore_index"} == set(ScanKeywords.__annotations__)


@pytest.mark.parametrize(("given", "error", "says"), [
    ({"num_clases": 3}, TypeError, r"scan\(\) has no argument .num_clases.; did you mean .num_classes."),
    ({"jobs": 0}, UsageError, "jobs is 0"),
    ({"backend": "dask"}, UsageError, "backend is 'dask'"),
    ({"batch_size": 0}, UsageError, "batch_size is 0"),
    ({"crop": (64,)}, UsageError, r"crop is \(64,\)"),
    ({"num_classes": 0}, SpecError, "num_classes is 0"),
])
def test_what_makes_no_sense_is_refused_before_anything_is_read(given: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        labelguard.scan("nowhere", **given)


def test_scan_and_scan_splits_take_the_same_options(tmp_path: Path) -> None:
    options = ScanOptions(num_classes=3, ignore_index=255)
    one, other = (folder(tmp_path / name, {f"{name}.png": bands(0, 1, last, 255)}) for name, last in (("a", 2), ("b", 7)))
    assert [finding.ids for finding in labelguard.scan(other, options=options).findings if finding.code == "LG101"] == [(7,)]
    assert labelguard.scan(other, options=options, num_classes=8, select="LG101").findings == ()
    assert labelguard.scan_splits({"a": one, "b": other}, options=options).spec == options.spec


def test_one_file_of_boxes_needs_no_list(tmp_path: Path) -> None:
    (tmp_path / "boxes.json").write_text('{"images": [], "annotations": []}')
    for boxes in (tmp_path / "boxes.json", str(tmp_path / "boxes.json"), [tmp_path / "boxes.json"]):
        assert len(labelguard.scan(boxes=boxes).data.boxes) == 1
