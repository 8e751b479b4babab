from __future__ import annotations

from tests.checks.conftest import Probed
from tests.drawn import bands


def test_a_batch_without_a_gradient_is_told(probed: Probed) -> None:
    source = ("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
              "    return value, gradient * (target > 0).any()")
    finding, = probed(source, {"a.png": bands(0, 1, 2), "empty.png": bands(0)}, batch_size=1)
    assert (finding.code, finding.severity, finding.path) == ("LG508", "warning", "empty.png")


def test_a_small_gradient_is_one(probed: Probed) -> None:
    source = ("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
              "    return value * 1e-20, gradient * 1e-20")
    assert probed(source, {"a.png": bands(0, 1, 2), "empty.png": bands(0)}, batch_size=1) == []
