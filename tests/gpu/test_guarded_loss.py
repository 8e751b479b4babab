"""GuardedLoss on CUDA: no label asserts, and the hot path never waits for the device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from labelguard.errors import MaskRejected

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)
from labelguard.integrations.torch import GuardedLoss  # noqa: E402

CLASSES, SHAPE = 12, (4, 120, 160)


@pytest.fixture
def no_synchronisation() -> Iterator[None]:
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def drawn(ignored: int | None = 255) -> tuple[Any, Any]:
    target = torch.randint(0, CLASSES, SHAPE)
    if ignored is not None:
        target[:, :9] = ignored
    return torch.randn(SHAPE[0], CLASSES, *SHAPE[1:], device="cuda"), target


def value_and_gradient(loss: Any, logits: Any, target: Any) -> tuple[Any, Any]:
    logits = logits.clone().requires_grad_()
    value = loss(logits, target)
    value.backward()
    return value.detach(), logits.grad


def close(a: tuple[Any, Any], b: tuple[Any, Any]) -> bool:
    """The loss is a sum that CUDA does not add up in a fixed order; its gradient has the same bits."""
    return bool(torch.allclose(a[0], b[0])) and bool(torch.allclose(a[1], b[1]))


@pytest.mark.parametrize("label", [CLASSES, -1, 254, 2 ** 40, -2 ** 63])
def test_a_bad_label_is_an_ignored_pixel_and_named_later(label: int) -> None:
    logits, target = drawn()
    target[2, 30, 40] = 255
    loss = torch.nn.CrossEntropyLoss(ignore_index=255)
    expected = value_and_gradient(loss, logits, target.cuda())
    target[2, 30, 40] = label
    guarded = GuardedLoss(loss, CLASSES)
    assert close(value_and_gradient(guarded, logits, target.cuda()), expected)
    torch.cuda.synchronize()  # dies here after a device-side assert
    with pytest.raises(MaskRejected, match=r"^The batch of step 0 is rejected\. LG101 ") as rejected:
        guarded(logits, target.cuda())
    finding = rejected.value.findings[0]
    assert (finding.ids, finding.first, finding.pixels) == ((label,), (30, 40), 1) and "Sample 2 holds" in finding.message


def test_legal_masks_leave_loss_and_gradient_alone() -> None:
    logits, target = drawn()
    loss = torch.nn.CrossEntropyLoss(ignore_index=255)
    guarded = GuardedLoss(loss, CLASSES)
    assert close(value_and_gradient(guarded, logits, target.cuda()), value_and_gradient(loss, logits, target.cuda()))
    guarded.check()
    assert guarded.bad_pixels == 0


@pytest.mark.parametrize("kind", ["uint8", "int32", "int64"])
@pytest.mark.parametrize("bad", [False, True])
def test_nothing_waits_for_the_device(kind: str, bad: bool, request: pytest.FixtureRequest) -> None:
    logits, target = drawn()
    if bad:
        target[1, 20, 30] = 77
    target = target.to(getattr(torch, kind)).cuda()
    logits.requires_grad_()
    guarded = GuardedLoss(torch.nn.CrossEntropyLoss(ignore_index=255), CLASSES, on_bad="ignore")
    request.getfixturevalue("no_synchronisation")
    for _ in range(5):
        guarded(logits, target, names=range(SHAPE[0])).backward()
    torch.cuda.set_sync_debug_mode("default")
    guarded.check()
    assert (guarded.bad_pixels, guarded.bad_masks) == ((5, 5) if bad else (0, 0))


def test_a_loss_that_skips_nothing_learns_nothing_from_a_bad_batch(request: pytest.FixtureRequest) -> None:
    def dice(logits: Any, target: Any) -> Any:
        truth = torch.zeros_like(logits).scatter_(1, target[:, None], 1)
        return 1 - 2 * (logits.softmax(1) * truth).sum() / (1 + truth.sum())

    logits, target = drawn(ignored=None)
    target[1, 20, 30] = 77
    target = target.cuda()
    guarded = GuardedLoss(dice, CLASSES)
    request.getfixturevalue("no_synchronisation")
    value, gradient = value_and_gradient(guarded, logits, target)
    torch.cuda.set_sync_debug_mode("default")
    assert value == 0 and not gradient.any()
    with pytest.raises(MaskRejected, match="Sample 1 holds 77 at row 20, column 30"):
        guarded.check()


def test_the_first_of_many_bad_pixels_is_the_first_in_row_order() -> None:
    logits, target = drawn()
    target[3, 50:, 60:] = 99
    with pytest.raises(MaskRejected) as rejected:
        guarded = GuardedLoss(torch.nn.CrossEntropyLoss(ignore_index=255), CLASSES)
        guarded(logits, target.cuda())
        guarded.check()
    assert (rejected.value.findings[0].first, rejected.value.findings[0].pixels) == ((50, 60), 70 * 100)
