"""MXNet through a real worker: nothing ever raises. Gluon trains bad ids as the first or last class, SoftmaxOutput as none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.findings.interpretation import interpret
from tests.lossprobe.frameworks import CLASSES, LOSSES, VALID, is_trained_as, once, planted, probing, takes_valid_masks


@pytest.fixture(scope="module")
def cross_entropy() -> Iterator[None]:
    with probing("mxnet", "mxnet.gluon.loss:SoftmaxCELoss", axis=1) as run:
        yield run


def test_valid_masks_pass(cross_entropy: Any) -> None:
    takes_valid_masks(cross_entropy)
    assert cross_entropy.handshake["framework"].startswith("mxnet ") and cross_entropy.handshake["device"] == "cpu"


@pytest.mark.parametrize("value, label", [(255, CLASSES - 1), (CLASSES, CLASSES - 1), (-1, 0), (-100, 0), (-2**63, 0)])
def test_an_id_that_is_no_class_is_trained_as_the_nearest(cross_entropy: Any, value: Any, label: Any) -> None:
    assert is_trained_as(cross_entropy, value, label)


def test_this_is_told_from_being_ignored(cross_entropy: Any) -> None:
    found = interpret(cross_entropy, 255, CLASSES, (255,))
    assert (found.reading, found.label) == ("class", CLASSES - 1)


def test_softmax_output_pushes_all_classes_down_at_such_a_pixel() -> None:
    with probing("mxnet", f"{LOSSES}:softmax_output") as run:
        legal, planted_step = once(run, VALID).last, once(run, planted(255)).last
        assert planted_step.status == "ok" and planted_step.loss == legal.loss  # the "loss" is the sum of all probabilities
        assert legal.pixel.total == pytest.approx(0.0, abs=1e-6) and planted_step.pixel.total == pytest.approx(2 / VALID.size)


def test_softmax_output_ignores_when_told_to() -> None:
    with probing("mxnet", f"{LOSSES}:softmax_output_ignoring") as run:
        assert once(run, planted(255)).last.pixel.largest == 0.0
        assert once(run, np.full_like(VALID, 255)).last.gradient == 0.0


def test_planes_have_no_class_where_the_id_is_none() -> None:
    with probing("mxnet", "mxnet.gluon.loss:SoftmaxCELoss", "onehot", axis=1, sparse_label=False) as run:
        takes_valid_masks(run)
        assert once(run, planted(255)).last.pixel.largest == 0.0
