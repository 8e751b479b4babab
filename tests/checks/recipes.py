"""Sets as people have them, and what goes wrong with them: every fault changes exactly one thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tests.checks.scenes import Labels

VOID = 255


def drawn_set(classes: int, files: int = 24, shape: tuple[int, int] = (96, 160), *, void: int | None = VOID, seed: int = 0,
              most: int = 12) -> list[Labels]:
    """Blobs of some of the classes on a background of class 0, several of each, of different sizes.

    Common classes come before rare ones; every class is in some file. `void` is drawn as a line of one pixel around the blobs.
    """
    rng = np.random.default_rng(seed)
    masks = []
    for number in range(files):
        labels = np.zeros(shape, np.uint8 if classes <= 256 else np.uint16)
        count = min(classes - 1, most)
        shares = 1 / np.arange(1, classes) ** 0.5
        present = rng.choice(np.arange(1, classes), size=rng.integers(1, count + 1), replace=False, p=shares / shares.sum())
        always = [1 + (number * count + i) % (classes - 1) for i in range(count if classes > files else 1)]
        for label in [*present.tolist(), *always] * 2:
            height, width = rng.integers(6, max(7, shape[0] // 4)), rng.integers(6, max(7, shape[1] // 4))
            top, left = rng.integers(0, shape[0] - height), rng.integers(0, shape[1] - width)
            if void is not None:
                labels[top:top + height, left:left + width] = void
            labels[top + 1:top + height - 1, left + 1:left + width - 1] = label
        masks.append(labels)
    return masks


def relabeled(masks: Sequence[Labels], table: Mapping[int, int] | Callable[[int], int], dtype: str = "uint8") -> list[Labels]:
    """The masks with their ids moved; ids that a mapping does not name stay."""
    move = table if callable(table) else lambda label: table.get(label, label)
    result = []
    for labels in masks:
        moved = labels.astype(np.int64)
        for label in np.unique(labels).tolist():
            moved[labels == label] = move(label)
        result.append(moved.astype(dtype))
    return result


def one_among(healthy: Sequence[Labels], faulty: Labels, at: int = 123) -> list[Labels]:
    """A faulty mask among healthy ones."""
    return [*healthy[:at], faulty, *healthy[at:]]
