"""A scan of a whole data set: masks, images, and what labelguard wrote itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import labelguard
from labelguard.cli import main
from tests.drawn import bands, folder


@pytest.fixture
def voc(tmp_path: Path) -> Path:
    """Masks with a wrapped background, beside images and masks of instances."""
    images = {f"JPEGImages/{number}.png": np.random.default_rng(number).integers(0, 255, (40, 30, 3), np.uint8) for number in range(9)}
    masks = {f"SegmentationClass/{number}.png": bands(255, 0, 1, 2) for number in range(9)}
    return folder(tmp_path / "voc", {**images, **masks, **{f"SegmentationObject/{n}.png": bands(0, 1, 7) for n in range(9)}})


def test_masks_are_told_from_images_and_paired_with_them(voc: Path) -> None:
    report = labelguard.scan(voc, num_classes=4)
    assert report.layout is not None and report.layout.name == "Pascal VOC"
    assert len(report.data.records) == 9 and report.images is not None and len(report.images.pairing.pairs) == 9
    assert report.to_dict()["layout"] == {"name": "Pascal VOC", "masks": ["SegmentationClass/"], "images": ["JPEGImages/"]}
    assert "Pascal VOC" in str(report) and "Left out: 9 files not selected" in str(report)


def test_a_printed_command_changes_the_masks_alone(voc: Path) -> None:
    finding, = (each for each in labelguard.scan(voc, num_classes=4).findings if each.severity == "error")
    command, = finding.fix.commands
    done = CliRunner().invoke(main, command[1:])
    assert done.exit_code == 0, done.output
    new = voc.with_name("voc-remapped")
    for kind in ("JPEGImages", "SegmentationObject"):
        assert all((new / kind / f"{n}.png").read_bytes() == (voc / kind / f"{n}.png").read_bytes() for n in range(9))
    assert not labelguard.scan(new, num_classes=4).count("error")


def test_a_selection_or_a_folder_of_images_wins_over_the_layout(voc: Path) -> None:
    assert labelguard.scan(voc, include="SegmentationObject/").layout is None
    report = labelguard.scan(voc / "SegmentationClass", images=voc / "JPEGImages")
    assert report.layout is None and report.images is not None and report.images.count == 9


def test_splits_have_a_layout_each_and_what_it_leaves_out_is_no_mask(tmp_path: Path) -> None:
    grey = np.full((40, 30, 3), 9, np.uint8)
    for split in ("train", "val"):
        folder(tmp_path / split, {name: content for n in range(3) for name, content in (
            (f"{n}_gtFine_labelIds.png", np.roll(bands(0, 1, 2), n, 0)), (f"{n}_gtFine_color.png", grey))})
    report = labelguard.scan_splits({"train": tmp_path / "train", "val": tmp_path / "val"}, num_classes=3)
    assert not any("not selected" in reservation for reservation in report.reservations())
    assert str(report).count("Left out: 3 files not selected.") == 2 and "val: Left out: 3 files not selected." in report.to_html()
    assert report.to_dict()["dataset"]["left_out"] == 0
    assert labelguard.scan(tmp_path / "val", num_classes=3).to_dict()["dataset"]["left_out"] == 0


def test_masks_of_splits_that_are_not_selected_are_counted(tmp_path: Path) -> None:
    for split in ("train", "val"):
        folder(tmp_path / split, {f"{n}.png": bands(0, 1, 2) for n in range(3)})
    report = labelguard.scan_splits({"train": tmp_path / "train", "val": tmp_path / "val"}, num_classes=3, include="[01].png")
    assert report.to_dict()["dataset"]["left_out"] == 2 and "2 masks were not selected" in [*report.reservations()]


def test_every_mask_of_an_object_belongs_to_the_image_of_its_folder(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    root = folder(tmp_path, {name: content for n in range(4) for name, content in {
        f"{n}/images/{n}.png": rng.integers(0, 255, (40, 30, 3), np.uint8), f"{n}/masks/a{n}.png": bands(0, 255),
        f"{n}/masks/b{n}.png": bands(255, 0)}.items()})
    report = labelguard.scan(root, num_classes=2)
    assert report.images is not None and report.images.count == 4 and len(report.images.pairing.pairs) == 8
    assert not [finding for finding in report.findings if finding.code.startswith("LG4")]


def test_what_was_written_from_masks_beside_it_is_left_out(tmp_path: Path) -> None:
    folder(tmp_path / "set" / "masks", {f"{n}.png": bands(1, 2, 3) for n in range(9)})
    labelguard.remap(tmp_path / "set" / "masks", shift=-1, num_classes=3)
    report = labelguard.scan(tmp_path / "set", num_classes=3)
    assert len(report.data.records) == 9 and report.source_of == {"masks-remapped": "masks"}
    assert "Left out: masks-remapped/, which labelguard wrote from masks/" in str(report)
    command, = next(finding for finding in report.findings if finding.severity == "error").fix.commands
    assert command[3:5] == ("--exclude", "/masks-remapped/")  # else it would be moved a second time
    assert len(labelguard.scan(tmp_path / "set" / "masks-remapped", num_classes=3).data.records) == 9


def test_what_is_named_is_scanned_whoever_wrote_it(tmp_path: Path) -> None:
    folder(tmp_path / "masks", {f"{n}.png": bands(1, 2, 3) for n in range(3)})
    labelguard.remap(tmp_path / "masks", shift=-1, num_classes=3)
    report = labelguard.scan(tmp_path / "masks", tmp_path / "masks-remapped", num_classes=3)
    assert len(report.data.records) == 6 and not report.source_of and report.findings  # by whole paths


def test_what_has_taken_the_place_of_its_source_is_scanned(tmp_path: Path) -> None:
    folder(tmp_path / "set" / "old", {f"{n}.png": bands(1, 2, 3) for n in range(3)})
    labelguard.remap(tmp_path / "set" / "old", tmp_path / "set" / "masks", shift=-1, num_classes=3)
    (tmp_path / "set" / "old").rename(tmp_path / "elsewhere")
    report = labelguard.scan(tmp_path / "set", num_classes=3)
    assert len(report.data.records) == 3 and not report.source_of


def test_a_namesake_is_not_taken_for_the_source_of_what_was_written(tmp_path: Path) -> None:
    for name in ("images", "masks"):
        folder(tmp_path / "set" / name, {f"{n}.png": bands(1, 2, 3 + (name == "images")) for n in range(3)})
    labelguard.remap(tmp_path / "set" / "masks", tmp_path / "set" / "clean", shift=-1, num_classes=3)
    assert labelguard.scan(tmp_path / "set").source_of == {"clean": "masks"}
    shutil.rmtree(tmp_path / "set" / "masks")
    assert not labelguard.scan(tmp_path / "set").source_of  # nothing but images would be left


def test_an_output_is_known_by_its_name_where_all_sources_were_drawn_anew(tmp_path: Path) -> None:
    folder(tmp_path / "set" / "masks", {f"{n}.png": bands(1, 2, 3) for n in range(3)})
    labelguard.remap(tmp_path / "set" / "masks", shift=-1, num_classes=3)
    folder(tmp_path / "set" / "masks", {f"{n}.png": bands(1, 3, 2) for n in range(3)})
    assert labelguard.scan(tmp_path / "set").source_of == {"masks-remapped": "masks"}
