"""JAX through a real worker: it checks no index, so a bad id makes NaN or wraps, and never raises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.findings.interpretation import interpret
from tests.lossprobe.frameworks import CLASSES, LOSSES, VALID, is_trained_as, once, planted, probing, takes_valid_masks

CROSS_ENTROPY = "optax:softmax_cross_entropy_with_integer_labels"


@pytest.fixture(scope="module")
def cross_entropy() -> Iterator[None]:
    with probing("jax", CROSS_ENTROPY) as run:
        yield run


def test_valid_masks_pass(cross_entropy: Any) -> None:
    takes_valid_masks(cross_entropy)
    assert cross_entropy.handshake["framework"].startswith("jax ") and cross_entropy.handshake["device"] == "cpu"


@pytest.mark.parametrize("value", [255, CLASSES, -100])
def test_an_id_that_is_no_class_makes_the_loss_nan_and_leaves_the_gradient_finite(cross_entropy: Any, value: Any) -> None:
    step = once(cross_entropy, planted(value)).last
    assert step.status == "nan-loss" and step.bad_pixels == 0
    assert step.pixel.total == pytest.approx(1.0)  # no class is pulled up


def test_minus_one_wraps_to_the_last_class(cross_entropy: Any) -> None:
    assert is_trained_as(cross_entropy, -1, CLASSES - 1)
    found = interpret(cross_entropy, -1, CLASSES)
    assert (found.reading, found.label) == ("class", CLASSES - 1)


def test_ids_are_cut_to_32_bits(cross_entropy: Any) -> None:
    assert is_trained_as(cross_entropy, 2**32 + 3, 3)


def test_a_mask_in_the_loss_ignores_until_nothing_is_left() -> None:
    with probing("jax", f"{LOSSES}:optax_masked") as run:
        step = once(run, planted(255)).last
        assert step.status == "ok" and step.pixel.largest == 0.0
        nothing_left = once(run, np.full_like(VALID, 255)).last
        assert nothing_left.status == "nan-loss" and nothing_left.bad_pixels == VALID.size
        assert interpret(run, 255, CLASSES, (255,)).kind == "ignored"


def test_a_binary_loss_takes_255_as_a_number() -> None:
    with probing("jax", "optax:sigmoid_binary_cross_entropy", "binary", classes=2) as run:
        assert once(run, (VALID > 9) * np.uint8(255)).last.loss < 0 < once(run, VALID > 9).last.loss


def test_a_loss_that_gives_no_tensor_is_told_so() -> None:
    with probing("jax", f"{LOSSES}:a_number") as run:
        step = once(run, VALID).last
        assert (step.status, step.error) == ("exception", "the loss gave 0, no tensor to take a gradient of")
