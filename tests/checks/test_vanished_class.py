"""LG306: a class that a resize deleted."""

from __future__ import annotations

import re

import numpy as np
import pytest

from labelguard.checks import vanished_class as check
from labelguard.facts.mask import Mask
from labelguard.finding import Severity
from labelguard.stages import Resize
from tests.checks.scenes import Labels


def poles(width: int = 1) -> Labels:
    """Poles, 7, on a street, 2, below a sky, 0; at 1/4 of the size a pole covers a quarter of a cell for each pixel of its width."""
    labels = np.zeros((32, 64), np.uint8)
    labels[16:] = 2
    for left in (4, 25, 40):
        labels[:, left:left + width] = 7
    return labels


def test_it_says_which_ids_are_gone_and_how_much_that_was() -> None:
    finding, = check.vanished({0: 900, 7: 96, 9: 4}, {0: 100})
    assert finding.message == "2 ids vanished in the resize: 7 and 9, 100 pixels before."
    assert (finding.code, finding.severity, finding.ids, finding.pixels, finding.path) == ("LG306", Severity.WARNING, (7, 9), 100, None)


def test_one_pixel_of_one_id_is_said_in_the_singular() -> None:
    finding, = check.vanished({0: 9, 7: 1}, {0: 1})
    assert finding.message == "1 id vanished in the resize: 7, 1 pixel before." and finding.path is None


@pytest.mark.parametrize(("before", "after"), [
    ({0: 900, 7: 96}, {0: 100, 7: 1}),      # one cell is left
    ({0: 900}, {0: 100}),
    ({0: 900, 7: 0}, {0: 100}),             # was not there before
    ({0: 900}, {0: 100, 7: 3}),             # cannot be, and is not a loss
    ({}, {}),
])
def test_it_leaves_alone(before: dict[int, int], after: dict[int, int]) -> None:
    assert not [*check.vanished(before, after)]


def test_an_id_that_is_counted_as_0_afterwards_has_vanished() -> None:
    finding, = check.vanished({0: 900, 7: 96}, {0: 100, 7: 0})
    assert finding.ids == (7,)


def test_negative_ids_and_wide_ones_vanish_by_their_names() -> None:
    finding, = check.vanished({-1: 2, 0: 5, 70_000: 3}, {0: 1})
    assert finding.ids == (-1, 70_000)


def test_a_resize_finds_it() -> None:
    finding, = Resize(8, 16).findings(Mask(poles(), "a.png"))
    assert (finding.ids, finding.pixels, finding.path) == ((7,), 96, "a.png")
    assert finding.message == "1 id vanished in the resize: 7, 96 pixels before."


@pytest.mark.parametrize("stage", [Resize(8, 16), Resize(scale=0.25)])
def test_wider_poles_survive(stage: Resize) -> None:
    assert stage.findings(Mask(poles(3))) == ()


def test_the_advice_brings_the_class_back() -> None:
    finding, = Resize(8, 16).findings(Mask(poles()))
    advice = re.search(r"--keep (\d+):([\d.]+) ", str(finding.fix))
    assert advice is not None
    kept = Resize(8, 16, keep={int(advice[1]): float(advice[2])})
    assert kept.findings(Mask(poles())) == () and (kept(poles()) == 7).sum() == 3 * 8


def test_a_larger_size_brings_the_class_back() -> None:
    assert Resize(32, 32).findings(Mask(poles(2))) == ()
