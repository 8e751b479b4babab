"""RejectEmpty: masks that show nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.facts.mask import Mask
from labelguard.finding import Severity
from labelguard.stages import RejectEmpty
from tests.checks.scenes import Labels, mask


def why(stage: RejectEmpty, labels: Labels) -> str:
    """The code of the refusal; empty where the mask passes."""
    try:
        assert np.shares_memory(stage.apply(Mask(labels)).labels, labels)
    except MaskRejectedError as refused:
        finding, = refused.findings
        assert finding.severity is Severity.ERROR
        return finding.code
    return ""


def with_foreground(pixels: int, of: int) -> Labels:
    labels = np.zeros((of // 10, 10), np.uint8)
    labels.ravel()[:pixels] = 1
    return labels


@pytest.mark.parametrize(("labels", "arguments", "expected"), [
    ("0 0 / 0 0", {}, "LG201"),
    ("0 0 / 0 1", {}, ""),
    ("1 1 / 1 1", {}, ""),
    ("0 0 / 0 255", {}, ""),
    ("0 0 / 0 255", {"ignore_index": 255}, "LG201"),
    ("255 255", {"ignore_index": 255}, "LG202"),
    ("255 254", {"ignore_index": (254, 255)}, "LG202"),
    ("255 255", {}, ""),
    ("255 255", {"background": 255}, "LG201"),
    ("0 0", {"background": 255}, ""),
    ("0 0", {"ignore_index": 0}, "LG202"),
    ("0 1", {"ignore_index": 0}, ""),
    ("1 1", {"background": 1}, "LG201"),
    ("-1 -1", {"ignore_index": -1}, "LG202"),
    ("0 -1", {"ignore_index": -1}, "LG201"),
])
def test_which_masks_show_nothing(labels: str, arguments: dict[str, Any], expected: str) -> None:
    assert why(RejectEmpty(**arguments), mask(labels, "int16")) == expected


def test_the_refusals_say_what_is_there() -> None:
    finding, = RejectEmpty(ignore_index=255).findings(Mask(mask("0 0 255"), "a.png"))
    assert (finding.message, finding.ids, finding.pixels, finding.path) == ("Holds nothing but background, 0.", (0,), 2, "a.png")
    finding, = RejectEmpty(ignore_index=(7, 255)).findings(Mask(mask("7 7 255"), "a.png"))
    assert (finding.message, finding.ids, finding.pixels, finding.path) == ("Every pixel is ignored.", (7, 255), 3, "a.png")


def test_too_little_foreground_is_refused_with_the_share() -> None:
    finding, = RejectEmpty(0.05).findings(Mask(with_foreground(4, 100), "a.png"))
    assert (finding.code, finding.severity, finding.pixels, finding.path) == ("LG203", Severity.ERROR, 4, "a.png")
    assert finding.message == "The foreground is 4.0 % of the mask, less than 5.0 %."


@pytest.mark.parametrize(("share", "pixels", "of"), [
    (0.05, 5, 100), (0.07, 7, 100), (0.14, 14, 100), (0.28, 28, 100), (0.29, 29, 100), (0.001, 1, 1000), (0.1, 3, 30), (1, 50, 50),
    (1.0, 10, 10),
])
def test_the_share_itself_is_enough_and_one_pixel_less_is_not(share: float, pixels: int, of: int) -> None:
    assert why(RejectEmpty(share), with_foreground(pixels, of)) == ""
    assert why(RejectEmpty(share), with_foreground(pixels - 1, of)) in ("LG203", "LG201")


def test_ignored_pixels_are_no_foreground_but_part_of_the_mask() -> None:
    labels = mask("1 255 255 255 255 0 0 0 0 0")
    assert why(RejectEmpty(0.1, ignore_index=255), labels) == ""
    assert why(RejectEmpty(0.11, ignore_index=255), labels) == "LG203"


@given(st.integers(1, 99), st.integers(0, 100))
def test_a_percentage_is_exact(percent: int, pixels: int) -> None:
    assert (why(RejectEmpty(percent / 100), with_foreground(pixels, 100)) == "") == (pixels >= percent)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"min_foreground": -0.1}, "min_foreground is -0.1; it must be a share from 0 to 1."),
    ({"min_foreground": 5}, "min_foreground is 5; it must be a share from 0 to 1."),
    ({"min_foreground": float("nan")}, "min_foreground is nan; it must be a share from 0 to 1."),
    ({"min_foreground": "0.1"}, "min_foreground is '0.1'; it must be a share from 0 to 1."),
    ({"min_foreground": True}, "min_foreground is True; it must be a share from 0 to 1."),
    ({"background": 0.0}, "background is 0.0; it must be an id."),
    ({"background": None}, "background is None; it must be an id."),
    ({"background": False}, "background is False; it must be an id."),
    ({"ignore_index": "x"}, "ignore_index is 'x'; it must be a whole number."),
    ({"ignore_index": None}, "ignore_index is None; it must be a whole number."),
])
def test_impossible_arguments_fail_when_the_stage_is_made(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        RejectEmpty(**arguments)
    assert str(refused.value) == sentence
