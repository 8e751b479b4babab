from __future__ import annotations

import pytest

from tests.checks.conftest import Probed, at_99

pytestmark = pytest.mark.slow  # each test starts a process that imports torch


def test_a_pass_that_does_not_end_is_told_with_its_line(probed: Probed) -> None:
    finding, = (f for f in probed("loss = hangs", timeout=1.0) if f.code == "LG509")
    assert (finding.path, finding.first) == ("odd.png", (7, 8)) and "time.sleep" in finding.source


def test_a_slow_pass_ends(probed: Probed) -> None:
    assert "LG509" not in {finding.code for finding in probed(at_99("time.sleep(0.3)"))}
