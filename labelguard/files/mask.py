"""From a mask file to its facts: the exact ids, whatever the container, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.crops import CropFacts, RandomCrop
from labelguard.facts.frozen import FrozenDict
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import ErosionStats, MaskFacts
from labelguard.files import png, tiff
from labelguard.files.formats import decode_samples, with_suffix
from labelguard.files.memory import keep, take
from labelguard.files.not_decoded import NotDecodedError
from labelguard.files.samples import facts_of_samples, ids_of, labels_of
from labelguard.kernels.factorize import factorize

_EROSION_BYTES = 3  # for each pixel: where an id is, what is left of it, and a copy of either
_MOST_ERODED_PIXELS = 1 << 26  # erosion visits every pixel; larger masks are left out, since the others suffice to judge the set


def facts_of(data: bytes, name: str = "", erosion_of: Collection[int] = (), with_label_runs: bool = False) -> MaskFacts:
    """Gather the facts of a file's content, decoding only as much as they need.

    Parameters
    ----------
    data
        The whole file.
    name
        Its name, for the suffix.
    erosion_of
        Ids whose shape is to be looked at where they are present.
    with_label_runs
        Whether to gather how ids change along rows and columns.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is not an image.
    """
    tallied = png.tally_ids(data, with_label_runs=with_label_runs) if png.matches(data) else None
    if tallied is None:
        try:
            samples, stored = decode_samples(data, name)
        except NotDecodedError as reason:
            return without_pixels(reason, name)
        facts = facts_of_samples(samples, stored, with_label_runs and not stored.lossy)
        return _with_erosion(facts, erosion_of, lambda: ids_of(samples))
    records, header, _, label_runs = tallied
    stored = with_suffix(png, header.stored, name)
    dtype = "uint16" if header.bits == 16 else "uint8"
    facts = MaskFacts.of_records(records, (header.height, header.width), dtype, stored, label_runs=label_runs)
    return _with_erosion(facts, erosion_of, lambda: _decoded(data))


def decode_with_facts(data: bytes, name: str = "", erosion_of: Collection[int] = (), with_label_runs: bool = False
                      ) -> tuple[Mask | None, MaskFacts]:
    """Decode a file's content and gather its facts in the same pass.

    Parameters
    ----------
    data, name, erosion_of, with_label_runs
        As in `facts_of`.

    Returns
    -------
    mask, facts
        The mask is None where the pixels are not ids; the facts say what they are instead.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is not an image.
    """
    tallied = png.tally_ids(data, with_image=True, with_label_runs=with_label_runs) if png.matches(data) else None
    if tallied is not None:
        records, header, image, label_runs = tallied
        stored = with_suffix(png, header.stored, name)
        facts = MaskFacts.of_records(records, image.shape, image.dtype.name, stored, label_runs=label_runs)
        return Mask(image, name, stored), _with_erosion(facts, erosion_of, lambda: image)
    try:
        samples, stored = decode_samples(data, name)
    except NotDecodedError as reason:
        return None, without_pixels(reason, name)
    facts = facts_of_samples(samples, stored, with_label_runs and not stored.lossy)
    if not facts.present:
        return None, facts
    labels = ids_of(samples)
    return Mask(labels, name, stored), _with_erosion(facts, erosion_of, lambda: labels)


def crop_facts_of(data: bytes, name: str, facts: MaskFacts, cropping: RandomCrop) -> CropFacts | None:
    """What random crops of a mask hold; decoded only where its facts do not tell already, None where it is too large for that."""
    keep(len(data))
    try:
        return cropping.of(facts, lambda: factorize(labels_of(*decode_samples(data, name)), take))
    except UnreadableMaskError:
        return None


def without_pixels(reason: NotDecodedError, name: str) -> MaskFacts:
    """The facts of a file whose codec is not undone: where that is lossy, this is what there is to say of it."""
    if not reason.stored.lossy:
        raise reason
    return MaskFacts(reason.shape, reason.dtype, stored=with_suffix(tiff, reason.stored, name))


def _decoded(data: bytes) -> NDArray[np.integer]:
    keep(len(data))
    return png.decode(data)[0]


def _with_erosion(facts: MaskFacts, erosion_of: Collection[int], labels: Callable[[], NDArray[np.integer]]) -> MaskFacts:
    """The facts with the shapes of some ids; the labels are asked for only where one of these is present."""
    wanted = [label for label in erosion_of if label in facts.present] if facts.pixels <= _MOST_ERODED_PIXELS else []
    if not wanted:
        return facts
    ids = labels()
    take(_EROSION_BYTES * ids.size)
    return replace(facts, erosion=FrozenDict({label: _eroded(ids, label, facts) for label in wanted}))


def _eroded(labels: NDArray[np.integer], label: int, facts: MaskFacts) -> ErosionStats:
    from labelguard.kernels.erosion import eroded_pixels
    return erosion_stats(facts, label, eroded_pixels(labels, label, _margin(facts)))


def _margin(facts: MaskFacts) -> int:
    """How far inside counts as away from the edges: 3 pixels at the size of street scenes, 1 at that of thumbnails."""
    return min(3, max(1, round(min(facts.shape) / 100)))


def erosion_stats(facts: MaskFacts, label: int, eroded: int) -> ErosionStats:
    """What is kept of the shape of an id of which so many pixels survive erosion."""
    region = facts.region((label,))
    top, left, bottom, right = region.bbox
    at_border = top == 0 or left == 0 or bottom == facts.shape[0] or right == facts.shape[1]
    return ErosionStats(region.num_pixels, eroded, 1, int(at_border), (4 * _margin(facts) + 2) ** 2)
