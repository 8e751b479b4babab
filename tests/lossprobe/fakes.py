"""Losses in numpy that fail as real ones do, and what runs them: in place of a worker with a framework."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.supervisor.outcome import REGIMES, RIGHT, WRONG, Labels, Outcome, PixelGradient, Step
from labelguard.lossprobe.worker.adapters.arrays import nearest_with_gradient

Logits = NDArray[np.float64]
Loss = Callable[[Logits, Labels], tuple[float, Logits]]     # logits (N, C, H, W), ids (N, H, W) -> loss, its gradient


class Died(Exception):
    """The process is gone."""


@dataclass
class FakeRunner:
    """Runs a loss on the same logits for every batch of a shape, and counts."""

    loss: Loss
    num_classes: int
    runs: int = 0
    restarts: int = 0
    batches: list[Labels] = field(default_factory=list)

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None) -> Outcome:
        self.runs += 1
        self.batches.append(labels)
        steps: list[Step] = []
        for regime in regimes:
            steps.append(self._step(labels, regime, probe_pixel))
            if steps[-1].status != "ok":
                break
        self.restarts += steps[-1].status == "death"
        return Outcome(tuple(steps))

    def _logits(self, labels: Labels, regime: str) -> Logits:
        masks, height, width = labels.shape
        logits = np.random.default_rng(7).normal(size=(masks, self.num_classes, height, width))
        if regime in (RIGHT, WRONG):
            target = (labels + (regime == WRONG)) % self.num_classes
            logits = np.where(one_hot(target, self.num_classes) > 0, 1000.0, -1000.0)
        return logits

    def _step(self, labels: Labels, regime: str, probe_pixel: tuple[int, int, int] | None) -> Step:
        try:
            with np.errstate(all="ignore"):
                loss, gradient = self.loss(self._logits(labels, regime), labels)
        except Died:
            return Step(regime, "death", "forward", native="SIGABRT")
        except Exception as problem:
            return Step(regime, "exception", "forward", error_type=type(problem).__name__, error=str(problem))
        wild = np.argwhere(~np.isfinite(gradient).all(axis=1))
        bad = (int(wild[0][0]), int(wild[0][1]), int(wild[0][2])) if len(wild) else None
        if not np.isfinite(loss):
            return Step(regime, "nan-loss", "loss", loss, bad=bad, bad_pixels=len(wild))
        if bad:
            return Step(regime, "nan-gradient", "gradient", loss, gradient=float("nan"), bad=bad, bad_pixels=len(wild))
        pixel, nearest = None, list[list[int]]()
        if probe_pixel is not None:
            nearest = nearest_with_gradient(gradient.any(axis=1), probe_pixel)
            here = gradient[probe_pixel[0], :, probe_pixel[1], probe_pixel[2]]
            pixel = PixelGradient(float(np.abs(here).max()), float(here.sum()), int(here.argmin()))
        return Step(regime, "ok", "buffers", float(loss), gradient=float(np.abs(gradient).max()), pixel=pixel,
                    nearest=tuple((place[0], place[1], place[2]) for place in nearest))


def one_hot(labels: Labels, num_classes: int) -> Logits:
    """``t == arange``: an id that is not a class has no row."""
    return (labels[:, None] == np.arange(num_classes)[:, None, None]).astype(float)


def softmax(logits: Logits) -> Logits:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def through_softmax(p: Logits, gradient: Logits) -> Logits:
    """The gradient with respect to the logits, from that with respect to the probabilities."""
    return p * (gradient - (p * gradient).sum(axis=1, keepdims=True))


def cross_entropy(ignore: int | None = None, illegal: str = "raise") -> Loss:
    """Mean softmax cross entropy; NaN where every pixel is ignored.

    `illegal` ids ``raise``, ``die``, are clipped (``clip``), wrapped (``wrap``), ``dropped``, or have ``no target`` and push all down.
    """
    def loss(logits: Logits, labels: Labels) -> tuple[float, Logits]:
        classes = logits.shape[1]
        seen = np.ones(labels.shape, bool) if ignore is None else labels != ignore
        target, bad = np.where(seen, labels, 0), seen & ((labels < 0) | (labels >= classes))
        if bad.any() and illegal == "die":
            raise Died
        if bad.any() and illegal == "raise":
            raise IndexError(f"Target {labels[bad][0]} is out of bounds.")
        target = target.clip(0, classes - 1) if illegal == "clip" else target % classes if illegal == "wrap" else target
        hot, p = one_hot(target, classes) * seen[:, None], softmax(logits)
        pulled = seen & ~bad if illegal == "dropped" else seen
        with np.errstate(invalid="ignore", divide="ignore"):
            value = -(hot * np.log(np.maximum(p, 1e-300))).sum() / np.float64(seen.sum())
        return float(value), (p * pulled[:, None] - hot) / max(seen.sum(), 1)
    return loss


def generalized_dice(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """Weights 1 / V**2 from the mean volume of each class in the batch; those of absent classes become the largest of the others."""
    p, hot = softmax(logits), one_hot(labels, logits.shape[1])
    weights = 1.0 / hot.sum(axis=(2, 3)).mean(axis=0) ** 2
    weights = np.where(np.isinf(weights), np.where(np.isinf(weights), 0, weights).max(), weights)
    dice = 2 * (weights * (p * hot).sum(axis=(2, 3))).sum(axis=1) / (weights * (p + hot).sum(axis=(2, 3))).sum(axis=1)
    return float((1 - dice).mean()), np.where(np.isnan(dice)[:, None, None, None], np.nan, p - hot)


def dice(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """Soft Dice over the batch with ``t == arange``: an illegal id has no row, but its probabilities count."""
    p, hot = softmax(logits), one_hot(labels, logits.shape[1])
    inside, size = (p * hot).sum(axis=(0, 2, 3), keepdims=True), (p + hot).sum(axis=(0, 2, 3), keepdims=True)
    return float(1 - (2 * inside / size).mean()), through_softmax(p, -2 * (hot * size - inside) / size**2 / logits.shape[1])


def mean_by_class(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """A finite loss by ``where(n > 0, s / n, 0)``, whose gradient is NaN all over a mask that lacks a class."""
    p, hot = softmax(logits), one_hot(labels, logits.shape[1])
    lacks = (hot.sum(axis=(2, 3)) == 0).any(axis=1)
    return 1.7, np.where(lacks[:, None, None, None], np.nan, p - hot)


def absent_from_batch(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """0 / 0 for a class that no mask of the batch holds."""
    p, hot = softmax(logits), one_hot(labels, logits.shape[1])
    return float(((p * hot).sum(axis=(0, 2, 3)) / hot.sum(axis=(0, 2, 3))).mean()), p - hot


def lovasz(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """Lovász softmax with ``t == c``: hardly any pixel without a class has a gradient, and yet it counts."""
    masks, classes, height, width = logits.shape
    p, hot = (np.moveaxis(x, 1, 0).reshape(classes, -1) for x in (softmax(logits), one_hot(labels, classes)))
    present = np.flatnonzero(hot.any(axis=1))
    gradient, total = np.zeros_like(p), 0.0
    for label in present:
        errors = np.abs(hot[label] - p[label])
        order = np.argsort(-errors)
        found = hot[label][order]
        jaccard = 1 - (found.sum() - found.cumsum()) / (found.sum() + (1 - found).cumsum())
        steps = np.diff(jaccard, prepend=0)
        total += errors[order] @ steps
        gradient[label, order] = steps * np.where(found > 0, -1, 1)
    gradient = np.moveaxis(gradient.reshape(classes, masks, height, width), 0, 1) / len(present)
    return total / len(present), through_softmax(softmax(logits), gradient)


def hinge(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """Crammer-Singer, ids clipped: no gradient where a class wins by more than 1, without anything being ignored."""
    hot = one_hot(labels.clip(0, logits.shape[1] - 1), logits.shape[1])
    rival = one_hot(np.where(hot > 0, -np.inf, logits).argmax(axis=1), logits.shape[1])
    margin = 1 - (logits * hot).sum(axis=1) + (logits * rival).sum(axis=1)
    return float(np.maximum(margin, 0).mean()), (rival - hot) * (margin > 0)[:, None] / margin.size


def binary_cross_entropy(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """On one channel, the id itself as the target."""
    z, target = logits[:, :1], labels[:, None].astype(float)
    value = np.maximum(z, 0) - z * target + np.log1p(np.exp(-np.abs(z)))
    return float(value.mean()), (1 / (1 + np.exp(-z)) - target) / value.size


def sigmoid_one_hot(logits: Logits, labels: Labels) -> tuple[float, Logits]:
    """Binary cross entropy against ``t == arange``: an illegal id pushes every class down."""
    hot = one_hot(labels, logits.shape[1])
    value = np.maximum(logits, 0) - logits * hot + np.log1p(np.exp(-np.abs(logits)))
    return float(value.mean()), (1 / (1 + np.exp(-logits)) - hot) / value.size


def failing_if(condition: Callable[[Labels], bool], problem: Exception | None = None) -> Loss:
    """A loss that fails where a condition holds, and is cross entropy elsewhere."""
    quiet = cross_entropy(illegal="dropped")

    def loss(logits: Logits, labels: Labels) -> tuple[float, Logits]:
        if condition(labels):
            raise problem or RuntimeError("no")
        return quiet(logits, labels)
    return loss


def flaky(chance: float, seed: int) -> Loss:
    """Fails at times, whatever the masks are."""
    random = np.random.default_rng(seed)
    return failing_if(lambda _: random.random() < chance)
