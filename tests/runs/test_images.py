"""Scanning masks with their images."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray
from PIL import Image

import labelguard
from labelguard.checks.registry import all_rules
from labelguard.cli import main
from labelguard.errors import IncompleteError, UsageError
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import plan_scan
from labelguard.runs.scan import Scan
from tests.checks.paired import photo, sized, turned
from tests.drawn import folder, write_png


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def drawn(seed: int) -> NDArray[Any]:
    """A mask of 40 x 60 that is no other's."""
    labels = np.zeros((40, 60), np.uint8)
    labels[seed:seed + 5, 10:30] = 1
    return labels


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four pairs, a mask too many, an image too many, and an image that is none."""
    folder(tmp_path / "masks", {f"{n}_mask.png": drawn(n) for n in range(6)})
    folder(tmp_path / "images", {f"{n}.png": photo(seed=n) for n in (0, 1, 2, 3, 9)})
    (tmp_path / "images" / "5.png").write_bytes(b"no image")
    (tmp_path / "images" / "notes.txt").write_text("no image either")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pairs_are_found_and_counted(inside: Path) -> None:
    report = labelguard.scan("masks", images="images")
    assert len(report.images.pairing.pairs) == 5 and report.complete
    assert {(finding.code, finding.path, finding.files) for finding in report.findings if finding.code != "LG203"} == {
        ("LG001", "5.png", ()), ("LG401", None, ("4_mask.png",)), ("LG402", None, ("9.png",))}
    unreadable = next(finding for finding in report.findings if finding.code == "LG001")
    assert unreadable.subject == "image"
    assert not {skipped.code for skipped in report.skipped_checks} & {"LG302", "LG401", "LG602"}


def test_the_text_says_the_rule(inside: Path) -> None:
    done = run("scan", "--images", "images")
    assert "images:   images: 6 images, 1 unreadable, 5 pairs; masks `*_mask.png` belong to images `*.png`" in done.stdout
    assert done.exit_code == 1


def test_json_has_an_object_for_the_images(inside: Path) -> None:
    report = json.loads(run("scan", "masks", "--images", "images", "--format", "json").stdout)
    assert report["images"] == {"root": "images", "count": 6, "read": 5, "unreadable": 1, "paired": 5,
                                "rule": "masks `*_mask.png` belong to images `*.png`", "masks_without": 1, "images_without": 1,
                                "ambiguous": 0, "several": 0}
    assert {finding["code"]: finding["subject"] for finding in report["findings"]} | {"LG203": ""} == {
        "LG001": "image", "LG401": "mask", "LG402": "image", "LG203": ""}


def test_without_images_pair_checks_are_skipped_and_said_to_be(inside: Path) -> None:
    report = json.loads(run("scan", "masks", "--format", "json").stdout)
    assert report["images"] is None
    skipped = {skipped["code"] for skipped in report["skipped_checks"] if skipped["why"] == "no --images given"}
    assert skipped == {rule.code for rule in all_rules() if rule.needs == "--images"}
    assert skipped >= {"LG302", "LG303", "LG304", "LG401", "LG402", "LG403", "LG404", "LG405", "LG602", "LG603", "LG604"}


def test_a_check_that_was_asked_for_and_could_not_run_is_not_passed_over(inside: Path) -> None:
    assert "Not checked: LG302, LG401 (no --images given)." in run("scan", "--select", "LG302,LG401").stdout
    assert "no --" not in run("scan").stdout


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_report_does_not_depend_on_the_workers(inside: Path, jobs: int) -> None:
    write_png(inside / "images" / "2.png", photo(50, 60))
    first, other = (run("scan", "masks", "--images", "images", "--format", "json", "--jobs", number).stdout for number in (2, jobs))
    assert first == other and "LG302" in first


def test_one_step_for_each_mask_and_each_image_without_one(inside: Path) -> None:
    scan = Scan(plan_scan(["masks"], ScanOptions(), images="images"))
    steps = list(scan)
    assert [step.path for step in steps] == [f"{n}_mask.png" for n in range(6)] + ["9.png"]
    assert [(step.done, step.total) for step in steps] == [(n, 7) for n in range(1, 8)]


def test_a_result_taken_before_the_last_image_is_incomplete(inside: Path) -> None:
    scan = Scan(plan_scan(["masks"], ScanOptions(), images="images"))
    reports = iter(scan)
    for _ in range(6):
        next(reports)
    assert not scan.result().complete
    next(reports)
    assert scan.result().complete


def test_a_broken_mask_leaves_its_image_alone(inside: Path) -> None:
    (inside / "masks" / "0_mask.png").write_bytes(b"broken")
    report = labelguard.scan("masks", images="images")
    assert [(f.path, f.subject) for f in report.findings if f.code == "LG001"] == [("0_mask.png", "mask"), ("5.png", "image")]
    assert len(report.data.images.images) == 5 and len(report.data.images.pairs) == 3


def test_headers_suffice_where_no_check_needs_pixels(inside: Path) -> None:
    whole = (inside / "images" / "1.png").read_bytes()
    (inside / "images" / "1.png").write_bytes(whole[:len(whole) // 2])  # its header is whole
    assert not labelguard.scan("masks", images="images", select=["LG302"]).findings
    assert [f.path for f in labelguard.scan("masks", images="images", select=["LG001"]).findings] == ["1.png", "5.png"]


def test_masks_that_only_seem_equal_are_read_again(tmp_path: Path) -> None:
    one, other = np.zeros((64, 96), np.uint8), np.zeros((64, 96), np.uint8)
    one[5:20, 5:20] = other[5:20, 5:20] = 1
    one[10, 10], other[12, 12] = 0, 0  # the same counts, first pixels and boxes
    folder(tmp_path / "masks", {"a.png": one, "b.png": other})
    folder(tmp_path / "images", {"a.png": photo(64, 96, seed=1), "b.png": photo(64, 96, seed=2)})

    def codes() -> set[Any]:
        return {finding.code for finding in labelguard.scan(tmp_path / "masks", images=tmp_path / "images", select=["LG4"]).findings}

    assert codes() == set()
    write_png(tmp_path / "masks" / "b.png", one)
    assert codes() == {"LG405"}
    write_png(tmp_path / "images" / "b.png", photo(64, 96, seed=1))
    assert codes() == set()
    write_png(tmp_path / "masks" / "b.png", other)
    assert codes() == {"LG404"}


def test_exif_through_the_whole_scan(tmp_path: Path) -> None:
    folder(tmp_path / "masks", {"a.png": sized(60, 40), "b.png": sized(40, 60)})
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(turned(6))
    (tmp_path / "images" / "b.jpg").write_bytes(turned(1))
    finding, = labelguard.scan(tmp_path / "masks", images=tmp_path / "images", select=["LG3"]).findings
    assert (finding.code, finding.path) == ("LG303", "a.png")


def test_a_folder_inside_the_other_holds_what_it_was_named_for(inside: Path) -> None:
    os.rename(inside / "images", inside / "masks" / "images")
    report = labelguard.scan("masks", images="masks/images", select=["LG4"])
    assert len(report.data.records) == 6 and len(report.images.pairing.pairs) == 5
    os.rename(inside / "masks" / "images", inside / "images")
    os.rename(inside / "masks", inside / "images" / "masks")
    report = labelguard.scan("images/masks", images="images", select=["LG4"])
    assert len(report.images.pairing.pairs) == 5 and report.images.count == 6


def test_one_folder_for_both_needs_the_masks_by_name(inside: Path) -> None:
    with pytest.raises(UsageError, match="--images names the same files as the masks, 'images'"):
        labelguard.scan("images", images="images")
    for path in (inside / "masks").iterdir():
        os.rename(path, inside / "images" / path.name)
    report = labelguard.scan(*(f"images/{n}_mask.png" for n in range(6)), images="images", select=["LG4"])
    assert len(report.images.pairing.pairs) == 5


@pytest.mark.parametrize(("images", "words"), [("nowhere", "'nowhere', given with --images, does not exist"),
                                               ("empty", "No images found in 'empty', given with --images")])
def test_no_images_cannot_complete(inside: Path, images: str, words: str) -> None:
    (inside / "empty").mkdir()
    with pytest.raises(IncompleteError, match=words):
        labelguard.scan("masks", images=images)
    assert run("scan", "masks", "--images", images).exit_code == 3


def test_boxes_alone_need_no_masks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.json").write_text(json.dumps({"images": [], "annotations": [{"id": 1, "image_id": 1, "bbox": [0, 0, 0, 4]}]}))
    done = run("scan", "--boxes", "b.json", "--format", "json")
    report = json.loads(done.stdout)
    assert done.exit_code == 1 and [finding["code"] for finding in report["findings"]] == ["LG601"]
    assert report["boxes"] == [{"file": "b.json", "boxes": 1, "images": 0}] and report["dataset"]["files"] == 0
    assert {"code": "LG204", "why": "no masks given"} in report["skipped_checks"]
    assert run("scan", "--boxes", "b.json").stdout.startswith("boxes:    b.json: 1 box, 0 images\n\nerror LG601")
    assert run("scan", "--boxes", "b.json", "--images", ".").exit_code == 2
    assert run("scan", "--boxes", "c.json").exit_code == 3
    (tmp_path / "c.json").write_text("{")
    assert run("scan", "--boxes", "c.json").exit_code == 2


def test_boxes_beside_masks_and_instances(inside: Path) -> None:
    (inside / "b.json").write_text(json.dumps({"annotations": [{"id": 1, "image_id": 1, "bbox": [0, 0, 0, 4]}]}))
    assert run("scan", "masks", "--boxes", "b.json", "--boxes", "b.json", "--select", "LG6").stdout.count("cannot be trained on") == 2
    line = np.zeros((40, 60), np.uint8)
    line[3:9, 4] = 5
    write_png(inside / "masks" / "line.png", line)
    done = run("scan", "masks", "--instances", "--select", "LG6", "--format", "json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["code"], finding["path"], finding["ids"], finding["severity"]) == ("LG601", "line.png", [5], "error")
    assert run("scan", "masks", "--select", "LG6").exit_code == 0


@pytest.mark.parametrize(("name", "expected"), [
    ("camvid", {"LG401"}), ("voc_palette", set()), ("pets", set()), ("polyp", set())])
def test_real_pairs(real_data: Path, name: str, expected: set[str]) -> None:
    report = labelguard.scan(real_data / name / "masks", images=real_data / name / "images", select=["LG3", "LG4", "LG6", "LG001"])
    assert {finding.code for finding in report.findings} == expected
    with Image.open(next((real_data / name / "images").iterdir())) as image:
        assert image.size[::-1] in {pair.shape for pair in report.data.images.pairs}
