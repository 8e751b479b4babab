"""LG003: colors where ids should be."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import colour_mask as check
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import Colors, MaskFacts
from labelguard.files.mask import facts_of
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import mask, on_mask, png, saved, scene

TABLE = ((0, 0, 0), (128, 0, 0), (0, 128, 0))
SPEC = LabelSpec(3, colors=TABLE)


def painted(table: tuple[tuple[int, ...], ...] = TABLE) -> bytes:
    return saved(Image.fromarray(np.array(table, "uint8")[mask("0 0 1 / 0 2 2")]))


def test_it_counts_the_colors_and_names_the_frequent_ones() -> None:
    finding, = on_mask(check, facts_of(painted()))
    assert finding.message == "Holds 3 colors in RGB channels instead of one id per pixel."
    assert finding.pixels == 6
    assert finding.evidence[0].startswith("most frequent: (0, 0, 0) on 50 %, (0, 128, 0) on 33 %")


def test_declared_colors_are_recognised() -> None:
    finding, = on_mask(check, facts_of(painted()), SPEC)
    assert finding.evidence[-1] == "all frequent colors are declared ones"


def test_swapped_channels_are_recognised() -> None:
    finding, = on_mask(check, facts_of(painted(tuple(color[::-1] for color in TABLE))), SPEC)
    assert finding.evidence[-1] == "the colors match the declared ones once red and blue are swapped"


def test_colors_nobody_declared_are_listed() -> None:
    finding, = on_mask(check, facts_of(painted(((0, 0, 0), (128, 0, 0), (9, 9, 8)))), SPEC)
    assert finding.evidence[-1] == "not among the declared colors: (9, 9, 8)"


def test_one_channel_that_varies_may_hold_the_ids() -> None:
    finding, = on_mask(check, facts_of(painted(((0, 5, 7), (1, 5, 7), (2, 5, 7)))))
    assert "only the red channel varies: it may hold the ids" in finding.evidence


def test_alpha_is_no_color() -> None:
    finding, = on_mask(check, facts_of(painted(tuple((*color, 255) for color in TABLE))), SPEC)
    assert finding.message.startswith("Holds 3 colors in RGBA channels")
    assert finding.evidence[-1] == "all frequent colors are declared ones"


def test_thousands_of_colors_are_a_photograph() -> None:
    finding, = on_mask(check, MaskFacts((100, 100), "uint8", stored=Storage("png", "rgb"), colors=Colors(False, 5000)))
    assert finding.message.startswith("Holds 5,000 different colors: a photograph")


def test_colors_that_never_lay_on_disk() -> None:
    finding, = on_mask(check, MaskFacts((1, 2), "uint8", colors=Colors(False, 2, (((1, 2, 3), 1), ((4, 5, 6), 1)))))
    assert finding.message.startswith("Holds 2 colors in RGB channels")


@pytest.mark.parametrize("content", [
    png(scene([1, 2])),
    saved(Image.fromarray(scene([1, 2])).convert("RGB")),    # LG004
    saved(Image.fromarray(scene([1, 2])).convert("LA")),     # LG005
    saved(Image.fromarray(scene([1, 2])).convert("P")),
])
def test_it_leaves_alone(content: bytes) -> None:
    assert on_mask(check, facts_of(content), SPEC) == []


def test_a_palette_is_no_color() -> None:
    image = Image.fromarray(scene([1, 2]))
    image.putpalette([value for color in TABLE for value in color])
    assert on_mask(check, facts_of(saved(image))) == []


@pytest.mark.parametrize(("distinct", "words"), [(4096, "Holds 4,096 colors"), (4097, "Holds 4,097 different colors: a photograph")])
def test_more_colors_than_any_palette_has_are_a_photograph(distinct: int, words: str) -> None:
    colors = Colors(False, distinct, (((1, 2, 3), 9),), None, ("red", "green", "blue"))
    finding, = on_mask(check, MaskFacts((100, 100), "uint8", colors=colors), SPEC)
    assert finding.message.startswith(words)


VIRIDIS = ((68, 1, 84, 255), (32, 144, 140, 255), (253, 231, 36, 255))


def test_it_knows_imsave_by_the_ends_of_its_color_map() -> None:
    finding, = on_mask(check, facts_of(painted(VIRIDIS)))
    assert finding.evidence[1].startswith("both ends of matplotlib's color map viridis are there")
    assert str(finding.fix).startswith("If it was imsave, save the masks again")


@pytest.mark.parametrize("table", [
    VIRIDIS[:2], tuple(color[:3] for color in VIRIDIS), ((68, 1, 84, 255), (0, 0, 0, 255), (251, 231, 36, 255))])
def test_it_speaks_of_imsave_only_where_both_ends_are_there(table: tuple[tuple[int, ...], ...]) -> None:
    finding, = on_mask(check, facts_of(painted((*table, table[0]))))
    assert "imsave" not in f"{finding.evidence} {finding.fix}"
