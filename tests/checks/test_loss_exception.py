from __future__ import annotations

from tests.checks.conftest import Probed, at_99
from tests.drawn import bands


def test_an_exception_is_told_with_its_pixel_and_line(probed: Probed) -> None:
    source = at_99("raise ValueError('no such class')")
    finding, = probed(source)
    assert (finding.code, finding.path, finding.first) == ("LG503", "odd.png", (7, 8))
    assert finding.exception == "ValueError: no such class" and "mine.py:" in finding.source


def test_masks_that_it_takes_are_left_alone(probed: Probed) -> None:
    source = at_99("raise ValueError('no such class')")
    assert probed(source, {"a.png": bands(0, 1, 2), "b.png": bands(2, 1, 0)}) == []
