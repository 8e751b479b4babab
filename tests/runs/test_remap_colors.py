"""remap --colors over a folder: what was painted becomes ids, whole and accounted for, and what is no color of the table stays behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import labelguard
from labelguard import ColorsToIds, LabelSpec, Pipeline, Remap, UsageError, remap
from labelguard.cli.commands import main
from labelguard.files.colors import color_of_number
from labelguard.runs import color_stage
from labelguard.spec.declarations import read_preset
from tests.runs.rewriting import tree

PALETTE = np.array([(0, 0, 0), (128, 0, 0), (0, 128, 0), (224, 224, 192)], np.uint8)
IDS = np.repeat(np.repeat(np.random.default_rng(1).integers(0, 4, (6, 8)), 8, 0), 8, 1)
LABELS = np.where(IDS == 3, 255, IDS)
PICTURE = PALETTE[IDS]


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    folder = tmp_path / "masks"
    (folder / "b").mkdir(parents=True)
    Image.fromarray(PICTURE).save(folder / "a.png")
    Image.fromarray(PICTURE).save(folder / "b" / "c.bmp")
    return folder


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [*map(str, arguments)])
    return result.exit_code, result.output


def test_pictures_become_ids_with_a_receipt(masks: Path) -> None:
    code, text = run("remap", masks, "--colors", "voc")
    out = masks.with_name("masks-remapped")
    assert code == 0 and "2 files written" in text and "every color accounted for" in text and "224,224,192" in text
    for name in ("a.png", "b/c.png"):
        mask = labelguard.read(out / name)
        assert np.array_equal(mask.labels, LABELS) and mask.stored is not None and mask.stored.encoding == "png, 8-bit grey"
    receipt = json.loads((out / "labelguard-receipt.json").read_text())
    assert receipt["table"] == {"0,0,0": 0, "128,0,0": 1, "0,128,0": 2, "224,224,192": 255}
    assert receipt["files"]["a.png"]["after"] == {str(label): int((label == LABELS).sum()) for label in (0, 1, 2, 255)}
    assert not labelguard.scan(out, num_classes=21, ignore_index=255, select="LG0").findings
    assert remap(out, shift=1, num_classes=22, ignore_index=255).exit_code() == 0   # the ids have not been moved before


def test_the_colors_of_a_photograph_are_not_counted(masks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.zeros((1, 20, 3), np.uint8) + np.arange(20, dtype=np.uint8)[None, :, None]
    Image.fromarray(many).save(masks / "photograph.png")  # 19 colors beside black
    for most, counted in ((19, 20), (18, 0)):
        monkeypatch.setattr(color_stage, "_MOST_UNKNOWN", most)
        before = remap(masks, colors="voc", dry_run=True).before
        assert len(before.keys() - {0, 0x800000, 0x8000, 0xE0E0C0}) == max(0, counted - 1)


def test_other_names_for_the_same_ids_are_told(masks: Path) -> None:
    (masks.parent / "map.txt").write_text("sky:0,0,0::\nroad:128,0,0::\nlane:0,128,0::\nroof:224,224,192::\n")
    code, text = run("remap", masks, "--colors", masks.parent / "map.txt", "--preset", "voc", "--dry-run")
    assert code == 0 and "'background' for 'sky', 'aeroplane' for 'road'" in " ".join(text.split())
    report = remap(masks, colors=masks.parent / "map.txt", names=("sky", "Road", "lane", "roof"), dry_run=True)
    assert not any("stand for" in sentence for sentence in report.about)


def test_one_foreign_pixel_keeps_its_file_back_with_its_place(masks: Path) -> None:
    picture = PICTURE.copy()
    picture[20, 30] = (127, 1, 0)
    Image.fromarray(picture).save(masks / "odd.png")
    report = remap(masks, colors="voc")
    finding, = report.findings
    assert (finding.code, finding.path, finding.first, finding.pixels) == ("LG003", "odd.png", (20, 30), 1)
    assert "127,1,0 on 1 pixel, first at row 20, column 30; the nearest in the table is 128,0,0, 1 away" in finding.evidence[0]
    assert report.unwritten == 1 and report.exit_code() == 1 and not os.path.exists(f"{masks}-remapped/odd.png")


def test_smoothed_edges_and_lossy_files_and_alpha_are_refused(masks: Path) -> None:
    Image.fromarray(PICTURE).resize((40, 30), Image.Resampling.BILINEAR).save(masks / "smooth.png")
    Image.fromarray(PICTURE).save(masks / "lossy.jpg")
    Image.fromarray(np.dstack([PICTURE, np.where(IDS == 1, 0, 255).astype(np.uint8)])).save(masks / "alpha.png")
    (masks / "damaged.png").write_bytes((masks / "a.png").read_bytes()[:-20])
    report = remap(masks, colors="voc")
    assert {(finding.path, finding.code) for finding in report.findings} == {
        ("smooth.png", "LG003"), ("lossy.jpg", "LG002"), ("alpha.png", "LG003"), ("damaged.png", "LG001")}
    smooth, = (finding for finding in report.findings if finding.path == "smooth.png")
    assert "as smoothing leaves it" in " ".join(smooth.evidence)
    assert len(report.written) == 2


def test_a_dry_run_counts_colors_and_writes_nothing(masks: Path) -> None:
    picture = PICTURE.copy()
    picture[0, :20] = [(9, 9, value) for value in range(20)]
    Image.fromarray(picture).save(masks / "odd.png")
    Image.fromarray(PICTURE).save(masks / "lossy.jpg")
    code, text = run("remap", masks, "--colors", "voc", "--dry-run")
    assert code == 1 and "20 colors would be refused" in text and "8 more" in text and "LG002" in text
    assert not os.path.exists(f"{masks}-remapped")
    report = remap(masks, colors="voc", dry_run=True)
    assert report.before[0x800000] == 2 * int((IDS == 1).sum()) + int((picture == (128, 0, 0)).all(axis=2).sum())


def test_the_same_bytes_whatever_the_workers_and_when_it_is_resumed(masks: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("one", "two", "three")]
    remap(masks, outs[0], colors="voc", jobs=1)
    remap(masks, outs[1], colors="voc", jobs=2)
    remap(masks, outs[2], colors="voc")
    (outs[2] / "a.png").unlink()
    remap(masks, outs[2], colors="voc", resume=True)
    assert tree(outs[0]) == tree(outs[1]) == tree(outs[2])


def test_a_part_is_changed_and_the_rest_copied(masks: Path) -> None:
    before = (masks / "a.png").read_bytes()
    report = remap(masks, colors="voc", include="b/")
    out = masks.with_name("masks-remapped")
    assert report.copied == 1 and (out / "a.png").read_bytes() == before
    assert np.array_equal(labelguard.read(out / "b/c.png").labels, LABELS)


def test_packed_ids_are_written_as_tiff_of_32_bits(masks: Path, tmp_path: Path) -> None:
    report = remap(masks, tmp_path / "out", colors="rgb-ids")
    assert sorted(file.name for file in report.written) == ["a.tif", "b/c.tif"] and "TIFF" in str(report)
    ids = labelguard.read(tmp_path / "out/a.tif").labels
    assert np.array_equal(ids, PICTURE.astype(int) @ (1, 256, 65536)) and np.array_equal(Image.open(tmp_path / "out/a.tif"), ids)


def test_what_a_file_declares_and_what_the_options_do(masks: Path) -> None:
    (masks.parent / "labelmap.txt").write_text("background:0,0,0::\nplane:128,0,0::\nbike:0,128,0::\n__ignore__:224,224,192::\n")
    report = remap(masks, colors=masks.parent / "labelmap.txt", ignore_index=200)
    assert report.spec == LabelSpec(3, 200, ("background", "plane", "bike")) and report.moves[0xE0E0C0] == 200
    assert "3 colors for 3 classes, and 1 color for what is ignored (200)" in report.about[0]


@pytest.mark.parametrize("arguments", [{"shift": 1}, {"merge": {0: 1}}, {"table": {0: 1}}, {"holding": 3}])
def test_colors_are_a_step_of_their_own(masks: Path, arguments: Any) -> None:
    with pytest.raises(UsageError, match="step of their own"):
        remap(masks, colors="voc", **arguments)


def test_a_table_in_python(masks: Path) -> None:
    report = remap(masks, colors={tuple(color): label for label, color in enumerate(PALETTE.tolist())})
    assert np.array_equal(labelguard.read(masks.with_name("masks-remapped") / "a.png").labels, IDS) and report.spec.num_classes == 4


def test_a_file_of_one_channel_is_taken_for_grey_and_that_is_said(masks: Path) -> None:
    Image.fromarray(np.zeros((4, 5), np.uint8)).save(masks / "black.png")
    for report in (remap(masks, colors="voc", dry_run=True), remap(masks, colors="voc")):
        finding, = report.findings
        assert (finding.path, finding.severity, report.exit_code()) == ("black.png", "warning", 0)
        assert finding.message == ("Has one channel, which is read as grey: 0,0,0. If it holds ids already, what became of them is wrong.")
    assert len(report.written) == 3


def test_ids_are_no_colors(masks: Path) -> None:
    Image.fromarray(np.array([[0, 1, 2]], np.uint8)).save(masks / "ids.png")
    finding, = remap(masks, colors="voc").findings
    assert finding.path == "ids.png" and finding.evidence[-1] == "every pixel is grey: if these are ids already, leave the file out"


def test_colors_are_not_made_ids_twice(masks: Path, tmp_path: Path) -> None:
    remap(masks, tmp_path / "ids", colors="voc")
    with pytest.raises(UsageError, match="its colors were made ids before"):
        remap(tmp_path / "ids", tmp_path / "out", colors="voc")
    remap(tmp_path / "ids", tmp_path / "out", colors="voc", again=True)


def test_ids_that_were_moved_after_colors_are_not_moved_twice(masks: Path, tmp_path: Path) -> None:
    labelguard.run(Pipeline([ColorsToIds("voc"), Remap(1, num_classes=22, ignore_index=255)]), masks, tmp_path / "ids")
    with pytest.raises(UsageError, match="was remapped before"):
        remap(tmp_path / "ids", tmp_path / "out", shift=1, num_classes=23, ignore_index=255)


SETS = {"camvid/masks": "camvid", "cityscapes/labelIds": "", "cityscapes/instanceIds": "", "voc_palette/masks": "voc", "pets/masks": "",
        "polyp/masks": "", "tiff_labels": ""}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_painted_versions_of_real_sets_give_all_ids_back(real_data: Path, tmp_path: Path, name: str) -> None:
    files = [path for path in sorted((real_data / name).rglob("*")) if path.suffix in (".png", ".tif")][:2]
    masks = {f"{i}.png": labelguard.read(path).labels for i, path in enumerate(files)}
    ids = sorted({int(label) for labels in masks.values() for label in np.unique(labels)})
    spec = read_preset(SETS[name]) if SETS[name] else None
    own = {label: color_of_number((label * 0x9E3779 + 0x123456) % (1 << 24)) for label in ids}
    void = {"camvid": (11, (0, 0, 0)), "voc": (255, (224, 224, 192))}
    colors = own if spec is None else dict([*enumerate(spec.colors), void[SETS[name]]])
    lookup = np.zeros((max(ids) + 1, 3), np.uint8)
    lookup[ids] = [colors[label] for label in ids]
    (tmp_path / "in").mkdir()
    for file, labels in masks.items():
        Image.fromarray(lookup[labels]).save(tmp_path / "in" / file)
    report = remap(tmp_path / "in", tmp_path / "out", colors=SETS[name] or {color: label for label, color in own.items()})
    assert len(report.written) == len(masks) and not report.findings
    assert all(np.array_equal(labelguard.read(tmp_path / "out" / file).labels, labels) for file, labels in masks.items())
