"""The images beside the masks: found, and paired by name."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from labelguard.errors import IncompleteError, UsageError
from labelguard.files.find import FileListing, FoundFile, find, nothing_found
from labelguard.pairing.by_name import Pairing, pair


@dataclass(frozen=True)
class ImageFolder:
    """The images of some masks.

    Parameters
    ----------
    root
        Their folder as the user wrote it.
    pairing
        Which mask belongs to which image.
    of_mask
        For each paired mask its image as (path, name).
    unpaired
        The images that are in no pair.
    refused
        (name, reason) of what may be or hold images and cannot be looked at.
    """

    root: str
    pairing: Pairing
    of_mask: dict[str, FoundFile]
    unpaired: tuple[FoundFile, ...]
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def count(self) -> int:
        """How many images there are."""
        return len({image for _, image in self.of_mask.values()}) + len(self.unpaired)

    def of_masks(self, names: Collection[str]) -> ImageFolder:
        """The same for some of the masks; images that belong to the others are left out, and images without any mask stay."""
        pairing = self.pairing
        kept = replace(pairing, pairs=tuple(pair for pair in pairing.pairs if pair[0] in names),
                       masks_without=tuple(name for name in pairing.masks_without if name in names),
                       ambiguous=tuple(entry for entry in pairing.ambiguous if entry[0] in names),
                       several=tuple((image, kept) for image, some in pairing.several
                                     if len(kept := tuple(name for name in some if name in names)) > 1))
        return replace(self, pairing=kept, of_mask={mask: image for mask, image in self.of_mask.items() if mask in names})


def match(masks: FileListing, folder: str | os.PathLike[str]) -> tuple[FileListing, ImageFolder]:
    """Find the images of some masks.

    Where one folder lies inside the other, the files of the inner one are what it was given for and nothing else.

    Returns
    -------
    masks, images
        The listing of the masks without the files that are images, and the images.

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
        raise IncompleteError(f"{nothing_found(images, [folder], 'images').rstrip('.')}, given with --images.")
    if not masks.files:
        return masks, ImageFolder(images.root, Pairing("there are no masks", (), (), (), ()), {}, images.files, images.refused)
    mask_files, image_files = _parted(masks.files, images.files)
    if not mask_files or not image_files:
        raise UsageError(f"--images names the same files as the masks, '{images.root}'; where both lie in one folder, name the masks, as "
                         "in data/*_mask.png --images data")
    return replace(masks, files=mask_files), paired(mask_files, replace(images, files=image_files))


def paired(masks: Sequence[FoundFile], images: FileListing, image_of: Mapping[str, str] | None = None) -> ImageFolder:
    """Images, paired with masks by name, or as it is known which `image_of` a mask is."""
    names, of_images = [name for _, name in masks], [name for _, name in images.files]
    pairing = _as_known(names, of_images, image_of) if image_of else pair(names, of_images)
    path_of = {name: path for path, name in images.files}
    of_mask = {mask: (path_of[image], image) for mask, image in pairing.pairs}
    with_mask = {image for _, image in pairing.pairs}
    alone = tuple(entry for entry in images.files if entry[1] not in with_mask)
    return ImageFolder(images.root, pairing, of_mask, alone, images.refused)


def _as_known(masks: Sequence[str], images: Sequence[str], image_of: Mapping[str, str]) -> Pairing:
    pairs = tuple((mask, image_of[mask]) for mask in sorted(masks) if mask in image_of)
    having = {image for _, image in pairs}
    return Pairing("the masks in a folder belong to the one image beside it", pairs, tuple(sorted({*masks} - {*image_of})),
                   tuple(sorted({*images} - having)), ())


def _parted(masks: Sequence[FoundFile], images: Sequence[FoundFile]) -> tuple[tuple[FoundFile, ...], tuple[FoundFile, ...]]:
    """Each file on one side only: on the side that names fewer files, since that folder lies within the other."""
    of_masks = {os.path.abspath(path) for path, _ in masks}
    of_images = {os.path.abspath(path) for path, _ in images}
    both = of_masks & of_images
    if both and len(images) < len(masks):
        return tuple(entry for entry in masks if os.path.abspath(entry[0]) not in both), tuple(images)
    return tuple(masks), tuple(entry for entry in images if os.path.abspath(entry[0]) not in both)
