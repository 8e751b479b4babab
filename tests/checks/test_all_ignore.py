"""LG202: nothing but ignored ids."""

from __future__ import annotations

import pytest

from labelguard.checks import all_ignore as check
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import mask, on_mask


@pytest.mark.parametrize(("text", "spec", "ids"), [
    ("255 255 / 255 255", LabelSpec(3, 255), (255,)),
    ("255 250 / 250 255", LabelSpec(3, (250, 255)), (250, 255)),
    ("0 0 / 0 0", LabelSpec(3, 0), (0,)),
    ("255 255 / 255 255", LabelSpec(None, 255), (255,)),
])
def test_it_flags(text: str, spec: LabelSpec, ids: tuple[int, ...]) -> None:
    finding, = on_mask(check, mask(text), spec)
    assert (finding.ids, finding.pixels, finding.severity) == (ids, 4, Severity.ERROR)


def test_negative_ignore_ids_count() -> None:
    finding, = on_mask(check, mask("-100 -100", "int16"), LabelSpec(3, -100))
    assert finding.message == "Every pixel is ignored (-100): a batch of such masks has no loss, only NaN."


@pytest.mark.parametrize(("text", "spec"), [
    ("255 255 / 255 0", LabelSpec(3, 255)),
    ("255 255", LabelSpec(3)),
    ("255 255", LabelSpec(3, 254)),
    ("0 0", LabelSpec(3, 255)),
])
def test_it_leaves_alone(text: str, spec: LabelSpec) -> None:
    assert on_mask(check, mask(text), spec) == []


def test_colors_are_not_ignored_ids() -> None:
    assert on_mask(check, MaskFacts((4, 4), "uint8"), LabelSpec(3, 255)) == []
