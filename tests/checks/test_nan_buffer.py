from __future__ import annotations

import pytest

from labelguard.lossprobe.findings.loss_finding import rule_of
from tests.drawn import bands

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from tests.lossprobe.inside import Inside  # noqa: E402


class Counting(torch.nn.Module):
    """Cross entropy that keeps a mean, as some losses do."""

    def __init__(self, kept: float) -> None:
        super().__init__()
        self.kept = kept
        self.register_buffer("mean", torch.zeros(1))

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        self.mean += self.kept
        return torch.nn.functional.cross_entropy(logits, target)


def test_a_buffer_that_is_nan_after_a_step_is_told_by_name() -> None:
    step = Inside(Counting(float("nan")), 3)(bands(0, 1, 2)[None]).last
    assert rule_of(step).code == "LG506" and step.buffers == ("mean",)


def test_a_buffer_that_changes_is_left_alone() -> None:
    assert not Inside(Counting(0.5), 3)(bands(0, 1, 2)[None]).failed
