"""Data sets of drawn masks; here, at the top of a module, so that workers that are spawned can import them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, Remap, Validate
from tests.checks.scenes import mask

SPEC = LabelSpec(3)
CLEAN = Pipeline([Validate(SPEC, select=("LG101",)), Remap(shift=1, num_classes=4)])
LABELS = mask("0 0 1 1 / 0 2 1 1 / 0 0 0 2")
WRONG = mask("0 0 1 1 / 0 9 1 1 / 0 0 0 2")
BROKEN = (1, 4, 5)


def image(index: int) -> NDArray[np.float32]:
    """Three planes that say which sample this is."""
    return np.full((3, *LABELS.shape), index, np.float32)


class Drawn:
    """Samples ``(image, mask)``, where some masks hold an id that is not a class."""

    def __init__(self, length: int = 8, broken: Iterable[int] = BROKEN, inner: Any = None) -> None:
        self.masks = [f"masks/{index}.png" for index in range(length)]
        self.broken = frozenset(broken)
        self.inner = inner

    def __len__(self) -> int:
        return len(self.masks)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        labels = (WRONG if index % len(self) in self.broken else LABELS).copy()
        return image(index % len(self)), labels if self.inner is None else self.inner(labels)

    def name(self, index: int) -> str:
        """What a sample is called."""
        return self.masks[index]


class Pair(NamedTuple):
    image: Any
    label: Any


@dataclass
class Record:
    label: Any
    path: str = "a.png"
    seen: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class Frozen:
    label: Any


class Plain:
    """An object without ceremony."""

    def __init__(self, label: Any) -> None:
        self.label = label


class Stream:
    """The same samples as `Drawn`, one after the other, each worker every so many; with their names where these are wanted."""

    def __init__(self, length: int = 8, broken: Iterable[int] = BROKEN, named: bool = False) -> None:
        self.samples = Drawn(length, broken)
        self.named = named

    def __iter__(self) -> Iterator[Any]:
        from torch.utils.data import get_worker_info
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for index in range(first, len(self.samples), step):
            planes, labels = self.samples[index]
            yield {"image": planes, "label": labels, "__key__": self.samples.name(index)} if self.named else (planes, labels)
