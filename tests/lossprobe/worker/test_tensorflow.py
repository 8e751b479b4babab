"""TensorFlow and Keras through a real worker: eager it raises, compiled it makes NaN at the pixel, one-hot it trains "no class"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.findings.interpretation import interpret
from tests.lossprobe.frameworks import CLASSES, LOSSES, PIXEL, VALID, half_ignored, once, planted, probing, takes_valid_masks

SPARSE = "keras.losses:SparseCategoricalCrossentropy"


@pytest.fixture(scope="module")
def cross_entropy() -> Iterator[None]:
    with probing("tensorflow", SPARSE, from_logits=True) as run:
        yield run


@pytest.fixture(scope="module")
def ignoring() -> Iterator[None]:
    with probing("tensorflow", SPARSE, from_logits=True, ignore_class=255) as run:
        yield run


def test_valid_masks_pass(cross_entropy: Any) -> None:
    takes_valid_masks(cross_entropy)
    assert cross_entropy.handshake["framework"].startswith("tensorflow ") and cross_entropy.handshake["device"] == "cpu"


@pytest.mark.parametrize("value", [255, CLASSES, -1, -100, 2**32 + 3])
def test_an_id_that_is_no_class_raises(cross_entropy: Any, value: Any) -> None:
    step = once(cross_entropy, planted(value)).last
    assert (step.status, step.phase, step.error_type) == ("exception", "forward", "InvalidArgumentError")
    assert step.error.startswith("Received a label value of ") and f"outside the valid range of [0, {CLASSES})" in step.error


def test_the_ignored_class_has_no_gradient_and_is_not_counted(ignoring: Any) -> None:
    step = once(ignoring, planted(255)).last
    assert step.status == "ok" and step.pixel.largest == 0.0
    assert once(ignoring, half_ignored(255)).last.gradient == pytest.approx(2 * once(ignoring, VALID).last.gradient, rel=0.1)
    assert interpret(ignoring, 255, CLASSES, (255,)).kind == "ignored"
    assert interpret(ignoring, 254, CLASSES, (255,)).kind == "refused"


def test_a_batch_of_nothing_but_ignored_pixels_has_loss_0_and_teaches_nothing(ignoring: Any) -> None:
    step = once(ignoring, np.full_like(VALID, 255)).last
    assert (step.status, step.loss, step.gradient) == ("ok", 0.0, 0.0)


def test_a_function_of_keras_is_called_with_the_target_first() -> None:
    with probing("tensorflow", "keras.losses:sparse_categorical_crossentropy", from_logits=True) as run:
        takes_valid_masks(run)


@pytest.mark.parametrize("value", [255, -1])
def test_compiled_by_xla_nothing_raises_and_the_gradient_is_nan_at_that_pixel_alone(value: int) -> None:
    with probing("tensorflow", f"{LOSSES}:compiled_by_xla") as run:
        takes_valid_masks(run)
        step = once(run, planted(value)).last
        assert (step.status, step.bad, step.bad_pixels) == ("nan-loss", PIXEL, 1)


def test_one_hot_trains_no_class() -> None:
    with probing("tensorflow", f"{LOSSES}:one_hot_of_tensorflow") as run:
        step = once(run, planted(255)).last
        assert step.status == "ok" and step.pixel.total == pytest.approx(1 / VALID.size)
        assert interpret(run, 255, CLASSES).kind == "no-class"


def test_planes_lie_in_the_last_axis() -> None:
    with probing("tensorflow", "keras.losses:CategoricalCrossentropy", "onehot", from_logits=True) as run:
        takes_valid_masks(run)


def test_losses_of_probabilities_get_them() -> None:
    with probing("tensorflow", SPARSE, activation="softmax") as run, probing("tensorflow", SPARSE, from_logits=True) as of_logits:
        assert once(run, VALID).last.loss == pytest.approx(once(of_logits, VALID).last.loss, rel=1e-5)
