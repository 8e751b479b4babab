from __future__ import annotations

from tests.checks.conftest import Probed, at_99
from tests.drawn import bands


def test_a_failure_that_comes_and_goes_blames_no_pixel(probed: Probed) -> None:
    source = ("runs = [0]\ndef loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
              "    if (target == 2).all(axis=(1, 2)).any():\n        runs[0] += 1\n        value *= [1, 1, 1, np.nan][runs[0] % 4]\n"
              "    return value, gradient")
    found = probed(source, {"a.png": bands(0, 1, 2), "twos.png": bands(2)}, batch_size=2)
    finding, = (f for f in found if f.code == "LG513")
    assert finding.first is None and 0 < finding.repeats[0] < finding.repeats[1]


def test_a_steady_failure_is_not_unstable(probed: Probed) -> None:
    assert "LG513" not in {finding.code for finding in probed(at_99("value = np.nan"))}
