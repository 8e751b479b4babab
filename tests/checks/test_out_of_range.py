"""LG101: ids that are neither a class nor ignored."""

from __future__ import annotations

import pytest

from labelguard.checks import out_of_range as check
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import mask, on_mask


def test_it_says_which_ids_where_and_how_many_pixels() -> None:
    finding, = on_mask(check, mask("0 1 1 9 / 0 9 1 1 / 7 0 0 0"), LabelSpec(3, 255))
    assert finding.ids == (7, 9)
    assert finding.pixels == 3
    assert finding.first == (0, 3)
    assert finding.box == (0, 0, 3, 4)
    assert finding.message == "Ids 7 and 9 on 3 pixels: neither classes (0-2) nor ignored (255)."


def test_one_pixel_of_one_id_reads_well() -> None:
    finding, = on_mask(check, mask("0 1 / 2 5"), LabelSpec(3))
    assert finding.message == "Id 5 on 1 pixel: not a class (0-2)."
    assert (finding.first, finding.box) == ((1, 1), (1, 1, 2, 2))


@pytest.mark.parametrize(("text", "dtype", "spec", "ids"), [
    ("0 1 3", "uint8", LabelSpec(3), (3,)),
    ("-1 0 1", "int8", LabelSpec(3), (-1,)),
    ("-100 0 -1", "int64", LabelSpec(3, -1), (-100,)),
    ("0 255", "uint8", LabelSpec(3), (255,)),
    ("254 255", "uint8", LabelSpec(3, 255), (254,)),
    ("0 65535", "uint16", LabelSpec(256, 255), (65535,)),
    ("0 4294967296", "int64", LabelSpec(2), (4294967296,)),
    ("7 7", "uint8", LabelSpec(names=("sky", "road")), (7,)),
])
def test_it_flags(text: str, dtype: str, spec: LabelSpec, ids: tuple[int, ...]) -> None:
    finding, = on_mask(check, mask(text, dtype), spec)
    assert finding.ids == ids


@pytest.mark.parametrize(("text", "dtype", "spec"), [
    ("0 1 2", "uint8", LabelSpec(3)),
    ("2 2", "uint8", LabelSpec(3)),
    ("0 1 255", "uint8", LabelSpec(3, 255)),
    ("-1 0 1", "int8", LabelSpec(3, -1)),
    ("0 250 255", "uint8", LabelSpec(3, (250, 255))),
    ("1 2", "uint8", LabelSpec(3, 0)),
    ("0 255", "uint8", LabelSpec(256)),
    ("0 255", "uint16", LabelSpec(256)),
    ("0 1", "bool", LabelSpec(2)),
])
def test_it_leaves_alone(text: str, dtype: str, spec: LabelSpec) -> None:
    assert on_mask(check, mask(text, dtype), spec) == []


def test_it_cannot_be_judged_without_a_class_count() -> None:
    assert check.rule.needs_classes
