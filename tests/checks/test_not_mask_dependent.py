from __future__ import annotations

from tests.checks.conftest import Probed, at_99


def test_what_fails_on_any_masks_blames_none(probed: Probed) -> None:
    finding, = probed("def loss(logits, target):\n    raise ValueError('wrong shape')")
    assert finding.code == "LG512" and finding.path is None and not finding.ids


def test_what_fails_on_one_id_does(probed: Probed) -> None:
    assert {finding.code for finding in probed(at_99("raise ValueError"))} == {"LG503"}
