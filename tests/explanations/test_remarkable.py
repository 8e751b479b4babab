"""Which legal sets are worth weighing."""

from __future__ import annotations

import pytest

from labelguard.explanations.remarkable import may_be_remarkable
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import dataset, mask


@pytest.mark.parametrize(("masks", "remarkable"), [
    (("0 1 2 3",), True),          # class 4 is missing beside four that are in every file: 3.4 bits
    (("0 1 2 3", "0 1"), False),   # beside two that are rarer: 2.8 bits
    (("0 1 2 3 4",), False),
])
def test_an_absent_class_is_remarkable_where_it_ought_to_be_there(masks: tuple[str, ...], remarkable: bool) -> None:
    spec = LabelSpec(5)
    assert may_be_remarkable(dataset([mask(each) for each in masks], spec), spec) is remarkable
