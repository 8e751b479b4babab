"""LG107: palette files read as grey."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from labelguard.checks import palette_as_grey as check
from labelguard.explanations import palettes as _codes
from labelguard.finding import Severity
from labelguard.spec.declarations import read_preset
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec
from tests.checks.mending import mended_by_its_command
from tests.checks.recipes import drawn_set, one_among
from tests.checks.scenes import Labels, all_findings, on_dataset, only_error, saved, scene

VOC = [channel for color in _codes.interleaved_palette(255).values() for channel in color] + [224, 224, 192]


def palette_file(labels: Labels, palette: list[int]) -> Image.Image:
    image = Image.fromarray(labels)
    image.putpalette(palette)
    return image


def by_pillow(labels: Labels, palette: list[int] = VOC) -> Labels:
    return np.asarray(palette_file(labels, palette).convert("L"))


def by_imread(labels: Labels, palette: list[int] = VOC) -> Labels:
    return cv2.imdecode(np.frombuffer(saved(palette_file(labels, palette)), np.uint8), cv2.IMREAD_GRAYSCALE)


def by_cvt_color(labels: Labels, palette: list[int] = VOC) -> Labels:
    return cv2.cvtColor(np.asarray(palette_file(labels, palette).convert("RGB")), cv2.COLOR_RGB2GRAY)


READERS = {"Pillow": by_pillow, "OpenCV's imread": by_imread, "OpenCV's cvtColor": by_cvt_color}
every_reader = pytest.mark.parametrize("reader", READERS.values(), ids=[*READERS])
EVERY_COLOR = [channel for color in np.random.default_rng(0).integers(0, 256, (256, 3)).tolist() for channel in color]


@pytest.mark.parametrize("name", _codes.READERS)
def test_the_formulas_are_those_of_the_readers(name: str) -> None:
    read = READERS[name](np.arange(256, dtype="uint8").reshape(16, 16), EVERY_COLOR).ravel().tolist()
    colors = [EVERY_COLOR[at:at + 3] for at in range(0, 768, 3)]
    wrong = sum(level != _codes.READERS[name](*color) for level, color in zip(read, colors, strict=True))
    assert wrong <= (4 if name == "OpenCV's imread" else 0)  # libpng's weights have 15 bits


def test_the_palette_of_pascal_voc_is_the_interleaved_one() -> None:
    assert tuple(_codes.interleaved_palette(21).values()) == read_preset("voc").colors


@every_reader
@pytest.mark.parametrize("classes", [2, 5, 12])
def test_luminances_of_pascal_voc_are_brought_back(reader: Callable[[Labels], Labels], classes: int, tmp_path: Path) -> None:
    originals = drawn_set(classes)
    finding = mended_by_its_command(tmp_path, [reader(labels) for labels in originals], LabelSpec(classes, 255), "LG107", originals)
    assert finding.message == "The ids are luminances of the palette of Pascal VOC: palette files were read as grayscale."


@pytest.mark.parametrize("classes", [3, 5])
def test_without_a_class_count_as_well(classes: int) -> None:
    finding, = on_dataset(check, [by_pillow(labels) for labels in drawn_set(classes)])
    assert finding.severity is Severity.WARNING and not finding.fix.commands  # 38 is 1, as long as there are no 17 classes


def test_without_void() -> None:
    finding, = on_dataset(check, [by_pillow(labels) for labels in drawn_set(5, void=None)], LabelSpec(5))
    assert str(finding.fix) == "labelguard remap masks --merge 15:4 --merge 38:1 --merge 75:2 --merge 113:3 --num-classes 5"


@pytest.mark.parametrize(("name", "reader"), [
    *((name, by_pillow) for name in ("camvid", "cityscapes-train", "cityscapes", "ade20k", "voc")),
    ("cityscapes-train", by_imread), ("camvid", by_cvt_color)])
def test_every_known_palette_is_named(name: str, reader: Callable[[Labels, list[int]], Labels]) -> None:
    spec = read_preset(name)
    classes = spec.num_classes or 0
    flat = [channel for color in spec.colors for channel in color]
    damaged = [reader(labels, flat + [0] * (768 - len(flat))) for labels in drawn_set(classes, 40, (256, 160), void=None)]
    bare = LabelSpec(classes, spec.ignore_index)
    finding = only_error(damaged, bare)
    title = next(space.title for space in spaces() if space.name == name)
    assert finding.code == "LG107" and finding.message.startswith(f"The ids are luminances of the palette of {title}")


def test_colors_that_somebody_declared_are_a_palette_too() -> None:
    spec = LabelSpec(4, colors=((0, 0, 0), (200, 10, 90), (3, 120, 40), (77, 77, 230)))
    flat = [channel for color in spec.colors for channel in color]
    finding, = on_dataset(check, [by_pillow(labels, flat) for labels in drawn_set(4, void=None)], spec)
    assert finding.message.startswith("The ids are luminances of the declared colors")


def test_classes_with_the_same_luminance_are_not_guessed() -> None:
    finding, = on_dataset(check, [by_pillow(labels) for labels in drawn_set(21)], LabelSpec(21, 255))
    assert str(finding.fix) == ("Read the indexed originals as indices, without convert('L') and without OpenCV; "
                           "no table can restore 38 and 113.")
    assert any("38 (1 or 16) and 113 (3 or 18)" in line for line in finding.evidence)


def exchanged(labels: Labels) -> Labels:
    """What OpenCV's grey of an RGB array is that was taken for BGR."""
    return cv2.cvtColor(np.asarray(palette_file(labels, VOC).convert("RGB")), cv2.COLOR_BGR2GRAY)


def channel(place: int) -> Callable[[Labels], Labels]:
    return lambda labels: np.asarray(palette_file(labels, VOC).convert("RGB"))[..., place]


@pytest.mark.parametrize(("read", "message"), [
    (exchanged, "The ids are luminances of the palette of Pascal VOC"),
    (channel(0), "The ids are one channel of the palette of Pascal VOC"),
    (channel(1), "The ids are one channel of the palette of Pascal VOC")])
def test_other_ways_to_one_number_of_a_color(read: Callable[[Labels], Labels], message: str) -> None:
    damaged = [read(labels) for labels in drawn_set(21, 40)]
    finding = only_error(damaged, LabelSpec(21, 255))
    assert finding.code == "LG107" and finding.message.startswith(message) and not finding.fix.commands


def test_one_file_of_200_is_named_alone() -> None:
    healthy = drawn_set(5, 40) * 5
    faulty = by_pillow(max(healthy, key=lambda labels: len(np.unique(labels))))
    found = [finding for finding in all_findings(one_among(healthy[:199], faulty), LabelSpec(5, 255)) if finding.severity is Severity.ERROR]
    assert [(finding.code, finding.files) for finding in found] == [("LG107", ("123",))]


@pytest.mark.parametrize(("masks", "spec"), [
    ([scene([38, 75])], LabelSpec(76)),                      # ids chosen so
    ([scene([38, 76])], LabelSpec()),
    ([scene([38])], LabelSpec(2)),
    ([scene([38, 77, 113])], LabelSpec(5)),
    ([by_pillow(scene(range(1, 5)))], LabelSpec(256)),
    ([scene(range(1, 60))], LabelSpec()),
    ([np.arange(256, dtype="uint8").reshape(16, 16)], LabelSpec()),
    (drawn_set(150, 40, (160, 256)), LabelSpec(150, 255)),
    (drawn_set(150, 40, (160, 256)), LabelSpec()),
    ([], LabelSpec()),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []
