"""What the torch adapter sees in one pass, and that a pass leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.supervisor.runner import InputFormat

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tests.lossprobe.inside import Inside  # noqa: E402
from tests.lossprobe.losses import BadBuffer, ChangesItsInput  # noqa: E402

FINE = np.indices((2, 8, 12)).sum(0) % 3


@pytest.mark.parametrize(("gives", "phase", "error"), [
    (lambda _: 0, "loss", "the loss gave 0, no tensor"),
    (lambda _: None, "loss", "the loss gave None, no tensor"),
    (lambda logits: logits.flatten()[:0], "loss", "empty tensor of shape (0,)"),
    (lambda logits: logits.detach().sum(), "backward", "does not require grad"),
])
def test_what_no_training_step_can_use(gives: Callable[..., Any], phase: str, error: str) -> None:
    step = Inside(lambda logits, _: gives(logits), 3)(FINE).last
    assert (step.status, step.phase) == ("exception", phase) and error in step.error


def test_a_loss_that_is_no_scalar_is_summed() -> None:
    step, mean = (Inside(torch.nn.CrossEntropyLoss(reduction=reduction), 3)(FINE).last for reduction in ("none", "mean"))
    assert step.status == "ok" and step.loss == pytest.approx(2 * 8 * 12 * mean.loss) and step.gradient > 0


@pytest.mark.parametrize("target", ["index", "index1"])
def test_each_regime_gets_the_masks_as_they_are_though_the_loss_writes_into_them(target: str) -> None:
    seen = []

    def writes(logits: Any, labels: Any) -> Any:
        seen.append(labels.clone())
        labels.fill_(1)
        return F.cross_entropy(logits, labels.reshape(2, 8, 12))
    outcome = Inside(writes, 3, input_format=InputFormat(target, "none"))(FINE)
    assert not outcome.failed and len(seen) == 3 and all(torch.equal(labels, seen[0]) for labels in seen)


def test_a_loss_may_write_into_its_predictions() -> None:
    run = Inside(ChangesItsInput(), 3)
    first = run(FINE)
    assert not first.failed
    plain = Inside(torch.nn.CrossEntropyLoss(), 3)(FINE)
    assert [step.loss for step in first.steps] == [step.loss for step in plain.steps] == [step.loss for step in run(FINE).steps]
    assert [step.gradient for step in first.steps] == [step.gradient for step in plain.steps]


@pytest.mark.parametrize("persistent", [True, False])
def test_a_buffer_that_a_batch_has_spoilt_is_put_back_before_the_next(persistent: bool) -> None:
    run = Inside(BadBuffer(persistent), 3)
    without_ground = np.ones_like(FINE)
    assert not run(FINE).failed
    spoilt = run(without_ground).last
    assert (spoilt.status, spoilt.phase, spoilt.buffers) == ("nan-buffer", "buffers", ("mean",)) and np.isfinite(spoilt.loss)
    assert not run(FINE).failed


def test_regimes_are_right_and_wrong_beyond_doubt() -> None:
    def confidence(logits: Any, labels: Any) -> Any:
        losses.append(float(F.cross_entropy(logits.detach(), labels)))
        return F.cross_entropy(logits, labels)
    losses: list[float] = []
    assert not Inside(confidence, 3)(FINE).failed
    random, right, wrong = losses
    assert right == 0 and wrong == pytest.approx(2000) and 0 < random < 5


@pytest.mark.parametrize("amp", ["fp16", "bf16"])
def test_half_precision_sees_what_overflows(amp: str) -> None:
    """Soft Dice on 182 x 182 pixels of one class: the sum passes 65504, the largest number in fp16."""
    def dice(logits: Any, labels: Any) -> Any:
        p, hot = logits.softmax(1), F.one_hot(labels, logits.shape[1]).permute(0, 3, 1, 2)
        hot = hot.to(p.dtype)
        return 1 - 2 * (p * hot).sum() / ((p + hot).sum() / 1)
    labels = np.zeros((1, 260, 260), np.int64)
    assert Inside(dice, 3)(labels).last.status == "ok"
    assert (Inside(dice, 3, amp=amp)(labels).last.status == "ok") is (amp == "bf16")


def test_the_gradient_of_one_pixel_and_where_it_is_not_finite() -> None:
    outcome = Inside(torch.nn.CrossEntropyLoss(), 3)(FINE, ("random",), (1, 2, 3))
    assert outcome.last.pixel.lowest == FINE[1, 2, 3] and abs(outcome.last.pixel.total) < 1e-6

    def spoils(logits: Any, labels: Any) -> Any:
        return F.cross_entropy(logits, labels) + (logits[1, :, 4, 5] - logits[1, :, 4, 5].detach()).abs().pow(0.5).sum()
    step = Inside(spoils, 3)(FINE).last
    assert (step.status, step.bad, step.bad_pixels) == ("nan-gradient", (1, 4, 5), 1) and np.isnan(step.gradient)


def test_every_device_that_the_loss_has_used_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter, waited = Inside(torch.nn.CrossEntropyLoss(), 3).adapter, []
    adapter.device = torch.device("cuda")
    for name, said in (("current_device", lambda: 0), ("device_count", lambda: 3), ("memory_allocated", lambda number: 512 * (number == 2)),
                       ("synchronize", waited.append)):
        monkeypatch.setattr(torch.cuda, name, said)
    adapter._wait()
    assert waited == [0, 2]


def test_numbers_for_each_class_become_a_tensor() -> None:
    run = Inside(torch.nn.CrossEntropyLoss(), 3)
    assert torch.equal(run.adapter.argument("weight", [1, 2.5]), torch.tensor([1, 2.5]))
    assert run.adapter.argument("reduction", "sum") == "sum"


def test_logits_that_a_loss_has_overwritten_are_not_used_again() -> None:
    def overwrites(logits: Any, labels: Any) -> Any:
        seen.append(float(logits.detach().abs().sum()))
        loss = F.cross_entropy(logits, labels)
        with torch.no_grad():
            logits.zero_()
        return loss + logits.sum() * 0
    seen: list[float] = []
    run = Inside(overwrites, 3)
    run(FINE)
    run(FINE)
    assert seen[:3] == seen[3:] and 0 not in seen


def test_a_gradient_that_is_too_small_for_half_precision_is_not_called_zero() -> None:
    """Divided by 10**8 pixels, say; training scales the loss for that."""
    def many_pixels(logits: Any, labels: Any) -> Any:
        return F.cross_entropy(logits, labels, reduction="sum") / 1e9
    step = Inside(many_pixels, 3, amp="fp16")(FINE, ("random",)).last
    assert step.status == "ok" and 0 < step.gradient < 1e-8
    assert Inside(lambda logits, _: (logits * 0).sum(), 3, amp="fp16")(FINE, ("random",)).last.gradient == 0
