"""Outcome: what became of one batch that went through the target loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.integer]

# What the logits say: nothing in particular; every pixel's own class, with certainty; another class, with certainty. Some losses that
# are sound on random logits divide zero by zero once the probabilities are exactly 0 and 1.
RANDOM, RIGHT, WRONG = REGIMES = ("random", "right", "wrong")

OK = "ok"
RAISED = ("exception", "assert", "death", "exit", "garbled")     # the loss, or its process, gave up
DEADLY = ("assert", "death", "exit", "garbled", "timeout")       # the worker has to be replaced
NOT_FINITE = ("nan-loss", "nan-gradient", "nan-buffer")


@dataclass(frozen=True, slots=True)
class PixelGradient:
    """The gradient with respect to the logits of one pixel.

    Parameters
    ----------
    largest
        The largest absolute value over the classes; 0.0 where the loss does not see the pixel.
    total
        The sum over the classes: 0 for a softmax loss that saw a class, above 0 where it saw none and pushes all of them down.
    lowest
        The class with the lowest gradient, whose logit rises most: the class that the loss trains the pixel as.
    """

    largest: float
    total: float
    lowest: int


@dataclass(frozen=True, slots=True)
class Step:
    """One pass forward and backward, under one regime of logits.

    Parameters
    ----------
    regime
        One of `REGIMES`, or ``"model"`` where the user's network made the logits.
    status
        `OK`, one of `RAISED` or of `NOT_FINITE`, ``timeout``, or ``out-of-memory``; ``garbled`` where the loss wrote to the worker's line.
    phase
        What was under way at the end: ``target``, ``logits``, ``model``, ``forward``, ``loss``, ``backward``, ``gradient``, ``buffers``.
    loss
        Its value, or the sum of its elements where it is not a scalar; None if there is none.
    gradient
        The largest absolute gradient with respect to the logits; nan where one is not finite, None if there is none.
    bad
        The first pixel whose gradient is not finite, as (sample, row, column).
    bad_pixels
        Number of pixels with such a gradient.
    pixel
        The gradient at the probed pixel.
    nearest
        Where a pixel was probed: a few pixels that have a gradient, as (sample, row, column), the nearest to it first.
    buffers
        Buffers and parameters that are not finite afterwards.
    error_type, error
        Class and text of the exception, the text cut. Without a class: a remark about the layers of a network.
    source, operation
        The user's line that raised, or that first produced a NaN, as ``file:line: code``; and the operation that did.
    native
        Signal or exit code of the worker, or the device's assertion.
    returned
        The part of what the loss returned that was taken as the loss, in words; empty where it returned nothing else.
    statistics
        The first values of the network's buffers after the step.
    """

    regime: str
    status: str
    phase: str = ""
    loss: float | None = None
    gradient: float | None = None
    bad: tuple[int, int, int] | None = None
    bad_pixels: int = 0
    pixel: PixelGradient | None = None
    nearest: tuple[tuple[int, int, int], ...] = ()
    buffers: tuple[str, ...] = ()
    error_type: str = ""
    error: str = ""
    source: str = ""
    operation: str = ""
    native: str = ""
    returned: str = ""
    statistics: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch: its steps, up to the first that failed.

    Parameters
    ----------
    steps
        At least one.
    """

    steps: tuple[Step, ...]

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return self.last.status != OK

    @property
    def died(self) -> bool:
        """Whether it cost the worker. When memory runs out, either the framework says so, or the worker is ended."""
        return self.last.status in DEADLY or (self.last.status == "out-of-memory" and bool(self.last.native))

    @property
    def last(self) -> Step:
        """The step that failed, or the last one."""
        return self.steps[-1]

    def step(self, regime: str) -> Step | None:
        """The step under a regime; None where it was not reached."""
        return next((step for step in self.steps if step.regime == regime), None)

    @property
    def has_zero_gradient(self) -> bool:
        """Whether the loss is finite and the gradient exactly 0 on random logits, or there is none: nothing can be learned from that."""
        step = self.step(RANDOM)
        return step is not None and step.status == OK and step.loss is not None and isfinite(step.loss) and not step.gradient

    def same_failure(self, other: Outcome) -> bool:
        """Whether both failed in the same way.

        An exception and a native death count as the same: a framework may raise on one run and die on the next, on the same mask.
        """
        mine, theirs = self.last, other.last
        if not (self.failed and other.failed):
            return False
        if mine.status in RAISED and theirs.status in RAISED:
            return "exception" not in (mine.status, theirs.status) or mine.status != theirs.status or mine.error_type == theirs.error_type
        if mine.status in NOT_FINITE:
            return theirs.status in NOT_FINITE
        return mine.status == theirs.status


class Runner(Protocol):
    """Puts a batch through the loss. It never raises for what the loss does: that is in the `Outcome`."""

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None) -> Outcome:
        """Run a batch.

        Parameters
        ----------
        labels
            Ids of shape (N, H, W).
        regimes
            Run in this order, up to the first that fails.
        probe_pixel
            A pixel, as (sample, row, column), whose gradient goes into `Step.pixel`; `Step.nearest` is filled in, too.
        """
