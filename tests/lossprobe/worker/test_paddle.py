"""PaddlePaddle through a real worker: bad ids raise, but for those that 32 bits cannot hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.findings.interpretation import interpret
from tests.lossprobe.frameworks import CLASSES, VALID, half_ignored, is_trained_as, once, planted, probing, takes_valid_masks

CROSS_ENTROPY = "paddle.nn:CrossEntropyLoss"


@pytest.fixture(scope="module")
def cross_entropy() -> Iterator[None]:
    with probing("paddle", CROSS_ENTROPY, axis=1) as run:
        yield run


@pytest.fixture(scope="module")
def ignoring() -> Iterator[None]:
    with probing("paddle", CROSS_ENTROPY, axis=1, ignore_index=255) as run:
        yield run


def test_valid_masks_pass(cross_entropy: Any) -> None:
    takes_valid_masks(cross_entropy)
    assert cross_entropy.handshake["framework"].startswith("paddle ") and cross_entropy.handshake["device"] == "cpu"


@pytest.mark.parametrize("value", [255, CLASSES, -1])
def test_an_id_that_is_no_class_raises(cross_entropy: Any, value: Any) -> None:
    step = once(cross_entropy, planted(value)).last
    assert (step.status, step.phase, step.error_type) == ("exception", "forward", "IndexError")
    assert f"label value({value})" in step.error


def test_minus_100_is_ignored_where_nothing_is_declared(cross_entropy: Any) -> None:
    step = once(cross_entropy, planted(-100)).last
    assert step.status == "ok" and step.pixel.largest == 0.0


def test_what_is_declared_is_ignored_and_not_counted(ignoring: Any) -> None:
    step = once(ignoring, planted(255)).last
    assert step.status == "ok" and step.pixel.largest == 0.0
    assert once(ignoring, half_ignored(255)).last.gradient == pytest.approx(2 * once(ignoring, VALID).last.gradient, rel=0.1)
    assert interpret(ignoring, 255, CLASSES, (255,)).kind == "ignored"


def test_a_batch_of_nothing_but_ignored_pixels_has_loss_0_and_teaches_nothing(ignoring: Any) -> None:
    step = once(ignoring, np.full_like(VALID, 255)).last
    assert (step.status, step.loss, step.gradient) == ("ok", 0.0, 0.0)


def test_the_lowest_id_is_trained_as_class_0(cross_entropy: Any) -> None:
    assert is_trained_as(cross_entropy, -2**63, 0)


def test_an_id_of_more_than_32_bits_ends_the_process_which_is_replaced(cross_entropy: Any) -> None:
    step = once(cross_entropy, planted(2**32 + 3)).last
    assert (step.status, step.native) == ("death", "signal SIGSEGV")
    before = cross_entropy.starts
    takes_valid_masks(cross_entropy)
    assert cross_entropy.starts == before + 1


def test_weights_become_a_tensor() -> None:
    with probing("paddle", CROSS_ENTROPY, axis=1, weight=[1.0] * CLASSES) as run:
        takes_valid_masks(run)
    with probing("paddle", CROSS_ENTROPY, axis=1, weight=[1.0] * 3) as run:
        assert once(run, VALID).last.status == "exception"
