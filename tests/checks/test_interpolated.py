"""LG301: masks that were smoothed, told from thin classes, bands, nested labels and noise."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from fixtures.exam.scenes import Setting, label_maps
from labelguard import read, scan
from labelguard.checks import interpolated as check
from labelguard.cli import main
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import NOTHING, Labels, all_findings, dataset, on_dataset, saved
from tests.drawn import folder

BILINEAR, BICUBIC, LANCZOS, NEAREST = (Image.Resampling[name] for name in ("BILINEAR", "BICUBIC", "LANCZOS", "NEAREST"))
SHAPES = [(192, 256), (256, 192)]


def ellipse(shape: tuple[int, int], rng: np.random.Generator, size: float = 1) -> Labels:
    """Where one ellipse lies."""
    y, x = np.mgrid[:shape[0], :shape[1]]
    (top, left), angle = rng.uniform(0.15, 0.85, 2) * shape, rng.uniform(0, np.pi)
    a, b = rng.uniform(0.08, 0.28, 2) * min(shape) * size
    u, v = (x - left) * np.cos(angle) + (y - top) * np.sin(angle), (y - top) * np.cos(angle) - (x - left) * np.sin(angle)
    return (u / a) ** 2 + (v / b) ** 2 < 1


def blobs(classes: int, seed: int = 0, shape: tuple[int, int] = SHAPES[0], values: tuple[int, ...] = ()) -> Labels:
    """Ellipses of all sizes on a background; `values` are the ids of the classes."""
    rng = np.random.default_rng(seed)
    ids = np.array(values or range(classes), np.uint8)
    labels = np.full(shape, ids[0], np.uint8)
    for i in range(10):
        labels[ellipse(shape, rng)] = ids[1 + i % (classes - 1)] if classes < 12 else rng.choice(ids)
    return labels


def resized(labels: Labels, filter_: Image.Resampling, scale: float, *, back: bool = False) -> Labels:
    """What a resize makes of a mask; `back`: to the old size by nearest neighbor, as people do who need the size."""
    height, width = (max(1, round(side * scale)) for side in labels.shape)
    image = Image.fromarray(labels).resize((width, height), filter_)
    return np.asarray(image.resize(labels.shape[::-1], NEAREST) if back else image)


def jpeg(labels: Labels, quality: int = 90) -> Labels:
    """What is left of a mask that was a JPEG in between."""
    return np.asarray(Image.open(BytesIO(saved(Image.fromarray(labels), "JPEG", quality=quality))))


def some(make: Callable[[int], Labels], files: int = 6) -> list[Labels]:
    return [make(seed) for seed in range(files)]


def the_finding(masks: list[Labels], spec: LabelSpec = NOTHING) -> Finding:
    finding, = on_dataset(check, masks, spec)
    return finding


# --- what it must find --------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("classes", [4, 19, 150, 256])
@pytest.mark.parametrize(("filter_", "scale", "back"), [
    (BILINEAR, 0.3, True), (BILINEAR, 0.5, False), (BILINEAR, 2 / 3, True), (BILINEAR, 1.3, False), (BILINEAR, 3, False),
    (BICUBIC, 0.4, True), (BICUBIC, 0.75, False), (BICUBIC, 2, False), (LANCZOS, 0.5, False), (LANCZOS, 1.5, False)])
def test_smoothing_is_found_at_any_scale(shape: tuple[int, int], classes: int, filter_: Image.Resampling, scale: float, back: bool) -> None:
    exact = some(lambda seed: blobs(classes, seed, shape))
    assert on_dataset(check, exact) == []
    finding = the_finding([resized(labels, filter_, scale, back=back) for labels in exact])
    by_one = classes == 4 and scale == 3  # as in grades that lie one within the other
    assert finding.severity is (Severity.WARNING if by_one else Severity.ERROR) and len(finding.files) >= 5


def test_legal_ids_in_between_are_found() -> None:
    """Recipe 4 of the research: five classes, bilinear to 2/3, back up by nearest; no id is out of range."""
    finding = the_finding([resized(blobs(5, seed), BILINEAR, 2 / 3, back=True) for seed in range(6)], LabelSpec(5))
    assert len(finding.files) == 6 and "between those on either side" in finding.message
    assert "every id is legal, so no loss will ever complain" in finding.evidence
    assert "No table can undo it" in str(finding.fix) and "labelguard remap" not in str(finding.fix)


def test_three_classes_have_a_single_id_in_between() -> None:
    nested = [np.where(blobs(2, seed) == 1, 2, blobs(2, seed + 50)).astype(np.uint8) for seed in range(6)]
    assert on_dataset(check, nested) == []
    finding = the_finding([resized(labels, BILINEAR, 0.6) for labels in nested], LabelSpec(3))
    assert "most often in between: 1" in finding.evidence and finding.ids == ()


@pytest.mark.parametrize("filter_", ["INTER_LINEAR", "INTER_AREA", "INTER_CUBIC", "INTER_LANCZOS4"])
@pytest.mark.parametrize("scale", [0.6, 1.7])
def test_filters_of_opencv(filter_: str, scale: float) -> None:
    cv2 = pytest.importorskip("cv2")
    masks = [cv2.resize(blobs(19, seed), None, fx=scale, fy=scale, interpolation=getattr(cv2, filter_)) for seed in range(4)]
    if filter_ == "INTER_AREA" and scale > 1:
        return  # enlarging by area is bilinear in some releases and nearest in others
    assert len(the_finding(masks).files) == 4


@pytest.mark.parametrize(("filter_", "words"), [(BILINEAR, "bilinear or area"), (LANCZOS, "bicubic or Lanczos")])
def test_overshoot_tells_the_filters_apart(filter_: Image.Resampling, words: str) -> None:
    assert words in the_finding([resized(blobs(19, seed), filter_, 1.5) for seed in range(4)]).message


@pytest.mark.parametrize("quality", [95, 90, 75])
@pytest.mark.parametrize("values", [tuple(range(0, 190, 10)), (0, 255)])
def test_a_jpeg_saved_as_png_is_told_by_its_blocks(quality: int, values: tuple[int, ...]) -> None:
    finding = the_finding([jpeg(blobs(len(values), seed, values=values), quality) for seed in range(6)])
    assert finding.message.startswith("Masks were stored as JPEG before") and len(finding.files) == 6
    assert any("8 x 8" in line for line in finding.evidence)


def test_a_jpeg_of_few_classes_is_found() -> None:
    assert len(the_finding([jpeg(blobs(5, seed)) for seed in range(6)], LabelSpec(5)).files) == 6


@pytest.mark.parametrize("fault", [lambda labels: resized(labels, BILINEAR, 0.5), lambda labels: resized(labels, BICUBIC, 0.8), jpeg])
@pytest.mark.parametrize("classes", [5, 19, 150])
@pytest.mark.slow
def test_one_file_among_many(fault: Callable[[Labels], Labels], classes: int) -> None:
    masks = some(lambda seed: blobs(classes, seed), 60)
    masks[41] = fault(masks[41])
    finding = the_finding(masks, LabelSpec(classes))
    assert finding.files == ("041",)
    assert any(line.startswith("in the other 59 files it is ") for line in finding.evidence)


def test_thumbnails_are_judged_together() -> None:
    masks = [resized(blobs(19, seed), BILINEAR, 0.2) for seed in range(30)]
    assert len(the_finding(masks).files) >= 25
    assert on_dataset(check, [resized(blobs(19, seed), NEAREST, 0.2) for seed in range(30)]) == []


@pytest.mark.parametrize(("side", "found"), [(36, True), (35, False)])
def test_below_a_size_nothing_is_said(side: int, found: bool) -> None:
    """Shrunk that much, honest shapes have borders as narrow as smoothing leaves."""
    data = dataset([np.asarray(Image.fromarray(blobs(19, seed)).resize((64, side), BILINEAR)) for seed in range(30)])
    assert bool(on_dataset(check, data)) is found
    assert bool(check.why_not(data, NOTHING)) is not found


# --- what it must leave alone -------------------------------------------------------------------------------------------------------------

def trimap(seed: int, width: int) -> Labels:
    """0, 255 and a band of 128 around every object."""
    inside = np.pad(blobs(2, seed), width, mode="edge").astype(bool)
    boxes = np.lib.stride_tricks.sliding_window_view(inside, (2 * width + 1,) * 2)
    return np.where(boxes.all(axis=(2, 3)), 255, np.where(boxes.any(axis=(2, 3)), 128, 0)).astype(np.uint8)


def outlined(labels: Labels, line: int, width: int = 1) -> Labels:
    """A line of an id around everything."""
    padded = np.pad(labels, width, mode="edge")
    boxes = np.lib.stride_tricks.sliding_window_view(padded, (2 * width + 1,) * 2)
    return np.where(boxes.max(axis=(2, 3)) != boxes.min(axis=(2, 3)), line, labels).astype(np.uint8)


def nested(seed: int, levels: int) -> Labels:
    """1 in 0, 2 in 1, 3 in 2 ..., with rims of all widths."""
    labels = np.zeros(SHAPES[0], np.uint8)
    for part in range(5):
        for level in range(1, levels):
            labels[ellipse(SHAPES[0], np.random.default_rng(100 * seed + part), 1.6 * (1 - level / (levels + 0.5)))] = level
    return labels


def wired(seed: int) -> Labels:
    """Lines of 1 and 3 pixels, of classes whose ids lie between those of the areas."""
    labels, rng = blobs(3, seed, values=(0, 2, 4)), np.random.default_rng(seed)
    for i in range(10):
        start, width = rng.integers(5, 150), 1 + 2 * (i % 2)
        if i % 3:
            labels[start:start + width, :] = 1 + 2 * (i % 2)
        else:
            labels[:, start:start + width] = 1 + 2 * (i % 2)
    return labels


LOOK_ALIKES: dict[str, Callable[[int], Labels]] = {
    "exact": lambda seed: blobs(19, seed),
    **{f"trimap, {width} px": lambda seed, width=width: trimap(seed, width) for width in (1, 2, 3, 5)},
    **{f"cell borders, {width} px": lambda seed, width=width: outlined(2 * blobs(2, seed), 1, width) for width in (1, 2)},
    "void lines": lambda seed: outlined(blobs(19, seed), 255),
    "wires": wired,
    **{f"nested, {levels} levels": lambda seed, levels=levels: nested(seed, levels) for levels in (3, 4, 6)},
    **{f"nearest, {scale}": lambda seed, scale=scale: resized(blobs(19, seed), NEAREST, scale) for scale in (0.2, 0.5, 1.5, 2, 4, 8)},
    "all byte values": lambda seed: np.kron(np.random.default_rng(seed).permutation(256).reshape(16, 16), np.ones((9, 9))).astype(np.uint8),
    "noise": lambda seed: np.random.default_rng(seed).integers(0, 256, (100, 100), np.uint8),
    "gradient": lambda seed: np.arange(seed, seed + 64 * 64).reshape(64, 64) // 16 % 256,
    "touching instances": lambda seed: np.pad(np.kron(np.random.default_rng(seed).permutation(np.arange(1, 226)).reshape(15, 15),
                                                      np.ones((4, 4))), 40).astype(np.uint8),
    "instances": lambda seed: np.kron(np.random.default_rng(seed).permutation(2500).reshape(50, 50), np.ones((2, 2))).astype(np.uint16),
    "empty": lambda seed: np.full((64, 64), seed // 3, np.uint8),
    "one pixel": lambda seed: np.full((1, 1), seed, np.uint8),
}


@pytest.mark.parametrize("make", LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_it_leaves_alone(make: Callable[[int], Labels]) -> None:
    assert on_dataset(check, some(make)) == []


def test_lossy_files_and_colors_are_left_to_their_own_checks(tmp_path: Path) -> None:
    for seed in range(3):
        (tmp_path / f"{seed}.jpg").write_bytes(saved(Image.fromarray(blobs(5, seed)), "JPEG"))
    assert {finding.code for finding in scan(tmp_path, spec=LabelSpec(5)).findings} == {"LG002"}


# --- together with other checks -----------------------------------------------------------------------------------------------------------

def test_ids_out_of_range_are_symptoms() -> None:
    masks = [resized(blobs(2, seed, values=(0, 255)), BILINEAR, 0.5) for seed in range(4)]
    assert {finding.code for finding in all_findings(masks, LabelSpec(2))} == {"LG301"}


@pytest.mark.parametrize(("fault", "expected"), [
    (lambda labels: labels, ["LG104"]), (lambda labels: resized(labels, BILINEAR, 0.5), ["LG104", "LG301"])])
def test_a_smoothed_file_does_not_hide_what_is_wrong_with_the_others(fault: Callable[[Labels], Labels], expected: list[str]) -> None:
    masks = some(lambda seed: blobs(2, seed, values=(0, 255)), 12)
    masks[3] = fault(masks[3])
    findings = sorted(all_findings(masks, LabelSpec(2)), key=lambda finding: finding.code)
    assert [finding.code for finding in findings] == expected
    assert len(findings[0].files) == 12 - (len(expected) - 1)


def test_ids_that_wrapped_are_not_in_order_and_nothing_lies_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """254, 255 and 0 were void, 0 and 1: whatever looks like smoothing then is the shift."""
    masks = [np.where(labels == 0, 255, labels - 1).astype(np.uint8) if seed % 3 else labels
             for seed, labels in enumerate(label_maps(Setting("blobs", 2, (96, 160), 24, "ribbon", seed=3)))]
    monkeypatch.setattr(check, "smoothed_files", lambda data: list(data.records))
    assert [finding.code for finding in all_findings(masks, LabelSpec(2, 255))] == ["LG102"]
    legal = [np.where(labels == 255, 0, labels) for labels in masks]
    assert check.without_smoothed(dataset(legal, LabelSpec(256)), LabelSpec(256)).smoothed


def test_what_a_filter_left_is_no_class_and_no_object() -> None:
    """Many ids beyond the classes lie along borders; cut to 8 bits, numbers of objects would be as many."""
    masks = [resized(labels, BICUBIC, 2 / 3, back=True) for labels in label_maps(Setting("blobs", 5, (64, 192), 12, "ribbon", seed=5))]
    assert [finding.code for finding in all_findings(masks, LabelSpec(5, 255)) if finding.severity is Severity.ERROR] == ["LG301"]


def test_files_of_which_something_else_is_known_are_not_looked_at() -> None:
    data = dataset(some(lambda seed: resized(blobs(5, seed), BILINEAR, 0.5)))
    assert check.without_smoothed(data, NOTHING).smoothed
    assert not check.without_smoothed(data.distrusting([record.path for record in data.records]), NOTHING).smoothed


def test_nothing_is_gathered_where_nobody_asks(tmp_path: Path) -> None:
    folder(tmp_path, {f"{seed}.png": resized(blobs(5, seed), BILINEAR, 0.5) for seed in range(3)})
    assert all(record.label_runs is None for record in scan(tmp_path, ignore=["LG301"]).data.records)
    assert all(record.label_runs is not None for record in scan(tmp_path, select=["LG301"]).data.records)


# --- the repair ---------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("fault", "values", "spec"), [
    (lambda labels: resized(labels, BILINEAR, 0.5), (0, 255), LabelSpec(2)), (jpeg, (0, 255), LabelSpec()),
    (lambda labels: resized(labels, LANCZOS, 1.5), (30, 200), LabelSpec(2)), (jpeg, (30, 200), LabelSpec(2))])
def test_two_values_are_cut_at_half_by_the_command(fault: Callable[[Labels], Labels], values: tuple[int, int], spec: LabelSpec,
                                                   tmp_path: Path) -> None:
    exact = some(lambda seed: blobs(2, seed, values=values), 4)
    root = folder(tmp_path / "masks", {f"{seed}.png": fault(labels) for seed, labels in enumerate(exact)})
    finding, = scan(root, spec=spec, select=["LG301"]).findings
    words, = finding.fix.commands
    assert words[:3] == ("labelguard", "remap", str(root))
    result = CliRunner().invoke(main, words[1:])
    assert result.exit_code == 0, result.output
    assert scan(tmp_path / "masks-remapped", spec=LabelSpec(2)).findings == ()
    for seed, labels in enumerate(exact):
        mended = read(tmp_path / "masks-remapped" / f"{seed}.png").labels
        if mended.shape == labels.shape:
            assert ((labels == values[1]) == mended).mean() > 0.99


def test_the_command_reads_as_a_person_would_write_it() -> None:
    masks = [resized(blobs(2, seed, values=(0, 255)), BILINEAR, 0.5) for seed in range(4)]
    assert str(the_finding(masks).fix) == "labelguard remap masks --merge 1-127:0 --merge 128-255:1 --num-classes 2"


def test_no_command_where_the_lower_value_may_be_the_object() -> None:
    masks = [resized(255 - blobs(2, seed, values=(0, 255)), BILINEAR, 0.5) for seed in range(4)]
    assert not the_finding(masks).fix.commands


@pytest.mark.parametrize("spec", [LabelSpec(256), LabelSpec(2, 255)])
def test_no_command_where_the_ids_in_between_may_be_meant(spec: LabelSpec) -> None:
    masks = [resized(blobs(2, seed, values=(0, 255)), BILINEAR, 0.5) for seed in range(4)]
    assert not the_finding(masks, spec).fix.commands


def test_no_command_where_other_files_hold_more() -> None:
    masks = [*some(lambda seed: blobs(5, seed)), *(resized(blobs(2, seed, values=(0, 4)), BILINEAR, 0.3) for seed in range(3))]
    assert all(not finding.fix.commands for finding in on_dataset(check, masks))


# --- real masks ---------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["camvid/masks", "cityscapes/labelIds", "cityscapes/instanceIds", "voc_palette/masks", "pets/masks",
                                  "polyp/masks", "tiff_labels", "grey_levels_per_file", "dsb2018_mixed/masks",
                                  "drive_smoothed/original_masks"])
def test_real_sets_are_left_alone(real_data: Path, name: str) -> None:
    assert scan(real_data / name, select=["LG301"]).findings == ()


def test_a_real_set_that_was_smoothed(real_data: Path, tmp_path: Path) -> None:
    finding, = scan(real_data / "drive_smoothed" / "masks", spec=LabelSpec(2)).findings
    assert (finding.code, len(finding.files)) == ("LG301", 8) and set(finding.ids) <= set(range(1, 255)) and len(finding.ids) > 245
    result = CliRunner().invoke(main, [*finding.fix.commands[0][1:], "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert scan(tmp_path / "out", spec=LabelSpec(2)).findings == ()


@pytest.mark.parametrize(("filter_", "scale", "back"), [
    (BILINEAR, 0.5, False), (BILINEAR, 2 / 3, True), (LANCZOS, 0.8, False), (BICUBIC, 2, False)])
def test_real_masks_smoothed_by_us(real_data: Path, filter_: Image.Resampling, scale: float, back: bool) -> None:
    masks = [read(path).labels for path in sorted((real_data / "camvid" / "masks").glob("*.png"))[::40]]
    clean = on_dataset(check, [resized(labels, NEAREST, scale) for labels in masks])
    found = dataset([resized(labels, filter_, scale, back=back) for labels in masks])
    assert clean == [] and {path for finding in on_dataset(check, found) for path in finding.files} == {r.path for r in found.records}


def narrow_grades(size: int, seed: int, shape: tuple[int, int] = (64, 64)) -> Labels:
    """Up to four grades, each a ring of a few pixels around the next."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:shape[0], :shape[1]]
    distance = np.hypot(rows - rng.uniform(24, 40), (columns - rng.uniform(24, 40)) / rng.uniform(0.8, 1.4))
    return sum((distance < size * (1 - 0.2 * step) for step in range(rng.integers(1, 5))), np.zeros(shape)).astype(np.uint8)


@pytest.mark.parametrize("size", [16, 20, 28])
def test_narrow_grades_are_drawn_so(size: int) -> None:
    """Every border is a step of one, and rings are narrow in small files; no single file may be taken for a smoothed one."""
    assert on_dataset(check, [narrow_grades(size + seed % 5, seed) for seed in range(30)]) == []


def test_depth_in_steps_is_drawn_so() -> None:
    rows, columns = np.mgrid[:160, :96]
    slopes = [rows / 160 * (0.4 + seed / 30) + 0.3 * np.sin(columns / (15 + seed)) + 0.2 * np.sin(rows / (20 + seed)) for seed in range(20)]
    assert on_dataset(check, [((each - each.min()) / np.ptp(each) * 31.99).astype(np.uint8) for each in slopes]) == []


@pytest.mark.parametrize("seed", [0, 3, 10])
def test_small_things_of_many_classes_are_drawn_so(seed: int) -> None:
    """In masks of 32 x 32 few ids fill an area, and any of them comes to lie between two others now and then."""
    masks = [labels[::2, ::2] for labels in label_maps(Setting("organs", 81, (64, 64), 40, "areas", seed=seed))]
    assert on_dataset(check, masks) == []


def test_a_thin_part_of_a_single_object_is_drawn_so() -> None:
    assert on_dataset(check, label_maps(Setting("organs", 8, (96, 160), 16, "none", seed=2))) == []


@pytest.mark.parametrize("seed", range(6))
def test_doubled_masks_of_five_classes_have_the_same_ids_in_between_everywhere(seed: int) -> None:
    """From 0 to 4 goes 1, 3: no id varies, and yet three classes that fill areas lie in between, and ids far apart never meet."""
    masks = [cv2.resize(labels, None, fx=2, fy=2) for labels in label_maps(Setting("blobs", 5, (96, 160), 16, "none", seed=seed))]
    finding = the_finding(masks)
    assert finding.severity is Severity.ERROR and len(finding.files) >= 14


def test_grades_of_very_few_pixels_are_undetermined() -> None:
    """Enlarging by four leaves the same: no fact tells the two apart, so that it is not an error."""
    grades = [narrow_grades(9 + seed % 5, seed, (48, 48)) for seed in range(30)]
    enlarged = [cv2.resize(labels, None, fx=4, fy=4) for labels in label_maps(Setting("organs", 5, void="none"))]
    for masks in (grades, enlarged):
        finding = the_finding(masks)
        assert all(record.exact for record in check.without_smoothed(dataset(masks), LabelSpec()).records)
        assert finding.severity is Severity.WARNING and finding.message.startswith("Masks may have been smoothed")


@pytest.mark.parametrize(("last", "severity"), [(11, Severity.WARNING), (10, Severity.ERROR)])
def test_small_objects_of_small_masks_may_have_left_the_same(last: int, severity: Severity) -> None:
    """Parts that lie one within the other, two to eight pixels wide; an id that is not declared is no part."""
    def parts(seed: int) -> Labels:
        labels, size = np.zeros((40, 90), np.uint8), np.random.default_rng(seed).uniform(0.6, 1)
        for label in range(1, 12):
            x, y, a, b = np.random.default_rng(label).random(4) - 0.5
            axes = [max(1, round(size * side * (0.14 + 0.2 * part) / (1 + label / 10))) for side, part in ((90, a), (40, b))]
            cv2.ellipse(labels, (round(45 + 40 * size * x), round(20 + 24 * size * y)), axes, 0, 0, 360, label, -1)
        return labels
    masks, spec = some(parts, 20), LabelSpec(last + 1)
    finding, known = the_finding(masks, spec), check.without_smoothed(dataset(masks, spec), spec)
    assert finding.severity is severity and finding.message.startswith("Masks may") is (last == 11)
    assert all(record.exact for record in known.records) is (last == 11)


def test_files_with_few_borders_are_told_by_their_seams() -> None:
    masks = [labels[::2, ::2] for labels in label_maps(Setting("blobs", 5, (96, 160), 24, "ribbon"))]
    smoothed = [cv2.resize(labels, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
                for labels in label_maps(Setting("blobs", 5, (96, 160), 24, "ribbon"))]
    assert on_dataset(check, masks, LabelSpec(5, 255)) == []
    assert {finding.code for finding in all_findings(smoothed, LabelSpec(5, 255)) if finding.severity is Severity.ERROR} == {"LG301"}


def test_a_smoothed_file_among_exact_ones_is_found() -> None:
    masks = [blobs(12, seed) for seed in range(20)]
    finding = the_finding([*masks, resized(blobs(12, 99), BILINEAR, 0.6)])
    assert finding.files == ("020",)


def test_a_thin_layer_across_a_wide_mask_is_drawn_so() -> None:
    """A single stripe of a class that fills areas elsewhere makes a ramp of every column."""
    def layers(seed: int) -> Labels:
        rng, labels = np.random.default_rng(seed), np.zeros((64, 192), np.uint8)
        for top in np.sort(rng.integers(0, 64, rng.integers(2, 7))):
            labels[top:] = rng.integers(0, 5)
        return labels
    assert on_dataset(check, [layers(13_000 + number) for number in range(12)]) == []


@pytest.mark.parametrize(("classes", "found"), [(3, False), (5, True)])
@pytest.mark.parametrize("files", [(4,), (0, 1, 2, 3, 4, 5, 6, 7)])
def test_drawing_with_soft_edges_is_told_from_five_classes_on(classes: int, found: bool, files: tuple[int, ...]) -> None:
    """With three, 1 is all that can lie between 0 and 2, as around a core that was drawn so."""
    def drawn(seed: int, line: int) -> Labels:
        labels, rng = np.zeros((160, 240), np.uint8), np.random.default_rng(seed)
        for _ in range(8):
            center, axes = rng.integers(20, 140, 2).tolist(), rng.integers(8, 40, 2).tolist()
            cv2.ellipse(labels, center, axes, 30, 0, 360, int(rng.integers(1, classes)), -1, line)
        return labels
    data = dataset([drawn(seed, cv2.LINE_AA if seed in files else cv2.LINE_8) for seed in range(8)])
    findings = [finding for finding in on_dataset(check, data) if finding.severity is Severity.ERROR]
    assert [finding.files for finding in findings] == [tuple(f"{seed:03}" for seed in files)] * found
