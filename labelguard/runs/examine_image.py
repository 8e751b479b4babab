"""The images beside the masks: found, paired by name, and which masks are equal for certain."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import IncompleteError, LabelguardError, UsageError
from labelguard.facts.image import ImageFacts, ImageSet, fit
from labelguard.files import read, read_bytes
from labelguard.files.find import FileListing, find
from labelguard.files.image import as_colors, as_displayed, decode_image, image_facts
from labelguard.pairing.alignment import PairEvidence, evidence_of
from labelguard.pairing.by_name import Pairing, pair
from labelguard.runs.pool import FileResult, FoundFile


@dataclass(frozen=True)
class Partners:
    """The images of some masks.

    Parameters
    ----------
    root
        Their folder as the user wrote it.
    pairing
        Which mask belongs to which image.
    of_mask
        For each paired mask its image as (path, name).
    alone
        The images that are in no pair.
    """

    root: str
    pairing: Pairing
    of_mask: dict[str, FoundFile]
    alone: tuple[FoundFile, ...]

    @property
    def count(self) -> int:
        """How many images there are."""
        return len(self.of_mask) + len(self.alone)


@dataclass(frozen=True)
class ExamineImage:
    """The work on one image. Picklable, so that it can go to other processes.

    Parameters
    ----------
    pixels
        Whether its pixels are decoded.
    labels
        (H, W), the mask that is held against it, if any.
    """

    pixels: bool
    labels: NDArray[np.integer] | None = None

    def __call__(self, path: str, name: str) -> FileResult:
        """FileResult on one image; the report has no facts of a mask."""
        try:
            if self.labels is None:
                return FileResult(name, None, image=image_facts(read_bytes(path), name, self.pixels))
            samples, facts = decode_image(read_bytes(path), name)
            return FileResult(name, None, image=facts, alignment=alignment_of(samples, facts, self.labels))
        except LabelguardError as reason:
            return FileResult(name, None, problem=str(reason))


def alignment_of(samples: NDArray[Any], facts: ImageFacts, labels: NDArray[np.integer]) -> PairEvidence | None:
    """Whether the edges of a mask and of its image lie in the same places.

    The image is turned to the view that has the size of the mask; where EXIF turns it and both have, both are looked at.

    Parameters
    ----------
    samples, facts
        As `labelguard.files.image.decode_image` gives them.
    labels
        (H, W), the mask.

    Returns
    -------
    PairEvidence or None
        None where the sizes differ, which other checks speak of.
    """
    how = fit(labels.shape, facts.shape, facts.orientation)
    if how not in ("equal", "stored", "displayed", "either") or facts.stored is None:
        return None
    colors = as_colors(samples, facts.stored)
    seen = evidence_of(as_displayed(colors, facts.orientation if how == "displayed" else 1), labels)
    return PairEvidence(seen, evidence_of(as_displayed(colors, facts.orientation), labels) if how == "either" else None)


def match(masks: FileListing, folder: str | os.PathLike[str]) -> tuple[list[FoundFile], Partners]:
    """Find the images of some masks.

    Where one folder lies inside the other, the files of the inner one are what it was given for and nothing else.

    Returns
    -------
    masks, partners
        The mask files without those that are images, and the images.

    Raises
    ------
    IncompleteError
        When the folder does not exist or holds no image.
    UsageError
        When it holds nothing but the masks themselves.
    """
    images = find([folder])
    if images.missing:
        raise IncompleteError(f"'{images.missing[0]}', given with --images, does not exist, or cannot be opened.")
    if not images.files:
        raise IncompleteError(f"No images found in '{images.root}', given with --images.")
    if not masks.files:
        return [], Partners(images.root, Pairing("there are no masks", (), (), (), ()), {}, tuple(images.files))
    mask_files, image_files = _parted(masks.files, images.files)
    if not mask_files or not image_files:
        raise UsageError(f"--images names the files that are scanned as masks, '{images.root}'; where both lie in one folder, name the "
                         "masks: labelguard scan data/*_mask.png --images data")
    pairing = pair([name for _, name in mask_files], [name for _, name in image_files])
    path_of = {name: path for path, name in image_files}
    of_mask = {mask: (path_of[image], image) for mask, image in pairing.pairs}
    paired = {image for _, image in pairing.pairs}
    return mask_files, Partners(images.root, pairing, of_mask, tuple(entry for entry in image_files if entry[1] not in paired))


def _parted(masks: list[FoundFile], images: list[FoundFile]) -> tuple[list[FoundFile], list[FoundFile]]:
    """Each file on one side only: on the side that names fewer files, since that folder lies within the other."""
    of_masks = {os.path.abspath(path) for path, _ in masks}
    of_images = {os.path.abspath(path) for path, _ in images}
    both = of_masks & of_images
    if both and len(images) < len(masks):
        return [entry for entry in masks if os.path.abspath(entry[0]) not in both], images
    return masks, [entry for entry in images if os.path.abspath(entry[0]) not in both]


def confirm_contents(images: ImageSet, path_of: Callable[[str], str]) -> None:
    """Read the masks again that seem to be equal, and give those that are not digests of their own.

    Counts, first pixels and boxes of all ids are equal in them, so that few are read in vain.

    Parameters
    ----------
    images
        Its pairs are replaced.
    path_of
        Where a mask lies, by its name.
    """
    alike: dict[bytes, list[int]] = defaultdict(list)
    for place, each in enumerate(images.pairs):
        if each.content is not None and len(each.ids) > 1:
            alike[each.content].append(place)
    for places in alike.values():
        for place in places if len(places) > 1 else ():
            images.pairs[place] = replace(images.pairs[place], content=content(path_of(images.pairs[place].mask)))


def content(path: str) -> bytes | None:
    """A digest of the labels of a mask file; None where it can no longer be read."""
    try:
        labels = read(path).labels
    except LabelguardError:
        return None  # it changed since it was read
    return hashlib.sha256(repr(labels.shape).encode() + labels.astype("<i8").tobytes()).digest()[:16]
