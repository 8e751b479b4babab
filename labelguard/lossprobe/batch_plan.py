"""The batches that training will form, and the worst ones that it can form."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from labelguard.facts.odds import share_of_such
from labelguard.lossprobe.supervisor.settings import Settings
from labelguard.spec.labelspec import LabelSpec


class BatchKind(StrEnum):
    """Why a batch is probed."""

    TRAINING = "training"  # the seed, or the order of the files, forms it
    ALONE = "alone"        # a mask that fills a batch of one, which another shuffle may form
    UNIFORM = "uniform"    # nothing but masks of one extreme, likewise


class Extreme(StrEnum):
    """What is extreme about a mask: it holds only background, only ignored pixels, or only one class that is not the background."""

    EMPTY = "empty"
    ALL_IGNORED = "all-ignored"
    SINGLE_CLASS = "single-class"


@dataclass(frozen=True, slots=True)
class MaskContents:
    """What a mask holds, as far as batches are concerned.

    Parameters
    ----------
    name
        Its path.
    shape
        (H, W).
    ids
        The ids present, ascending.
    """

    name: str
    shape: tuple[int, int]
    ids: tuple[int, ...]

    def extreme(self, spec: LabelSpec) -> Extreme | None:
        """What is extreme about the mask; None for an ordinary one. Ids that are not a class make a mask ordinary."""
        valid = [label for label in self.ids if label not in spec.ignore_index]
        if not valid:
            return Extreme.ALL_IGNORED
        if len(valid) > 1 or not spec.is_class(valid[0]):
            return None
        return Extreme.EMPTY if valid[0] == spec.background_id else Extreme.SINGLE_CLASS


@dataclass(frozen=True, slots=True)
class Batch:
    """Masks that go through the loss together.

    Parameters
    ----------
    members
        Their indices.
    kind
        Why it is probed.
    extreme
        What is extreme about all of its masks, where they were chosen for that.
    chance
        The expected number of such batches in a shuffled epoch, at most 1; 1 for the batches of training.
    """

    members: tuple[int, ...]
    kind: BatchKind = BatchKind.TRAINING
    extreme: Extreme | None = None
    chance: float = 1.0


def training_batches(masks: Sequence[MaskContents], settings: Settings) -> Iterator[Batch]:
    """The batches of an epoch. Masks of different sizes cannot share a batch, so each size forms its own."""
    for members in _by_shape(masks, settings):
        for start in range(0, len(members), settings.batch_size):
            batch = members[start:start + settings.batch_size]
            if len(batch) == settings.batch_size or not settings.drop_last:
                yield Batch(tuple(batch))


def worst_batches(masks: Sequence[MaskContents], spec: LabelSpec, settings: Settings) -> Iterator[Batch]:
    """The worst batches that another shuffle can form: each extreme mask alone, where a batch may hold one mask, and batches of
    nothing but such masks. Masks of one size that hold the same single id count as one mask. There are none where the order is fixed,
    and none that training forms anyway."""
    if settings.seed is None:
        return
    formed = {_kind(batch.members, masks, spec) for batch in training_batches(masks, settings)}
    for members in _by_shape(masks, settings):
        sizes = _sizes(len(members), settings)
        extremes: dict[Extreme, list[int]] = defaultdict(list)
        for member in members:
            if extreme := masks[member].extreme(spec):
                extremes[extreme].append(member)
        for extreme in Extreme:
            such = extremes[extreme]
            if 1 in sizes:
                for member in _distinct(such, masks):
                    if _kind((member,), masks, spec) in formed:
                        continue
                    alike = sum(masks[other].ids == masks[member].ids for other in such)
                    yield Batch((member,), BatchKind.ALONE, extreme, _chance(alike, 1, len(members), settings))
            for size in sorted(sizes - {1}):
                if len(such) >= size and _kind(such[:size], masks, spec) not in formed:
                    yield Batch(tuple(such[:size]), BatchKind.UNIFORM, extreme, _chance(len(such), size, len(members), settings))


def _kind(members: Sequence[int], masks: Sequence[MaskContents], spec: LabelSpec) -> tuple[object, ...]:
    """What tells batches of extreme masks apart: the shape, and what is extreme, or the ids of a mask that is alone."""
    first = masks[members[0]]
    if len(members) == 1:
        return 1, first.shape, first.ids if len(first.ids) == 1 else members[0]
    extremes = {masks[member].extreme(spec) for member in members}
    return len(members), first.shape, extremes.pop() if len(extremes) == 1 else None


def _by_shape(masks: Sequence[MaskContents], settings: Settings) -> Iterable[list[int]]:
    order = list(range(len(masks)))
    if settings.seed is not None:
        random.Random(settings.seed).shuffle(order)
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for member in order:
        groups[masks[member].shape].append(member)
    return groups.values()


def _sizes(count: int, settings: Settings) -> set[int]:
    """The sizes of the batches in an epoch over `count` masks."""
    full = {settings.batch_size} if count >= settings.batch_size else set()
    rest = count % settings.batch_size
    return full | ({rest} if rest and not settings.drop_last else set())


def _distinct(members: Sequence[int], masks: Sequence[MaskContents]) -> list[int]:
    """Without masks that are certainly equal: of one size and with one and the same id."""
    seen: set[tuple[int, ...]] = set()
    kept = []
    for member in members:
        ids = masks[member].ids
        if len(ids) > 1 or ids not in seen:
            kept.append(member)
        seen.add(ids)
    return kept


def _chance(such: int, size: int, total: int, settings: Settings) -> float:
    """The expected number of batches of `size` in an epoch that hold nothing but `such` of `total` masks, at most 1: the number of
    batches of that size times the share of such samples among all."""
    batches = total // size if size == settings.batch_size else 1
    return min(1.0, batches * share_of_such(such, size, total))
