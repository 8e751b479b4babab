"""One bad mask among many: file, row, column and value are named, the rest is probed in the same run, and nobody else is blamed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labelguard import LabelSpec
from labelguard.lossprobe import ImportPath, ProbeReport, probe
from tests.drawn import write_png

pytestmark = pytest.mark.slow  # each test starts a process that imports torch

pytest.importorskip("torch")
LOSSES = f"{Path(__file__).with_name('losses.py')}:"
CE = "torch.nn:CrossEntropyLoss"


def finding_of(report: ProbeReport, code: str) -> dict:
    found, = (finding for finding in json.loads(report.to_json())["findings"] if finding["code"] == code)
    return found


def draw(folder: Path, number: int = 20) -> Path:
    for index in range(number):
        write_png(folder / f"{index:02}.png", np.roll(np.arange(48, dtype=np.uint8) // 12, 3 * index)[None].repeat(32, axis=0))
    return folder


def plant(folder: Path, name: str, pixel: tuple[int, int], value: int) -> None:
    labels = np.array(Image.open(folder / name))
    labels[pixel] = value
    (folder / name).unlink()    # which may be a link to the real one
    write_png(folder / name, labels)


def test_one_pixel_in_one_of_many_masks(tmp_path: Path) -> None:
    plant(draw(tmp_path), "13.png", (10, 20), 255)
    report = probe(tmp_path, loss=CE, spec=LabelSpec(4), batch_size=8, seed=3)
    finding, summary = finding_of(report, "LG503"), report.losses[0]
    assert (finding["path"], finding["first"], finding["ids"], finding["pixels"]) == ("13.png", [10, 20], [255], 1)
    assert finding["level"] == "pixel" and finding["batch"][finding["sample"]] == "13.png" and len(finding["batch"]) == 8
    assert len(report.findings) == 1 and (summary.starts, summary.batches, summary.failed) == (1, 3, 1) and report.complete


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code", "starts"), [("raise", "LG503", 1), ("abort", "LG502", 3)])
def test_of_three_bad_masks_only_the_one_at_fault_is_blamed(tmp_path: Path, how: str, code: str, starts: int) -> None:
    draw(tmp_path)
    for name, value in (("03.png", 40), ("11.png", 77), ("17.png", 90)):
        plant(tmp_path, name, (5, 6), value)
    report = probe(tmp_path, loss=ImportPath(f"{LOSSES}RefusesSevens", {"how": how}), spec=LabelSpec(4), batch_size=20)
    finding, summary = finding_of(report, code), report.losses[0]
    assert (finding["path"], finding["first"], finding["ids"], finding["level"]) == ("11.png", [5, 6], [77], "pixel")
    assert summary.starts == starts and summary.batches == 1 and report.complete
    assert {found.code: found.concerns for found in report.findings} == {code: ("11.png",), "LG507": ("03.png", "17.png")}
    assert "losses.py:" in finding["source"] and ("os.abort()" in finding["source"]) is (how == "abort")


@pytest.mark.slow
def test_one_pixel_in_one_of_40_camvid_masks(tmp_path: Path, real_data: Path) -> None:
    for mask in sorted((real_data / "camvid" / "masks").glob("*.png"))[::9][:40]:
        (tmp_path / mask.name).symlink_to(mask)
    names = sorted(path.name for path in tmp_path.iterdir())
    plant(tmp_path, names[30], (123, 321), 255)
    report = probe(tmp_path, loss=CE, spec=LabelSpec(12), batch_size=8)
    finding, summary = finding_of(report, "LG503"), report.losses[0]
    assert (finding["path"], finding["first"], finding["ids"]) == (names[30], [123, 321], [255])
    assert len(report.findings) == 1 and summary.starts <= 3 and report.complete
    assert (len(names), summary.batches, summary.failed, summary.largest) == (40, 5, 1, 8)
