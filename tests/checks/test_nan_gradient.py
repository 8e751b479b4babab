from __future__ import annotations

from tests.checks.conftest import Probed, at_99


def test_a_gradient_that_is_nan_under_a_finite_loss_is_told_with_its_pixel(probed: Probed) -> None:
    finding, = probed(at_99("gradient = gradient * np.where(target[:, None] == 99, np.nan, 1)"))
    assert (finding.code, finding.path, finding.first) == ("LG505", "odd.png", (7, 8)) and finding.value == finding.value


def test_a_large_gradient_is_finite(probed: Probed) -> None:
    assert "LG505" not in {finding.code for finding in probed(at_99("gradient = gradient * 1e30"))}
