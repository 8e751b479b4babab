"""Fingerprints: equal for masks of equal labels, without their pixels."""

from __future__ import annotations

from collections.abc import Iterable
from math import log2
from typing import NamedTuple

from labelguard.facts.digest import digest_of
from labelguard.facts.mask_facts import MaskFacts


def mask_digest(facts: MaskFacts) -> bytes:
    """A digest that is equal for masks of equal labels; others agree in it only where every id has the same count, first pixel and box."""
    return digest_of(repr((facts.shape, facts.ids.dtype.name)).encode(), facts.ids.tobytes(), facts.records[:, 1:].tobytes())


class Fingerprint(NamedTuple):
    """The fingerprint of one mask.

    Parameters
    ----------
    digest
        Equal where two masks hold equal labels.
    bits
        How much there is to get right, see `coincidence_bits`: masks that were drawn apart agree with a chance of about 2 to the power of
        minus that.
    """

    digest: bytes
    bits: float


def coincidence_bits(facts: MaskFacts, ignored: Iterable[int] = ()) -> float:
    """How much has to agree by chance before two masks that were drawn apart are equal, in bits.

    The frame of an id's box counts where it is free of the edge of the image, with log2 of the length along which it could lie; a shape
    that does not fill its box counts one bit for each row and column in addition. The id with the largest box is what the others lie on.
    Nothing at all where only one id, or nothing but background and ignored ids is there.
    """
    if len(facts.present) < 2 or set(facts.present) <= {0, *ignored}:
        return 0.0
    height, width = facts.shape
    shapes: list[tuple[int, float]] = []
    for number, (top, left, bottom, right) in zip(facts.num_pixels.tolist(), facts.bboxes.tolist(), strict=True):
        area = (bottom - top) * (right - left)
        free = ((top > 0) + (bottom < height)) * log2(height) + ((left > 0) + (right < width)) * log2(width)
        shapes.append((area, free + (bottom - top + right - left) * (number < area)))
    shapes.sort()
    return sum(each for _, each in shapes[:-1])


def fingerprint_of(facts: MaskFacts, ignored: Iterable[int] = ()) -> Fingerprint:
    """The fingerprint of a mask with exact ids."""
    return Fingerprint(mask_digest(facts), coincidence_bits(facts, ignored))
