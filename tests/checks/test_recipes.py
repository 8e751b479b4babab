"""One fault, one cause; and clean sets that look like faults. Whole scans of drawn sets, by all checks together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labelguard import scan
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, all_findings, errors, scene
from tests.checks.test_palette_as_grey import by_pillow
from tests.checks.test_per_image_ids import afresh, grades

WIDE, TALL = (192, 320), (320, 192)
SHAPES = pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
Fault = Callable[[list[Labels], int], list[Labels]]

FAULTS: dict[str, tuple[Fault, str]] = {
    "off by one": (lambda masks, _: relabeled(masks, lambda i: i if i == 255 else i + 1), "LG106"),
    "palette as luminance": (lambda masks, _: [by_pillow(labels) for labels in masks], "LG107"),
    "void undeclared": (lambda masks, _: relabeled(masks, {255: 250}), "LG101"),
    "sentinel -100": (lambda masks, _: relabeled(masks, {255: 156}), "LG110"),
    "sentinel -9999": (lambda masks, _: relabeled(masks, {255: 241}), "LG110"),
    "class * 1000 + 1": (lambda masks, _: relabeled(masks, lambda i: 1000 * i + 1, "int32"), "LG111"),
    "times 10": (lambda masks, _: relabeled(masks, lambda i: i if i == 255 else 10 * i, "uint16"), "LG105"),
    "shift of uint8": (lambda masks, _: [labels - np.uint8(1) for labels in masks], "LG102"),
}


@pytest.mark.parametrize(("classes", "shape"), [(3, WIDE), (5, WIDE), (5, TALL), (19, TALL), (150, WIDE)])
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_is_one_cause(fault: str, classes: int, shape: tuple[int, int]) -> None:
    damage, code = FAULTS[fault]
    masks = damage(drawn_set(classes, 40 if classes > 19 else 24, shape, seed=7), classes)
    assert errors(masks, LabelSpec(classes, 255)) == {code}


@SHAPES
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_binary_255(classes: int, shape: tuple[int, int]) -> None:
    masks = relabeled(drawn_set(classes, shape=shape, void=None), lambda label: 255 if label else 0)
    assert errors(masks, LabelSpec(2)) == {"LG104"}
    assert [(finding.code, finding.severity) for finding in all_findings(masks, LabelSpec())] == [("LG104", Severity.WARNING)]
    assert errors(masks, LabelSpec(2, 255)) == {"LG205"}


@SHAPES
def test_scattered_label_ids(shape: tuple[int, int]) -> None:
    masks = relabeled(drawn_set(5, shape=shape), {0: 7, 1: 11, 2: 17, 3: 21, 4: 26, 255: 0})
    assert errors(masks, LabelSpec(5, 255)) == {"LG108"}


@SHAPES
def test_reduced_twice(shape: tuple[int, int]) -> None:
    masks = relabeled(drawn_set(5, shape=shape), lambda label: 255 if label in (0, 1, 255) else label - 2)
    assert {finding.code for finding in all_findings(masks, LabelSpec(5, 255)) if finding.code < "LG2"} == {"LG109"}


@SHAPES
def test_per_image_ids_are_no_error_at_all(shape: tuple[int, int]) -> None:
    found = all_findings(afresh(drawn_set(5, shape=shape)), LabelSpec(5, 255))
    assert [(finding.code, finding.severity) for finding in found] == [("LG112", Severity.WARNING)]


# --- clean sets that look like faults ----------------------------------------------------------------------------------------------------

def thin_between() -> list[Labels]:
    """Wires of one pixel, whose id lies between those of the areas beside them."""
    masks = []
    for number in range(24):
        labels = np.zeros((64, 96), np.uint8)
        labels[:, 40:] = 2
        labels[:, 40 + number % 3] = 1
        labels[number:number + 3] = 3
        masks.append(labels)
    return masks


def floor(label: int) -> list[Labels]:
    masks = [labels.copy() for labels in drawn_set(5, void=None)]
    for labels in masks:
        labels[64:] = label
    return masks


CLEAN: dict[str, tuple[list[Labels], LabelSpec]] = {
    "1 VOC": (drawn_set(21), LabelSpec(21, 255)),
    "2 Cityscapes train ids": ([scene(range(1, 19), band=255, seed=seed) for seed in range(24)], LabelSpec(19, 255)),
    "3 thin classes": (thin_between(), LabelSpec(4)),
    "3 undeclared": (thin_between(), LabelSpec()),
    "4 nested grades": (grades(), LabelSpec(5)),
    "4 undeclared": (grades(), LabelSpec()),
    "5 no foreground in half of a set": ([*drawn_set(2, 12, void=None), *[np.zeros((96, 160), np.uint8)] * 12], LabelSpec(2)),
    "6 ids chosen with gaps": (relabeled(drawn_set(3, void=None), {1: 38, 2: 75}), LabelSpec(76)),
    "6 undeclared": (relabeled(drawn_set(3, void=None), {1: 38, 2: 75}), LabelSpec()),
    "7 trimap": (relabeled(drawn_set(3, void=None), {1: 128, 2: 255}), LabelSpec(256)),
    "8 background ignored": (relabeled(drawn_set(5), {0: 255}), LabelSpec(5, 255)),
    "8 reduced": (relabeled(drawn_set(6), lambda label: 255 if label in (0, 255) else label - 1), LabelSpec(5, 255)),
    "10 a constant bottom": (floor(0), LabelSpec(5)),
    "11 every byte": ([np.random.default_rng(seed).permutation(np.arange(4096) % 256).reshape(64, 64).astype("uint8") for seed in range(5)],
                      LabelSpec(256)),
    "13 16 bits, small ids": ([labels.astype("uint16") for labels in drawn_set(19)], LabelSpec(19, 255)),
    "two classes": (drawn_set(2), LabelSpec(2, 255)),
    "two classes, undeclared": (drawn_set(2, void=None), LabelSpec()),
    "three classes": (drawn_set(3), LabelSpec(3, 255)),
    "150 classes": (drawn_set(150, 60, (256, 160)), LabelSpec(150, 255)),
    "150 classes, undeclared": (drawn_set(150, 60, (256, 160)), LabelSpec()),
    "counted by tens": (relabeled(drawn_set(10, void=None), lambda label: 10 * label), LabelSpec()),
    "counted by tens, declared": (relabeled(drawn_set(10, void=None), lambda label: 10 * label), LabelSpec(101)),
}


@pytest.mark.parametrize("case", CLEAN)
def test_clean_sets_have_no_fault_of_their_ids(case: str) -> None:
    masks, spec = CLEAN[case]
    found = [finding for finding in all_findings(masks, spec) if finding.code[:3] in ("LG0", "LG1")]
    allowed = {"LG103", "LG105"} if not spec.declared else set()  # an undeclared 255 is spoken of, and so are multiples of a number
    assert [finding for finding in found if finding.code not in allowed or finding.severity is Severity.ERROR] == []


def test_palette_files_read_as_indices_are_clean(tmp_path: Path) -> None:
    for number, labels in enumerate(drawn_set(21)):
        image = Image.fromarray(labels)
        image.putpalette([value for label in range(256) for value in (label, 255 - label, label // 2)])
        image.save(tmp_path / f"{number}.png")
    assert [finding.code for finding in scan(tmp_path, spec=LabelSpec(21, 255), jobs=1).findings] == []


@pytest.mark.parametrize(("folder", "spec"), [
    ("camvid/masks", LabelSpec(12)), ("camvid/masks", LabelSpec(11, 11)), ("camvid/masks", LabelSpec()),
    ("cityscapes/labelIds", LabelSpec(34)), ("cityscapes/labelIds", LabelSpec()),
    ("voc_palette/masks", LabelSpec(21, 255)), ("voc_palette/masks", LabelSpec()),
    ("pets/masks", LabelSpec(3)), ("pets/masks", LabelSpec()),
    ("tiff_labels", LabelSpec()), ("tiff_types", LabelSpec()),
])
def test_real_sets_have_no_false_error(real_data: Path, folder: str, spec: LabelSpec) -> None:
    found = scan(real_data / folder, spec=spec, jobs=1).findings
    assert [finding for finding in found if finding.severity is Severity.ERROR and finding.code[:3] in ("LG1", "LG2")] == []
    assert not [finding for finding in found if finding.code in ("LG009", "LG105", "LG107", "LG109", "LG112")]
