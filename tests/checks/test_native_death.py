from __future__ import annotations

from tests.checks.conftest import Probed


def test_a_process_that_dies_is_told_with_its_signal_and_pixel(probed: Probed) -> None:
    finding, = (f for f in probed("loss = aborts") if f.code == "LG502")
    assert (finding.path, finding.first, finding.native) == ("odd.png", (7, 8), "signal SIGABRT")


def test_a_loss_that_prints_and_closes_what_it_likes_is_alive(probed: Probed) -> None:
    assert "LG502" not in {finding.code for finding in probed("loss = prints")}
