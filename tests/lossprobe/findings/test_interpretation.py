"""As what a loss takes an id that is not a class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.lossprobe.findings.interpretation import interpret
from labelguard.lossprobe.supervisor.outcome import Outcome, Step
from tests.lossprobe.fakes import (
    FakeRunner,
    Logits,
    Loss,
    binary_cross_entropy,
    cross_entropy,
    dice,
    failing_if,
    hinge,
    lovasz,
    sigmoid_one_hot,
)

C = 19


def no_target(logits: Logits, labels: np.ndarray) -> tuple[float, Logits]:
    """Softmax cross entropy against an empty row: the loss drops the pixel, the gradient pushes all classes down."""
    return cross_entropy(illegal="no target")(logits, labels)


@pytest.mark.parametrize(("loss", "value", "label"), [
    (cross_entropy(illegal="clip"), 255, 18),
    (cross_entropy(illegal="clip"), -1, 0),
    (cross_entropy(illegal="wrap"), -1, 18),
    (cross_entropy(illegal="wrap"), 255, 255 % C),
    (cross_entropy(illegal="wrap"), 2**32 + 3, (2**32 + 3) % C),
    (lambda logits, ids: cross_entropy()(logits, ids % 2**32), 2**32 + 3, 3),
    (lambda logits, ids: cross_entropy()(logits, np.where(ids == 255, 7, ids)), 255, 7),
    (lambda logits, ids: dice(logits, ids.clip(0, C - 1)), 255, 18),
    (hinge, 255, 18),
])
def test_a_class(loss: Loss, value: int, label: int) -> None:
    found = interpret(FakeRunner(loss, C), value, C)
    assert (found.reading, found.label) == ("class", label)
    assert found.evidence[0] == f"a pixel of {value} has the same loss and the same gradient as a pixel of class {label}"
    assert found.runs <= 8


@given(st.integers(2, 40), st.integers(-(2**63), 2**63 - 2), st.sampled_from(["clip", "wrap", "raise", "dropped", "no target"]),
       st.integers(3, 40))
def test_whatever_the_id_and_the_number_of_classes(classes: int, value: int, illegal: str, size: int) -> None:
    if 0 <= value < classes:
        value += classes
    expected = {"clip": ("class", 0 if value < 0 else classes - 1), "wrap": ("class", value % classes), "raise": ("refused", None),
                "dropped": ("ignored", None), "no target": ("no-class", None)}
    found = interpret(FakeRunner(cross_entropy(illegal=illegal), classes), value, classes, height=size, width=size)
    assert (found.reading, found.label) == expected[illegal]


@pytest.mark.parametrize("loss", [cross_entropy(ignore=255), cross_entropy(illegal="dropped")])
def test_ignored(loss: Loss) -> None:
    found = interpret(FakeRunner(loss, C), 255, C, ignore=(255,))
    assert (found.reading, found.label) == ("ignored", None)
    assert found.runs <= 6


@pytest.mark.parametrize(("loss", "value"), [(no_target, 255), (no_target, -1), (sigmoid_one_hot, 255), (dice, 255), (dice, 19),
                                             (lovasz, 255)])
def test_no_class(loss: Loss, value: int) -> None:
    found = interpret(FakeRunner(loss, C), value, C)
    assert (found.reading, found.label) == ("no-class", None)


def test_classes_that_are_pushed_down_are_said_to_be() -> None:
    evidence = interpret(FakeRunner(no_target, C), 255, C).evidence
    assert "the classes are pushed down" in evidence[0]


@pytest.mark.parametrize("classes", [1, 2, 12])
@pytest.mark.parametrize("value", [255, -1, 13])
def test_a_number(value: int, classes: int) -> None:
    found = interpret(FakeRunner(binary_cross_entropy, classes), value, classes)
    assert found.reading == "number"


def test_a_mask_stored_as_0_and_255_makes_the_loss_negative() -> None:
    said = [interpret(FakeRunner(binary_cross_entropy, 2), value, 2, height=8, width=8).evidence[0] for value in (2550, -2550)]
    assert any(text.startswith("the loss is below 0 with a pixel of") for text in said)   # which of them depends on the logit there


def test_refused() -> None:
    found = interpret(FakeRunner(cross_entropy(), C), 255, C)
    assert (found.reading, found.runs) == ("refused", 2)
    assert found.outcome.last.error_type == "IndexError"
    assert found.evidence == ("one pixel of 255 in neutral masks: exception: Target 255 is out of bounds.",)


def test_a_loss_without_gradients_is_not_taken_to_ignore() -> None:
    found = interpret(FakeRunner(lambda logits, _: (1.0, np.zeros_like(logits)), C), 255, C)
    assert found.reading == "unclear"


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
def test_pixels_without_a_gradient_of_their_own_are_not_taken_to_be_ignored(scale: float) -> None:
    for size in (8, 9, 16, 31):
        found = interpret(FakeRunner(lambda logits, ids: hinge(scale * logits, ids), C), 255, C, height=size, width=size)
        assert found.reading in ("class", "unclear")


def test_a_loss_that_takes_nothing_is_unclear_not_a_class() -> None:
    refuses_classes = failing_if(lambda ids: not (ids == 255).any())
    assert interpret(FakeRunner(refuses_classes, C), 255, C).reading == "unclear"


def test_an_ignored_id_among_the_classes() -> None:
    assert interpret(FakeRunner(cross_entropy(ignore=0), C), 0, C, ignore=(0,)).reading == "ignored"
    assert interpret(FakeRunner(cross_entropy(), C), 0, C, ignore=(0,)).reading != "ignored"


@pytest.mark.parametrize("classes", [1, 2, 150])
def test_any_number_of_classes(classes: int) -> None:
    assert interpret(FakeRunner(cross_entropy(ignore=255), classes), 255, classes, ignore=(255,)).reading in ("ignored", "unclear")
    found = interpret(FakeRunner(sigmoid_one_hot, classes), 255, classes, height=20, width=20)
    assert found.reading == "no-class" and found.runs <= 12


def test_tiny_masks() -> None:
    assert interpret(FakeRunner(cross_entropy(illegal="clip"), 3), 255, 3, height=1, width=1).reading == "class"


@pytest.mark.parametrize(("step", "silent"), [
    (Step("random", "ok", loss=0.0, gradient=0.0), True),
    (Step("random", "ok", loss=0.0, gradient=1e-30), False),
    (Step("random", "nan-loss", loss=float("nan"), gradient=0.0), False),
    (Step("right", "ok", loss=0.0, gradient=0.0), False),
    (Step("random", "ok", loss=1.0, gradient=None), True),
])
def test_zero_signal(step: Step, silent: bool) -> None:
    assert Outcome((step,)).has_zero_gradient is silent
