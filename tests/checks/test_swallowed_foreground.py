"""LG205: a single label is left once ignored ids are gone."""

from __future__ import annotations

import pytest

from labelguard.checks import swallowed_foreground as check
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, dataset, mask, on_dataset


def test_a_binary_set_whose_foreground_is_ignored() -> None:
    masks = [mask("0 255 / 255 255"), mask("0 0 / 0 0")]
    finding, = on_dataset(check, masks, LabelSpec(2, 255))
    assert finding.message == "Only 0 is left in 2 files once 255 is ignored: there is nothing to learn."
    assert (finding.ids, finding.pixels, finding.files, finding.explains) == ((255,), 3, ("000", "001"), (1, 0))
    assert finding.evidence == ("38 % of all pixels are ignored",)
    assert str(finding.fix).startswith("If 255 is the foreground, do not declare") and not finding.fix.commands


def test_a_background_that_is_ignored_is_missing() -> None:
    finding, = on_dataset(check, [mask("1 255")], LabelSpec(2, 255))
    assert finding.explains == (0, 1)


def test_it_needs_no_class_count() -> None:
    assert not check.rule.needs_classes
    assert on_dataset(check, [mask("0 255")], LabelSpec(None, 255))


def test_two_ignored_ids_swallow_together() -> None:
    finding, = on_dataset(check, [mask("0 254 255")], LabelSpec(3, (254, 255)))
    assert finding.ids == (254, 255)


@pytest.mark.parametrize(("masks", "spec"), [
    ([mask("0 1 255")], LabelSpec(2, 255)),
    ([mask("0 255"), mask("1 255")], LabelSpec(2, 255)),    # half of the set has no foreground
    ([mask("0 255")], LabelSpec(2)),                        # LG104
    ([mask("0 0")], LabelSpec(2, 255)),                     # LG201 and LG204
    ([mask("255 255")], LabelSpec(2, 255)),                 # LG202
    ([], LabelSpec(2, 255)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_a_few_files_say_nothing_of_a_set_whose_ids_cannot_be_relied_on() -> None:
    masks = [mask("0 255 / 0 0")] * 3
    assert on_dataset(check, masks, LabelSpec(3, 255))
    data = dataset(masks + [mask("0 1 / 2 0")] * 4).distrusting({"003", "004", "005", "006"})
    assert on_dataset(check, data, LabelSpec(3, 255)) == []
