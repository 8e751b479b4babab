"""Which masks are equal for certain: digests of their labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from labelguard.errors import LabelguardError
from labelguard.facts.digest import digest_of_array
from labelguard.facts.image import ImageSet
from labelguard.files.read import read


def confirm_contents(images: ImageSet, path_of: Callable[[str], str]) -> ImageSet:
    """Read the masks again that seem to be equal, and give those that are not digests of their own.

    Counts, first pixels and boxes of all ids are equal in them, so that few are read in vain.

    Parameters
    ----------
    images
        The images and pairs of a set.
    path_of
        Where a mask lies, by its name.
    """
    alike: dict[bytes, list[int]] = defaultdict(list)
    for place, each in enumerate(images.pairs):
        if each.content is not None and len(each.ids) > 1:
            alike[each.content].append(place)
    pairs = list(images.pairs)
    for places in alike.values():
        for place in places if len(places) > 1 else ():
            pairs[place] = replace(pairs[place], content=content(path_of(pairs[place].mask)))
    return replace(images, pairs=tuple(pairs))


def content(path: str) -> bytes | None:
    """A digest of the labels of a mask file; None where it can no longer be read."""
    try:
        labels = read(path).labels
    except LabelguardError:
        return None  # it changed since it was read
    return digest_of_array(labels.astype(np.int64))
