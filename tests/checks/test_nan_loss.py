from __future__ import annotations

from tests.checks.conftest import Probed, at_99


def test_a_loss_that_is_nan_is_told_with_its_pixel(probed: Probed) -> None:
    finding, = probed(at_99("value = np.nan"))
    assert (finding.code, finding.path, finding.first) == ("LG504", "odd.png", (7, 8))


def test_a_large_loss_is_a_number(probed: Probed) -> None:
    assert "LG504" not in {finding.code for finding in probed(at_99("value *= 1e30"))}
