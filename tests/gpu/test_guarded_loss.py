"""GuardedLoss on CUDA: no label asserts, and the hot path never waits for the device."""

from __future__ import annotations

import contextlib
import unittest
from collections.abc import Iterator
from typing import Any

from labelguard.errors import MaskRejectedError
from tests.gpu import cuda

try:
    import torch
except ImportError:  # then there is no CUDA device either
    pass
else:
    from labelguard.integrations.torch import GuardedLoss

CLASSES, SHAPE = 12, (4, 120, 160)


@contextlib.contextmanager
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
    return torch.randn(SHAPE[0], CLASSES, *SHAPE[1:], device=cuda.DEVICE), target


def value_and_gradient(loss: Any, logits: Any, target: Any) -> tuple[Any, Any]:
    logits = logits.clone().requires_grad_()
    value = loss(logits, target)
    value.backward()
    return value.detach(), logits.grad


@cuda.needed
class GuardedOnCuda(unittest.TestCase):
    def assert_close(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> None:
        """The loss is a sum that CUDA does not add up in a fixed order."""
        self.assertTrue(torch.allclose(a[0], b[0]) and torch.allclose(a[1], b[1]))

    def test_a_bad_label_is_an_ignored_pixel_and_named_later(self) -> None:
        for label in (CLASSES, -1, 254, 2 ** 40, -2 ** 63):
            with self.subTest(label=label):
                logits, target = drawn()
                target[2, 30, 40] = 255
                loss = torch.nn.CrossEntropyLoss(ignore_index=255)
                expected = value_and_gradient(loss, logits, target.to(cuda.DEVICE))
                target[2, 30, 40] = label
                guarded = GuardedLoss(loss, CLASSES)
                self.assert_close(value_and_gradient(guarded, logits, target.to(cuda.DEVICE)), expected)
                torch.cuda.synchronize()  # dies here after a device-side assert
                with self.assertRaisesRegex(MaskRejectedError, r"^The batch of step 0 is rejected\. LG101 ") as rejected:
                    guarded(logits, target.to(cuda.DEVICE))
                finding = rejected.exception.findings[0]
                self.assertEqual((finding.ids, finding.first, finding.pixels), ((label,), (30, 40), 1))
                self.assertIn("Sample 2 holds", finding.message)

    def test_legal_masks_leave_loss_and_gradient_alone(self) -> None:
        logits, target = drawn()
        target = target.to(cuda.DEVICE)
        loss = torch.nn.CrossEntropyLoss(ignore_index=255)
        guarded = GuardedLoss(loss, CLASSES)
        self.assert_close(value_and_gradient(guarded, logits, target), value_and_gradient(loss, logits, target))
        guarded.check()
        self.assertEqual(guarded.bad_pixels, 0)

    def test_nothing_waits_for_the_device(self) -> None:
        for kind in (torch.uint8, torch.int32, torch.int64):
            for bad in (False, True):
                with self.subTest(kind=kind, bad=bad):
                    logits, target = drawn()
                    if bad:
                        target[1, 20, 30] = 77
                    target = target.to(kind).to(cuda.DEVICE)
                    logits.requires_grad_()
                    guarded = GuardedLoss(torch.nn.CrossEntropyLoss(ignore_index=255), CLASSES, on_bad="ignore")
                    with no_synchronisation():
                        for _ in range(5):
                            guarded(logits, target, names=range(SHAPE[0])).backward()
                    guarded.check()
                    self.assertEqual((guarded.bad_pixels, guarded.bad_masks), (5, 5) if bad else (0, 0))

    def test_a_loss_that_skips_nothing_learns_nothing_from_a_bad_batch(self) -> None:
        def dice(logits: Any, target: Any) -> Any:
            truth = torch.zeros_like(logits).scatter_(1, target[:, None], 1)
            return 1 - 2 * (logits.softmax(1) * truth).sum() / (1 + truth.sum())

        logits, target = drawn(ignored=None)
        target[1, 20, 30] = 77
        target = target.to(cuda.DEVICE)
        guarded = GuardedLoss(dice, CLASSES)
        with no_synchronisation():
            value, gradient = value_and_gradient(guarded, logits, target)
        self.assertTrue(value == 0 and not gradient.any())
        with self.assertRaisesRegex(MaskRejectedError, "Sample 1 holds 77 at row 20, column 30"):
            guarded.check()

    def test_nan_of_a_stand_in_ends_at_the_logits(self) -> None:
        def ratio(logits: Any, target: Any) -> Any:
            there = (target == 1).float()  # nowhere, once 77 is replaced by 0
            return (logits.softmax(1)[:, 1] * there).sum() / there.sum()

        logits, _ = drawn()
        for loss in (ratio, torch.nn.CrossEntropyLoss(ignore_index=255)):
            guarded = GuardedLoss(loss, CLASSES)
            with no_synchronisation():
                value, gradient = value_and_gradient(guarded, logits, torch.full(SHAPE, 77, device=cuda.DEVICE))
            self.assertTrue(value == 0 and not gradient.any())
            with self.assertRaises(MaskRejectedError):
                guarded.check()

    def test_floats_are_looked_at_without_waiting(self) -> None:
        logits = torch.randn(4, 1, 120, 160, device=cuda.DEVICE)
        for bad in (255, 0.5, float("nan")):
            target = torch.zeros(logits.shape, device=cuda.DEVICE)
            target[2, 0, 30, 40] = bad
            guarded = GuardedLoss(torch.nn.BCEWithLogitsLoss(), 2)
            with no_synchronisation():
                value, gradient = value_and_gradient(guarded, logits, target)
            self.assertTrue(value == 0 and not gradient.any())
            with self.assertRaisesRegex(MaskRejectedError, f"Sample 2 holds {bad} at row 30, column 40"):
                guarded.check()

    def test_the_first_of_many_bad_pixels_is_the_first_in_row_order(self) -> None:
        logits, target = drawn()
        target[3, 50:, 60:] = 99
        guarded = GuardedLoss(torch.nn.CrossEntropyLoss(ignore_index=255), CLASSES)
        with self.assertRaises(MaskRejectedError) as rejected:
            guarded(logits, target.to(cuda.DEVICE))
            guarded.check()
        finding = rejected.exception.findings[0]
        self.assertEqual((finding.first, finding.pixels), ((50, 60), 70 * 100))


if __name__ == "__main__":
    unittest.main()
