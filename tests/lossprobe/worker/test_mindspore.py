"""MindSpore through a real worker: the same id raises in most runs and ends the process in others; -1 is the last class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.findings.interpretation import interpret
from tests.lossprobe.frameworks import CLASSES, LOSSES, VALID, half_ignored, is_trained_as, once, planted, probing, takes_valid_masks

CROSS_ENTROPY = "mindspore.nn:CrossEntropyLoss"


@pytest.fixture(scope="module")
def cross_entropy() -> Iterator[None]:
    with probing("mindspore", CROSS_ENTROPY) as run:
        yield run


@pytest.fixture(scope="module")
def ignoring() -> Iterator[None]:
    with probing("mindspore", CROSS_ENTROPY, ignore_index=255) as run:
        yield run


def test_valid_masks_pass(cross_entropy: Any) -> None:
    takes_valid_masks(cross_entropy)
    assert cross_entropy.handshake["framework"].startswith("mindspore ") and cross_entropy.handshake["device"] == "cpu"


@pytest.mark.parametrize("value", [255, CLASSES])
def test_an_id_above_the_classes_raises_or_ends_the_process_and_probing_goes_on(cross_entropy: Any, value: Any) -> None:
    outcomes = [once(cross_entropy, planted(value)) for _ in range(3)]
    for outcome in outcomes:
        assert outcome.last.status in ("exception", "death") and outcome.last.phase == "forward"
        assert outcome.last.native == "signal SIGSEGV" or f"must be in [-{CLASSES}, {CLASSES}), but got: {value}" in outcome.last.error
        assert outcome.same_failure(outcomes[0])
    takes_valid_masks(cross_entropy)


def test_minus_one_wraps_to_the_last_class(cross_entropy: Any) -> None:
    assert is_trained_as(cross_entropy, -1, CLASSES - 1)
    found = interpret(cross_entropy, -1, CLASSES)
    assert (found.reading, found.label) == ("class", CLASSES - 1)


def test_ids_are_cut_to_32_bits(cross_entropy: Any) -> None:
    assert is_trained_as(cross_entropy, 2**32 + 3, 3)


def test_what_is_declared_is_ignored_and_not_counted(ignoring: Any) -> None:
    step = once(ignoring, planted(255)).last
    assert step.status == "ok" and step.pixel.largest == 0.0
    assert once(ignoring, half_ignored(255)).last.gradient == pytest.approx(2 * once(ignoring, VALID).last.gradient, rel=0.1)


def test_a_batch_of_nothing_but_ignored_pixels_has_a_nan_loss_and_no_gradient(ignoring: Any) -> None:
    step = once(ignoring, np.full_like(VALID, 255)).last
    assert (step.status, step.gradient) == ("nan-loss", 0.0)


def test_the_sparse_loss_lets_one_id_too_many_pass_and_is_infinite_where_the_network_is_sure() -> None:
    with probing("mindspore", f"{LOSSES}:sparse_of_mindspore") as run:
        assert "label[index] must <= class_num" in once(run, planted(255)).last.error
        step = once(run, planted(CLASSES)).last
        assert step.status == "ok" and step.pixel.total == pytest.approx(1 / VALID.size)
        assert run(VALID).last.regime == "wrong" and run(VALID).last.status == "nan-loss"
