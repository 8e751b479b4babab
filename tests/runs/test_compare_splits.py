"""Splits from folders to findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import labelguard
from labelguard import LabelSpec, Severity
from labelguard.cli import main
from labelguard.errors import IncompleteError, UsageError
from labelguard.runs.compare_splits import SplitScan, plan_splits
from labelguard.runs.options import ScanOptions
from labelguard.runs.pool import Backend
from tests.checks.paired import photo
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, scene
from tests.drawn import folder
from tests.pairing.alignment.pictures import rotated, scenes

Split = Callable[..., Path]
BACKENDS: tuple[Backend, Backend] = ("threading", "loky")


@pytest.fixture
def split(tmp_path: Path) -> Split:
    """Writes the masks of a split, 0.png, 1.png, ..."""
    def write(name: str, masks: list[Labels], photos: list[Labels] | None = None) -> Path:
        (tmp_path / name / "masks").mkdir(parents=True, exist_ok=True)
        for number, image in enumerate(photos or ()):
            (tmp_path / name / "images").mkdir(exist_ok=True)
            Image.fromarray(image).save(tmp_path / name / "images" / f"{number}.png")
        return folder(tmp_path / name / "masks", {f"{number}.png": labels for number, labels in enumerate(masks)})
    return write


def codes(report: labelguard.SplitsReport) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.split) for finding in report.findings]


def test_clean_splits_are_clean(split: Split) -> None:
    report = labelguard.scan_splits({"train": split("train", drawn_set(4, 24)), "val": split("val", drawn_set(4, 8, seed=1))},
                                    spec=LabelSpec(4, 255))
    assert report.findings == () and report.complete and not report.fails(Severity.NOTE)


def test_a_fault_of_one_split_is_that_splits(split: Split) -> None:
    wrong = relabeled(drawn_set(2, 12, void=None, seed=1), {1: 255})
    splits = {"train": split("train", drawn_set(2, 24, void=None)), "val": split("val", wrong)}
    report = labelguard.scan_splits(splits, spec=LabelSpec(2))
    assert codes(report) == [("LG104", "val")] and report.compared == ()
    assert str(splits["val"]) in str(report.findings[0].fix) and report.findings[0].files.first[0] == "val/0.png"
    assert {"LG206", "LG113"} <= {check.code for check in report.skipped_checks if check.why == "val is left out until LG104 is fixed"}
    assert report.splits["val"].findings[0].files.first[0] == "0.png"
    asked = labelguard.scan_splits(splits, spec=LabelSpec())  # where nobody says that there are two classes, nothing is left out
    assert codes(asked) == [("LG104", "val"), ("LG206", "val")] and not asked.fails(Severity.ERROR)


def test_a_split_counted_from_one_is_one_fault(split: Split) -> None:
    shifted = [labels + np.uint8(1) for labels in drawn_set(4, 12, void=None, seed=1)]
    splits = {"train": split("train", drawn_set(4, 24, void=None)), "val": split("val", shifted)}
    assert codes(labelguard.scan_splits(splits)) == [("LG113", None), ("LG106", "val")]  # the second asks for the class count
    assert codes(labelguard.scan_splits(splits, spec=LabelSpec(4))) == [("LG106", "val")]


@pytest.mark.parametrize("reduce", [True, False])
def test_after_either_fix_the_splits_are_clean(split: Split, reduce: bool) -> None:
    move = {0: 255, 1: 0, 2: 1, 3: 2} if reduce else {0: 1, 1: 2, 2: 3, 3: 4}
    val = relabeled(drawn_set(4, 12, seed=1), move)
    splits = {"train": split("train", drawn_set(4, 24)), "val": split("val", val)}
    finding, = labelguard.scan_splits(splits, spec=LabelSpec(6, 255), ignore=["LG201", "LG204"]).findings
    assert finding.code == "LG113"
    names = {str(path): name for name, path in splits.items()}
    remapped = {names[command[2]]: command for command in finding.fix.commands}
    assert set(remapped) == ({"train"} if reduce else {"train", "val"})
    for name, command in remapped.items():
        out = splits[name].parent / "mended"
        assert CliRunner().invoke(main, [*command[1:], "--out", str(out)]).exit_code == 0
        assert labelguard.scan_splits(splits | {name: out}, spec=LabelSpec(6, 255), ignore=["LG201", "LG204"]).findings == ()


def test_a_class_in_no_split_is_said_once(split: Split) -> None:
    masks = relabeled(drawn_set(4, 24, void=None), {3: 2})
    report = labelguard.scan_splits({"train": split("train", masks[:14]), "val": split("val", masks[14:])}, spec=LabelSpec(4))
    finding, = report.findings
    assert (finding.code, finding.ids, finding.split) == ("LG204", (3,), None) and len(finding.files) == 24


def test_ids_that_a_split_does_not_believe_do_not_count_for_all(split: Split) -> None:
    """In one palette file the color of class 1 has index 3: no mask holds class 3."""
    masks = [*relabeled(drawn_set(4, 10, void=None), {3: 2}), scene([1, 2])]
    train, val = split("train", masks[:6]), split("val", [])
    for number, labels in enumerate(masks[6:]):
        odd = number == 4
        image = Image.fromarray(relabeled([labels], {1: 3, 2: 1})[0] if odd else labels)
        image.putpalette(np.repeat((0, 160, 240, 80) if odd else (0, 80, 160, 240), 3).tolist())
        image.save(val / f"{number}.png")
    report = labelguard.scan_splits({"train": train, "val": val}, spec=LabelSpec(4))
    assert ("LG009", "val") in codes(report)
    assert {finding.code: finding.ids for finding in report.compared}["LG204"] == (3,)


def test_masks_are_compared_by_their_pixels_and_not_by_a_summary(split: Split) -> None:
    """Two masks whose counts, first pixels and boxes agree, and whose pixels do not."""
    one = scene([1, 2])
    one[40:50, 40:50] = 3
    other = one.copy()
    one[44, 44], other[45, 45] = 0, 0
    assert codes(labelguard.scan_splits({"a": split("a", [one]), "b": split("b", [other])})) == []
    assert codes(labelguard.scan_splits({"a": split("a", [one]), "b": split("c", [one])})) == [("LG406", None)]


def test_images_are_given_for_each_split(split: Split) -> None:
    photos = [photo(96, 160, seed=seed) for seed in range(6)]
    masks = drawn_set(3, 6, void=None)
    splits = {"train": split("train", masks[:3], photos[:3]), "val": split("val", masks[3:], [photos[1], *photos[3:5]]),
              "test": split("test", [], photos[2:3])}
    report = labelguard.scan_splits(splits, images={name: path.parent / "images" for name, path in splits.items()}, ignore=["LG206"])
    assert codes(report) == [("LG406", None), ("LG404", None)]
    assert report.findings[0].files == ("test/0.png", "train/1.png", "train/2.png", "val/0.png")
    only = labelguard.scan_splits(splits, images={"test": splits["test"].parent / "images"}, select=["LG406"])
    assert only.findings == ()


def test_the_order_does_not_depend_on_the_workers(split: Split) -> None:
    train = drawn_set(5, 40)
    splits = {"train": split("train", train), "val": split("val", [*relabeled(drawn_set(5, 9, seed=1), {4: 9}), train[3]])}
    alone = labelguard.scan_splits(splits, spec=LabelSpec(5, 255), jobs=1)
    together = labelguard.scan_splits(splits, spec=LabelSpec(5, 255), jobs=3)
    assert alone.findings and alone.findings == together.findings


@pytest.mark.slow
def test_processes_make_no_difference(split: Split) -> None:
    """What is learned of masks, images, edges, crops and copies comes home from other processes as it is."""
    pairs = rotated(scenes(9), 2)
    splits = {"train": split("train", [labels for _, labels in pairs], [image for image, _ in pairs]),
              "val": split("val", [*relabeled([labels for _, labels in scenes(3, first=50)], {1: 9}), pairs[4][1]])}
    (splits["val"] / "broken.png").write_bytes(b"broken")
    images = {"train": splits["train"].parent / "images"}
    one, other = (labelguard.scan_splits(splits, images=images, num_classes=5, batch_size=2, crop=(8, 8), jobs=2, backend=backend)
                  for backend in BACKENDS)
    assert {"LG001", "LG101", "LG305", "LG406"} <= {code for code, _ in codes(one)}
    assert one.to_dict() == other.to_dict()
    for name, part in one.splits.items():
        assert part.to_dict() == other.splits[name].to_dict() and part.data.training.crops


def test_select_and_ignore_hold_for_comparisons(split: Split) -> None:
    splits = {"train": split("train", drawn_set(3, 24, void=None)), "val": split("val", relabeled(drawn_set(3, 24, void=None), {2: 1}))}
    assert ("LG206", "val") in codes(labelguard.scan_splits(splits))
    assert codes(labelguard.scan_splits(splits, ignore=["missing-from-split"], select=["LG2"])) == []
    assert codes(labelguard.scan_splits(splits, select=["LG2"])) == [("LG206", "val")]


def test_an_early_result_compares_nothing(split: Split) -> None:
    folders = {"train": split("train", drawn_set(3, 24)), "val": split("val", relabeled(drawn_set(3, 24), {2: 1}))}
    scan = SplitScan(plan_splits(folders, ScanOptions()))
    next(reports := iter(scan))
    assert not scan.result().complete and scan.result().compared == ()
    list(reports)
    assert scan.result().complete and scan.result().compared == scan.result().compared != ()


def test_a_scan_of_one_folder_says_that_nothing_was_compared(split: Split) -> None:
    report = labelguard.scan(split("train", drawn_set(3)))
    assert "no splits given" in {check.why for check in report.skipped_checks if check.code == "LG406"}
    assert all(finding == replace(finding, split=None) for finding in report.findings)


def test_wrong_use_is_said(split: Split, tmp_path: Path) -> None:
    train, val, empty = split("train", drawn_set(3)), split("val", drawn_set(3)), split("empty", [])
    for splits, images, problem in (
        ({"train": train}, {}, "two or more"),
        ({"train": train, "a/b": val}, {}, "cannot be the name of a split"),
        ({"train": train, "val": train}, {}, "is that of"),
        ({"train": tmp_path, "val": val}, {}, "lies in that of 'train'"),
        ({"train": train, "val": val}, {"test": val}, "which is not one of the splits"),
    ):
        with pytest.raises(UsageError, match=problem):
            labelguard.scan_splits(splits, images=images)
    with pytest.raises(IncompleteError, match=r"the folder of the split 'val'\. A split without masks can be compared by its images"):
        labelguard.scan_splits({"train": train, "val": empty})
    with pytest.raises(IncompleteError, match="No masks found in any split"):
        labelguard.scan_splits({"test_a": split("a", []), "test_b": split("b", [])})
    assert labelguard.scan_splits({"train": train, "test": empty}, spec=LabelSpec(3, 255)).findings == ()


def test_real_splits_have_no_error(real_data: Path, tmp_path: Path) -> None:
    files = sorted((real_data / "camvid" / "masks").glob("*.png"))
    for number, path in enumerate(files):
        target = tmp_path / ("val" if number % 10 == 0 else "train")
        target.mkdir(exist_ok=True)
        (target / path.name).symlink_to(path)
    report = labelguard.scan_splits({"train": tmp_path / "train", "val": tmp_path / "val"}, spec=LabelSpec(12))
    assert report.findings == ()
