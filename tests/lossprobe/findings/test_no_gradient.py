"""Batches, sets and losses from which nothing is learned although the loss is finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from labelguard import LabelSpec

torch = pytest.importorskip("torch")

from tests.lossprobe.inside import probed  # noqa: E402

BANDS = np.indices((24, 32)).sum(0) // 4 % 2
BORDER = np.where(np.indices((24, 32))[0] < 2, 255, 0)


def dice(logits: Any, target: Any) -> Any:
    """Of the foreground, where there is any; 255 is left out."""
    kept, foreground = (target != 255).float(), (target == 1).float()
    probability = torch.softmax(logits, 1)[:, 1] * kept
    return 1 - 2 * (probability * foreground).sum() / (probability + foreground).sum() if foreground.any() else logits.sum() * 0


def found(loss: Callable[..., Any], *masks: np.ndarray) -> list[tuple[str, str, tuple[int, ...]]]:
    probe = probed(loss, {f"{number}": mask for number, mask in enumerate(masks)}, LabelSpec(2, 255), batch_size=1)
    return [(finding.code, finding.severity.value, finding.ids) for finding in probe.findings]


def times_zero(logits: Any, _: Any) -> Any:
    return (logits * 0).sum()


def another_value_when_certain(logits: Any, _: Any) -> Any:
    return times_zero(logits, _) + (1000.0 if logits.abs().max() > 100 else 0.5)


def argmax(logits: Any, target: Any) -> Any:
    return (logits.argmax(1).float() - target.float()).abs().mean() + times_zero(logits, target)


def no_way_back(*_: Any) -> Any:
    return torch.ones((), requires_grad=True)


@pytest.mark.parametrize("loss", [times_zero, another_value_when_certain, argmax, no_way_back])
def test_a_loss_that_is_cut_off_from_the_logits_is_an_error(loss: Callable[..., Any]) -> None:
    finding, = probed(loss, {"a": BANDS, "b": BANDS[::-1]}, LabelSpec(2), batch_size=1).findings
    assert (finding.code, finding.severity, finding.regime) == ("LG512", "error", "random")
    assert finding.message == "The gradient is exactly 0, whatever the masks hold: nothing is ever learned."
    assert f"loss {finding.value:g} on random logits" in finding.evidence


def test_one_batch_without_a_gradient_is_a_warning() -> None:
    assert found(dice, BANDS, BANDS * 0) == [("LG508", "warning", ())]


def test_a_set_of_empty_masks_is_not_the_fault_of_the_loss() -> None:
    assert found(dice, BANDS * 0, BANDS * 0) == [("LG508", "warning", ())]


def test_an_ignored_id_that_holds_all_that_could_be_learned_is_an_error() -> None:
    assert found(dice, BANDS * 255, BANDS[::-1] * 255) == [("LG508", "error", (255,))]


def test_void_around_an_empty_mask_is_no_foreground_where_most_of_it_stands_beside_some() -> None:
    void = np.where(BORDER, 255, BANDS)
    assert found(dice, void, void, BORDER) == [("LG508", "warning", ())]
    assert found(dice, void, BANDS * 255) == [("LG508", "error", (255,))]
