"""LG201: nothing but background."""

from __future__ import annotations

import pytest

from labelguard.checks import empty_mask as check
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.mask_facts import MaskFacts
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, mask, on_dataset, on_mask

NAMED = LabelSpec(names=("sky", "road", "Background"))
STREET = LabelSpec(names=("sky", "road", "car"))


@pytest.mark.parametrize(("text", "spec", "label"), [
    ("0 0 / 0 0", LabelSpec(3), 0),
    ("0 0", LabelSpec(), 0),
    ("0 255", LabelSpec(3, 255), 0),
    ("2 2", LabelSpec(3, background=2), 2),
    ("2 2", NAMED, 2),
])
def test_it_flags_nothing_but_background(text: str, spec: LabelSpec, label: int) -> None:
    finding, = on_mask(check, mask(text), spec)
    assert finding.ids == (label,)
    assert finding.pixels == int((mask(text) == label).sum())
    assert finding.message == f"Holds nothing but background, {spec.name_of(label)}."


@pytest.mark.parametrize(("text", "spec"), [
    ("0 1", LabelSpec(3)),
    ("1 1", LabelSpec(3)),               # all object
    ("0 0", NAMED),                      # all sky
    ("0 0", STREET),                     # no class is background
    ("255 255", LabelSpec(3, 255)),      # LG202
    ("0 0", LabelSpec(3, 0)),            # LG202
    ("0 255", LabelSpec(3)),
])
def test_it_leaves_alone(text: str, spec: LabelSpec) -> None:
    assert on_mask(check, mask(text), spec) == []


def test_colors_are_no_background() -> None:
    assert on_mask(check, MaskFacts((4, 4), "uint8"), LabelSpec(3)) == []


FULL = [mask("4 1 2"), mask("4 2 2"), mask("4 1 1")] * 3


def test_an_id_that_every_mask_holds_is_background_whatever_its_number() -> None:
    finding, = on_dataset(check, [*FULL, mask("4 4 4")], LabelSpec(5))
    assert (finding.path, finding.ids, finding.pixels) == ("009", (4,), 3)
    assert finding.message == "Holds nothing but 4, the id that every mask of the set holds."


def test_one_other_id_in_the_set_is_enough() -> None:
    finding, = on_dataset(check, [*[mask("4 1")] * 9, mask("4 4")], LabelSpec(5))
    assert finding.path == "009"


@pytest.mark.parametrize(("masks", "spec"), [
    ([*FULL[:8], mask("4 4 4")], LabelSpec(5)),                       # too few files
    ([*FULL, mask("1 1 1")], LabelSpec(5)),                           # no id is everywhere
    ([mask("4 3 1")] * 9 + [mask("4 3 3")], LabelSpec(5)),            # two ids are everywhere
    ([mask("4 4")] * 10, LabelSpec(5)),                               # there is nothing else in the set
    ([mask("0 1")] * 9 + [mask("0 0")], LabelSpec(5)),                # found mask by mask
    ([mask("255 1 0"), mask("255 1 2")] * 5 + [mask("255 1 1")], LabelSpec(5, (255, 1))),
    ([], LabelSpec()),
])
def test_the_set_gives_no_reason(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_a_set_of_nothing_that_can_be_relied_on() -> None:
    data = DatasetBuilder()
    for number in range(12):
        data.add(str(number), MaskFacts((4, 4), "uint8"))
    assert on_dataset(check, data.build()) == []
