"""Images with masks: drawn scenes, and faults in how they are put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from labelguard.pairing.alignment import AlignmentVerdict
from labelguard.pairing.alignment.edge_maps import edge_evidence
from labelguard.pairing.alignment.verdict import judge_alignment

Image = NDArray[np.uint8]
Pair = tuple[Image, NDArray[np.uint8]]
SHAPE = (96, 160)


def scene(seed: int, shape: tuple[int, int] = SHAPE, *, objects: int = 6, contrast: float = 60, noise: float = 12, void: int = 0) -> Pair:
    """Boxes and ellipses of random colors before a ground; `void` is half the width of a border of 255 around all areas."""
    rng = np.random.default_rng(seed)
    height, width = shape
    labels, image = np.zeros(shape, np.uint8), np.full((*shape, 3), 120.0)
    y, x = np.mgrid[:height, :width]
    horizon = int(height * rng.uniform(0.35, 0.65))
    labels[horizon:], image[horizon:] = 1, 120 + rng.normal(0, contrast, 3)
    for _ in range(objects):
        down, right = (y - rng.uniform(0, height)) / rng.uniform(5, 20), (x - rng.uniform(0, width)) / rng.uniform(5, 20)
        inside = down ** 2 + right ** 2 < 1 if rng.random() < 0.5 else (abs(down) < 1) & (abs(right) < 1)
        labels[inside], image[inside] = rng.integers(2, 5), 120 + rng.normal(0, contrast, 3)
    if void:
        areas = labels.copy()
        for step in range(-void, void + 1):
            for axis in (0, 1):
                labels[np.roll(areas, step, axis) != areas] = 255
    return np.clip(image + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8), labels


def scenes(count: int, shape: tuple[int, int] = SHAPE, *, first: int = 0, **how: float) -> list[Pair]:
    """Several scenes that have nothing to do with each other."""
    return [scene(first + number, shape, **how) for number in range(count)]  # type: ignore[arg-type]


def remade(pairs: Sequence[Pair], change: Callable[[NDArray[np.uint8]], NDArray[np.uint8]], every: int = 1) -> list[Pair]:
    """The pairs with every n-th mask changed."""
    return [(image, change(labels) if number % every == 0 else labels) for number, (image, labels) in enumerate(pairs)]


def rotated(pairs: Sequence[Pair], names: int) -> list[Pair]:
    """Each image with the mask of the image some names further on."""
    return [(image, pairs[(number + names) % len(pairs)][1]) for number, (image, _) in enumerate(pairs)]


def name(number: int) -> str:
    """The name of a pair."""
    return f"{number:03}.png"


def verdict(pairs: Sequence[Pair]) -> AlignmentVerdict:
    """What is said of a set, named in its order."""
    return judge_alignment([(name(number), edge_evidence(image, labels)) for number, (image, labels) in enumerate(pairs)])
