"""LG009: palettes of one set that do not agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labelguard import scan
from labelguard.checks import palette_drift as check
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.mask import facts_of
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import Color, LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, saved
from tests.checks.splitting import between

RED, GREEN, BLUE, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)
PALETTE = [BLACK, RED, GREEN, BLUE, WHITE, (9, 9, 9)]


def found(masks: Sequence[Labels], palettes: Sequence[Sequence[Color]]) -> list[Finding]:
    """What the check says of palette files; one palette for each mask."""
    data = DatasetBuilder("masks")
    for number, (labels, palette) in enumerate(zip(masks, palettes, strict=True)):
        image = Image.fromarray(labels)
        image.putpalette([channel for color in palette for channel in color])
        data.add(f"{number:03}", facts_of(saved(image), "a.png", frozenset()))
    return list(check.rule.dataset_check(data.build(), LabelSpec()))


MASKS = drawn_set(5, 12, void=None)


def by_frequency(labels: Labels) -> tuple[Labels, list[Color]]:
    """The mask with a palette of its own, the most frequent color first, as tools that quantize make it."""
    ids, counts = np.unique(labels, return_counts=True)
    order = ids[np.argsort(-counts, kind="stable")].tolist()
    return relabeled([labels], {label: place for place, label in enumerate(order)})[0], [PALETTE[label] for label in order]


def test_palettes_of_each_files_own_are_an_error() -> None:
    finding, = found(*zip(*map(by_frequency, MASKS), strict=True))
    assert finding.severity is Severity.ERROR
    assert finding.message.endswith("differ between palette files: the same id means different classes.")
    assert str(finding.fix).startswith("Translate by color")
    assert finding.files


@pytest.mark.parametrize("at", [0, 7])
def test_one_file_with_two_colors_swapped_is_named(at: int) -> None:
    swapped = [BLACK, GREEN, RED, BLUE, WHITE]
    masks = [np.arange(5, dtype="uint8").repeat(20).reshape(10, 10)] * 12
    finding, = found(masks, [swapped if number == at else PALETTE for number in range(12)])
    assert finding.files == (f"{at:03}",)
    assert finding.ids == (1, 2)
    assert "(0, 255, 0) is index 1 and 2" in finding.evidence


def test_other_colors_for_the_same_indices_are_a_note() -> None:
    other = [BLACK, (1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)]
    finding, = found(MASKS, [PALETTE] * 8 + [other] * 4)
    assert finding.severity is Severity.NOTE and len(finding.files) == 4


@pytest.mark.parametrize("palettes", [
    [PALETTE] * 12,
    [PALETTE] * 6 + [[*PALETTE, RED, RED, GREEN]] * 6,             # colors of indices that are not there
    [[*PALETTE[:4], RED]] * 12,                                    # one color twice, in every palette
])
def test_it_leaves_alone(palettes: list[list[Color]]) -> None:
    masks = MASKS if palettes[0][-1] != RED else relabeled(MASKS, {})
    assert found(masks, palettes) == []


def test_grey_files_have_no_palette() -> None:
    data = DatasetBuilder("masks")
    for number, labels in enumerate(MASKS):
        data.add(f"{number:03}", facts_of(saved(Image.fromarray(labels)), "a.png", frozenset()))
    assert list(check.rule.dataset_check(data.build(), LabelSpec())) == []


def test_trailing_colors_that_two_palettes_repeat_are_no_drift() -> None:
    """Both palettes are black from 5 on; that one file uses 5 and the other 6 means nothing."""
    black = [*PALETTE[1:], WHITE, BLACK, BLACK]
    masks = [np.array([[0, 5]], np.uint8), np.array([[0, 6]], np.uint8)]
    assert found(masks, [black, [*black, RED]]) == []


def test_nothing_is_concluded_from_ids_of_files_that_each_have_their_own(tmp_path: Path) -> None:
    """Five classes and void are six indices, of which the last is not a class; that is not a fault of its own."""
    for number, labels in enumerate(drawn_set(5, 20)):
        ranks, palette = by_frequency(np.minimum(labels, 5))
        image = Image.fromarray(ranks)
        image.putpalette([channel for color in palette for channel in color])
        image.save(tmp_path / f"{number}.png")
    findings = scan(tmp_path, spec=LabelSpec(5, 255), jobs=1).findings
    assert {finding.code for finding in findings if finding.severity is Severity.ERROR} == {"LG009"}
    assert len(next(finding for finding in findings if finding.code == "LG009").files) == 20


def test_splits_with_palettes_of_their_own_are_compared() -> None:
    def split(palette: Sequence[Color]) -> list[MaskFacts]:
        files = []
        for labels in drawn_set(4, 6, void=None):
            image = Image.fromarray(labels)
            image.putpalette([channel for color in palette for channel in color])
            files.append(facts_of(saved(image), "a.png", frozenset()))
        return files

    other = [BLACK, GREEN, RED, BLUE, WHITE]
    finding, = between(check, {"train": split(PALETTE), "val": split(other)})
    assert finding.severity is Severity.WARNING and {path.split("/")[0] for path in finding.files} in ({"val"}, {"train"})
    assert between(check, {"train": split(PALETTE), "val": split(PALETTE)}) == []
    assert between(check, {"train": split(PALETTE) + split(other), "val": split(other)}) == []  # told of train already
