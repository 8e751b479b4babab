"""What colors mean, as rows and drawn; before and after; sheets."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.pictures.before_after import before_after
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.legend import LegendRow, legend, legend_picture
from labelguard.pictures.lettering import fitting, text_width
from labelguard.pictures.mask_picture import mask_picture
from labelguard.pictures.notebook import figure_html
from labelguard.pictures.palette import SIGNAL_COLOR
from labelguard.pictures.picture import Picture
from labelguard.pictures.sheet import sheet
from labelguard.spec.labelspec import LabelSpec

COLORS = ClassColors(LabelSpec(names=["sky", "<b>road</b>"], ignore_index=255))


def test_rows_are_sorted_by_id_and_say_what_each_is() -> None:
    rows = legend({255: 10, 1: 890, 7: 100}, COLORS)
    assert rows == (LegendRow(1, "<b>road</b>", COLORS.of(1), "class", 890, "89 %"),
                    LegendRow(7, "no class", SIGNAL_COLOR, "foreign", 100, "10 %"),
                    LegendRow(255, "ignored", COLORS.of(255), "void", 10, "1.0 %"))


@pytest.mark.parametrize("ids", [0, 1, 7, 60, 61, 5000])
@pytest.mark.parametrize("width", [50, 480, 1024])
def test_a_legend_is_as_wide_as_it_is_told_and_no_longer_than_a_page(ids: int, width: int) -> None:
    picture = legend_picture(legend(dict.fromkeys(range(ids), 3)), width)
    assert picture.width == (width if width > 50 or not ids else picture.width) and picture.height <= 61 * 22
    assert picture.alt == f"The colors of {ids:,} id{'s' * (ids != 1)}."


def test_of_a_long_legend_what_is_no_class_stays() -> None:
    pixels = dict.fromkeys(range(200), 1000) | {999: 1}
    drawn = legend_picture(legend(pixels, ClassColors(LabelSpec(200))), 480).pixels.reshape(-1, 3).tolist()
    assert [*SIGNAL_COLOR] in drawn
    assert f">{999} no class " in figure_html("x", [], legend(pixels, ClassColors(LabelSpec(200)))).replace("</span> ", ">")


def test_before_and_after_have_one_size_and_one_legend() -> None:
    before = np.array([[1, 2], [12, 2]], np.uint8)
    one, other, rows = before_after(before, before - 1, COLORS, size=100)
    assert one.pixels.shape == other.pixels.shape == (100, 100, 3) and one.alt.startswith("Before") and other.alt.startswith("After")
    assert [(row.label, row.pixels) for row in rows] == [(0, 1), (1, 2), (2, 0), (11, 1), (12, 0)]


@pytest.mark.parametrize(("height", "width"), [(240, 480), (480, 480), (1024, 100), (30, 1024), (1, 1)])
@pytest.mark.parametrize("enlarged", [None, (340, 340), (340, 900)])
def test_on_a_sheet_nothing_lies_on_anything_else(height: int, width: int, enlarged: tuple[int, int] | None) -> None:
    mask = Picture(np.full((height, width, 3), 1, np.uint8), "Mask.")
    close = None if enlarged is None else Picture(np.full((*enlarged, 3), 2, np.uint8), "Close.")
    rows = legend(dict.fromkeys(range(9), 3))
    drawn = sheet("a" * 500, mask, rows, close).pixels
    assert (drawn == 1).all(axis=2).sum() == height * width
    assert enlarged is None or (drawn == 2).all(axis=2).sum() == enlarged[0] * enlarged[1]


def test_long_texts_keep_their_ends() -> None:
    text = fitting("a_very_long_name_of_a_mask.png", 14, 100)
    assert text_width(text, 14) <= 100 and text.startswith("a_") and text.endswith(".png") and "..." in text
    assert fitting("short", 14, 100) == "short"


def test_in_html_names_are_text() -> None:
    html = figure_html("<script>", [mask_picture(np.zeros((4, 4), np.uint8))], legend({1: 3}, COLORS))
    assert "<script>" not in html and "<b>" not in html and "&lt;script&gt;" in html and "&lt;b&gt;road&lt;/b&gt;" in html
    assert html.count("<img ") == 1 and 'alt="A mask of 4 x 4 pixels' in html
