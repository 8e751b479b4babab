"""Where the mask is in a sample of a data set."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

from labelguard.errors import UsageError
from labelguard.stages import Stage
from labelguard.stages.interop import exchange


def check_place(argument: str, place: object) -> None:
    """Refuse what is no place in a sample.

    Raises
    ------
    UsageError
        When it is neither an index, nor a key, nor the name of an attribute.
    """
    if isinstance(place, bool) or not isinstance(place, (int, str)):
        raise UsageError(f"{argument} is {place!r}; it must be an index, a key or the name of an attribute.")


def part_of(sample: Any, place: int | str, argument: str) -> Any:
    """What a sample has in a place.

    Raises
    ------
    UsageError
        When it has nothing there; `argument` is what the place was called.
    """
    if isinstance(sample, Mapping):
        if place not in sample:
            raise _missing(argument, place, f"has the keys {', '.join(map(repr, sample))}")
        return sample[place]
    if isinstance(place, str):
        if not hasattr(sample, place):
            raise _missing(argument, place, f"is {type(sample).__qualname__}, which has no such attribute")
        return getattr(sample, place)
    if not isinstance(sample, (tuple, list)):
        raise _missing(argument, place, f"is {type(sample).__qualname__}, which is not a tuple, a list or a dictionary")
    if not -len(sample) <= place < len(sample):
        raise _missing(argument, place, f"has {len(sample)} parts")
    return sample[place]


def with_mask(sample: Any, place: int | str, stage: Stage) -> Any:
    """A shallow copy of a sample whose mask has been put through a stage.

    Raises
    ------
    UsageError
        When it has no mask in this place.
    """
    mask = stage(part_of(sample, place, "mask"))
    if isinstance(sample, Mapping) or not isinstance(place, str):
        return exchange(sample, {place: mask})
    if isinstance(sample, tuple):
        return sample._replace(**{place: mask})  # type: ignore[attr-defined]
    changed = copy.copy(sample)
    try:
        setattr(changed, place, mask)
    except dataclasses.FrozenInstanceError:
        object.__setattr__(changed, place, mask)
    return changed


def _missing(argument: str, place: int | str, what: str) -> UsageError:
    return UsageError(f"{argument} is {place!r}, but a sample {what}.")
