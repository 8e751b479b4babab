"""How the size of a mask relates to that of its image."""

from __future__ import annotations

import pytest

from labelguard.facts.image import fit


@pytest.mark.parametrize(("more", "said"), [(0, "equal"), (1, "margin"), (6, "margin"), (7, "other"), (30, "other")])
def test_a_margin_is_at_most_six_pixels(more: int, said: str) -> None:
    assert fit((1000, 600 + more), (1000, 600)) == said == fit((1000, 600 - more), (1000, 600))


@pytest.mark.parametrize(("more", "said"), [(3, "margin"), (4, "other")])
def test_of_a_small_image_a_margin_is_at_most_a_twentieth(more: int, said: str) -> None:
    assert fit((600, 60 + more), (600, 60)) == said


@pytest.mark.parametrize(("width", "said"), [(502, "scaled"), (503, "other")])
def test_proportions_may_differ_by_half_a_percent(width: int, said: str) -> None:
    assert fit((500, width), (1000, 1000)) == said


@pytest.mark.parametrize(("side", "more", "said"), [(100, 5, "margin"), (110, 6, "other")])
def test_a_twentieth_is_meant_of_the_image(side: int, more: int, said: str) -> None:
    assert fit((600, side + more), (600, side)) == said


@pytest.mark.parametrize(("width", "said"), [(2010, "scaled"), (2011, "other")])
def test_half_a_percent_is_meant_of_the_mask(width: int, said: str) -> None:
    assert fit((2000, width), (1000, 1000)) == said
