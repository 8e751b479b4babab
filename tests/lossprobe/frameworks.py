"""What the tests of the frameworks share: interpreters that have them, and one batch of masks in which one pixel is planted.

An interpreter is named by LABELGUARD_PROBE_JAX, LABELGUARD_PROBE_TENSORFLOW and so on; else it is the running one, if that has the
framework.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe.supervisor.outcome import RANDOM, REGIMES, Labels, Outcome
from labelguard.lossprobe.supervisor.runner import InputFormat, LossRunner
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings

LOSSES = Path(__file__).with_name("framework_losses.py")  # those that no framework has ready-made
CLASSES = 19
PIXEL = (1, 2, 3)
VALID: Labels = np.random.default_rng(0).integers(0, CLASSES, (2, 4, 4)).astype(np.uint8)


def interpreter(framework: str) -> str:
    """The interpreter that has a framework; the test is skipped where there is none."""
    variable = f"LABELGUARD_PROBE_{framework.upper()}"
    if named := os.environ.get(variable):
        return named
    if importlib.util.find_spec(framework):
        return sys.executable
    pytest.skip(f"no interpreter with {framework}: set {variable}")


@contextmanager
def probing(framework: str, loss: str, target: str = "index", activation: str = "none", classes: int = CLASSES,
            **arguments: Any) -> Iterator[LossRunner]:
    """A runner with a loss on the CPU, fed in the way that is told."""
    settings = Settings(framework=framework, python=interpreter(framework), device="cpu", timeout=60.0)
    with LossRunner(ImportPath(loss, arguments), settings) as run:
        run.classes, run.input_format = classes, InputFormat(target, activation)
        yield run


def planted(value: int) -> Labels:
    """The valid masks, with another id at PIXEL."""
    masks = VALID.astype(np.int64)
    masks[PIXEL] = value
    return masks


def half_ignored(value: int) -> Labels:
    """The valid masks, the first of them all of one id."""
    masks = VALID.copy()
    masks[0] = value
    return masks


def once(run: LossRunner, labels: Labels) -> Outcome:
    """One pass under random logits, with a look at PIXEL."""
    return run(labels, (RANDOM,), PIXEL)


def takes_valid_masks(run: LossRunner) -> None:
    """Every regime passes; what a softmax does to a pixel sums to 0, and its class is the one that is pulled up."""
    outcome = run(VALID, REGIMES, PIXEL)
    assert [step.status for step in outcome.steps] == ["ok", "ok", "ok"], outcome.last
    random, right, wrong = outcome.steps
    assert random.pixel is not None and random.pixel.lowest == VALID[PIXEL]
    assert abs(random.pixel.total) < 1e-6 < random.pixel.largest
    assert right.loss is not None and random.loss is not None and wrong.loss is not None
    assert right.loss < 1e-6 < random.loss < wrong.loss


def is_trained_as(run: LossRunner, value: int, label: int) -> bool:
    """Whether an id has the loss and the gradient of a class."""
    mine, theirs = once(run, planted(value)).last, once(run, planted(label)).last
    return (mine.status, mine.loss, mine.pixel) == (theirs.status, theirs.loss, theirs.pixel) and mine.status == "ok"
