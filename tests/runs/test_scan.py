from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelguard
from labelguard import LabelSpec, Severity
from labelguard.checks.registry import all_rules
from labelguard.errors import IncompleteError, UsageError
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import plan_scan
from labelguard.runs.scan import Scan
from tests.drawn import bands, folder


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    root = folder(tmp_path / "masks", {"a.png": bands(0, 1, 2), "sub/b.png": bands(0, 1, 7), "c.png": bands(0)})
    (root / "broken.png").write_bytes(b"no image")
    return root


def test_every_pixel_is_accounted_for(masks: Path) -> None:
    data = labelguard.scan(masks).data
    assert data.pixels == sum(data.ids.values()) == 3 * 40 * 30 and len(data.records) == 3 and data.unreadable == 1


def test_findings_are_worst_first_and_name_file_pixels_and_place(masks: Path) -> None:
    findings = labelguard.scan(masks, spec=LabelSpec(3)).findings
    assert [(finding.code, finding.path) for finding in findings] == [
        ("LG001", "broken.png"), ("LG101", "sub/b.png"), ("LG201", "c.png")]
    stray = findings[1]
    assert (stray.ids, stray.pixels, stray.first, stray.box) == ((7,), 12 * 30, (28, 0), (28, 0, 40, 30))


def test_checks_that_need_a_declaration_are_skipped_and_listed(masks: Path) -> None:
    report = labelguard.scan(masks, ignore="LG301")  # which does not judge masks as small as these
    assert [(skipped.code, skipped.why) for skipped in report.skipped_checks] == [
        (rule.code, f"no {rule.needs} given" if rule.needs else "no class count declared")
        for rule in all_rules() if rule.needs_classes or rule.needs]
    assert {"LG101", "LG106", "LG109", "LG204", "LG302", "LG401", "LG601"} <= {skipped.code for skipped in report.skipped_checks}
    assert report.inference.spec.num_classes == 8 and not any(finding.code == "LG101" for finding in report.findings)


def test_select_and_ignore(masks: Path) -> None:
    def codes(**arguments: Any) -> set[str]:
        return {finding.code for finding in labelguard.scan(masks, spec=LabelSpec(3), **arguments).findings}

    assert codes(select=["LG1"]) == {"LG101"} and codes(select=["empty-mask"]) == {"LG201"}
    assert codes(ignore=["LG0", "LG2"]) == {"LG101"} and codes(select=["LG1", "LG201"], ignore=["LG1"]) == {"LG201"}
    with pytest.raises(UsageError, match="'LG9' names no check"):
        codes(select=["LG9"])


def test_failing_depends_on_the_severity(masks: Path) -> None:
    report = labelguard.scan(masks, spec=LabelSpec(8), ignore=["LG001"])
    assert not report.fails() and report.fails(Severity.WARNING) and not report.fails(None)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_taken_early_is_marked_incomplete(masks: Path, jobs: int) -> None:
    scan = Scan(plan_scan([masks], ScanOptions(jobs=jobs)))
    reports = iter(scan)
    next(reports)
    assert not scan.result().complete
    list(reports)
    assert scan.result().complete


def test_no_masks_is_said_with_what_there_is_instead(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(IncompleteError, match=r"No masks found in '.*' \(files of other types: 1 .txt\)"):
        labelguard.scan(tmp_path)
    with pytest.raises(IncompleteError, match="does not exist"):
        labelguard.scan(tmp_path / "nowhere")


def test_a_wrapped_shift_gathers_shapes_only_where_they_are_needed(tmp_path: Path) -> None:
    root = folder(tmp_path, {f"{i}.png": bands(255, 0, 1) for i in range(3)})
    assert labelguard.scan(root, spec=LabelSpec(4)).data.erosion[255].num_pixels == 3 * 14 * 30
    assert not labelguard.scan(root, spec=LabelSpec(4, 255)).data.erosion
    assert not labelguard.scan(root, spec=LabelSpec(4), select=["LG0"]).data.erosion


def test_batches_and_crops_are_looked_at_only_where_asked(masks: Path) -> None:
    plain = labelguard.scan(masks, spec=LabelSpec(8, 7))
    assert not plain.data.training.crops and {"LG207", "LG208", "LG209"} <= {skipped.code for skipped in plain.skipped_checks}
    asked = labelguard.scan(masks, spec=LabelSpec(8, 7), batch_size=2, crop=(8, 8))
    assert {path: crop.blind for path, crop in asked.data.training.crops.items()} == {"a.png": 0, "c.png": 0, "sub/b.png": 5 * 23}
    assert not any(skipped.code in ("LG207", "LG208", "LG209") for skipped in asked.skipped_checks)
    assert {"LG207", "LG209"} <= {finding.code for finding in asked.findings}
    assert [skipped.why for skipped in labelguard.scan(masks, batch_size=2).skipped_checks if skipped.code == "LG207"] == [
        "no class count declared"]


@pytest.mark.slow
def test_crops_are_the_same_in_processes(masks: Path) -> None:
    one, other = (labelguard.scan(masks, spec=LabelSpec(8, 7), batch_size=2, crop=(8, 8), jobs=jobs, backend=backend)
                  for jobs, backend in ((1, "threading"), (2, "loky")))
    assert one.data.training.crops == other.data.training.crops and one.findings == other.findings


def test_numbers_that_make_no_sense_are_refused(masks: Path) -> None:
    with pytest.raises(UsageError, match="batch_size is 0"):
        labelguard.scan(masks, batch_size=0)
    with pytest.raises(UsageError, match=r"crop is \(64,\)"):
        labelguard.scan(masks, crop=(64,))


def test_real_data_gives_exactly_what_is_true_of_it(real_data: Path) -> None:
    def codes(folder: str, spec: LabelSpec) -> list[Any]:
        return [(finding.code, finding.severity.value) for finding in labelguard.scan(real_data / folder, spec=spec).findings]

    assert codes("camvid/masks", LabelSpec(12)) == codes("camvid/masks", LabelSpec(11, 11)) == []
    assert codes("cityscapes/labelIds", LabelSpec(34)) == [("LG204", "note")]  # eight classes never come up in eight files
    assert codes("voc_palette/masks", LabelSpec(21, 255)) == [("LG204", "note")]
    assert codes("drive_smoothed/original_masks", LabelSpec(2)) == [("LG104", "error")]
    assert codes("drive_smoothed/masks", LabelSpec(2)) == codes("drive_smoothed/masks", LabelSpec()) == [("LG301", "error")]
    assert {code for code, _ in codes("dsb2018_mixed/masks", LabelSpec(2))} == {"LG005", "LG007", "LG104"}
    assert set(codes("blast_jpeg", LabelSpec(2))) == {("LG002", "error")}


def test_real_empty_masks_are_found(real_data: Path) -> None:
    findings = labelguard.scan(real_data / "pets" / "masks", spec=LabelSpec(3)).findings
    assert [finding.path for finding in findings if finding.code == "LG201"] == [
        f"{n}.png" for n in ("1065", "1379", "1441", "2073", "254", "294", "714")] and len(findings) == 7


def test_a_real_set_whose_labels_wrapped_is_named_with_shift_share_and_fix(real_data: Path, tmp_path: Path) -> None:
    files = sorted((real_data / "camvid" / "masks").glob("*.png"))[::3]
    sky = 0
    for path in files:
        label_img = labelguard.read(path).labels.copy()
        sky += int((label_img == 0).sum())
        label_img -= 1
        folder(tmp_path, {path.name: label_img})
    (finding,) = labelguard.scan(tmp_path, spec=LabelSpec(12)).findings
    assert finding.code == "LG102" and "shifted by -1 in uint8" in finding.message and finding.pixels == sky
    assert str(finding.fix) == f"labelguard remap {tmp_path} --shift 1 --merge 255:0 --num-classes 12"
    restored = labelguard.read(tmp_path / files[0].name).labels.astype(np.int64) + 1
    restored[restored == 256] = 0
    assert np.array_equal(restored, labelguard.read(files[0]).labels)
