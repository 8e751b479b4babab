from __future__ import annotations

from tests.checks.conftest import Probed, at_99
from tests.drawn import bands


def test_an_id_that_is_clamped_is_told_with_its_class(probed: Probed) -> None:
    finding, = probed("loss = cross_entropy")
    assert (finding.code, finding.path, finding.ids) == ("LG507", "odd.png", (99,)) and "as class 2" in finding.message


def test_an_id_that_is_refused_is_not_silent(probed: Probed) -> None:
    assert {finding.code for finding in probed(at_99("raise ValueError"))} == {"LG503"}


def test_classes_are_no_strangers(probed: Probed) -> None:
    assert probed("loss = cross_entropy", {"a.png": bands(0, 1, 2), "b.png": bands(2, 1, 0)}) == []
