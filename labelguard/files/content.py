"""Which masks are equal for certain: digests of their labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from labelguard.errors import LabelguardError
from labelguard.facts.digest import digest_of, digest_of_array
from labelguard.facts.image import ImageSet
from labelguard.files.memory import DEFAULT_BYTES, MemoryBudget
from labelguard.files.read import read

_BAND_PIXELS = 1 << 20  # pixels


def confirm_contents(images: ImageSet, path_of: Callable[[str], str], max_memory: int = DEFAULT_BYTES) -> ImageSet:
    """Read the masks again that seem to be equal, and give those that are not digests of their own.

    Counts, first pixels and boxes of all ids are equal in them, so that few are read in vain.

    Parameters
    ----------
    images
        The images and pairs of a set.
    path_of
        Where a mask lies, by its name.
    max_memory
        Bytes that may be taken for one of them.
    """
    alike: dict[bytes, list[int]] = defaultdict(list)
    for place, each in enumerate(images.pairs):
        if each.content is not None and len(each.ids) > 1:
            alike[each.content].append(place)
    pairs = list(images.pairs)
    for places in alike.values():
        for place in places if len(places) > 1 else ():
            pairs[place] = replace(pairs[place], content=content(path_of(pairs[place].mask), max_memory))
    return replace(images, pairs=tuple(pairs))


def content(path: str, max_memory: int = DEFAULT_BYTES) -> bytes | None:
    """A digest of the labels of a mask file; None where it can no longer be read."""
    try:
        labels = MemoryBudget(max_memory).run(read, path).labels
    except LabelguardError:
        return None  # it changed since it was read
    rows = max(1, _BAND_PIXELS // labels.shape[1])
    return digest_of(repr(labels.shape).encode(), *(digest_of_array(labels[row:row + rows].astype(np.int64))
                                                    for row in range(0, len(labels), rows)))
