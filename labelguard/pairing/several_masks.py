"""Several masks of one image: told apart by a number or a word behind the name, or lying together in a folder named after the image."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from labelguard.pairing.name_candidates import MASK_WORDS, Name

_WORDS = ["old", "new", "copy", "backup", "bak", "orig", "original", "final", "tmp", "temp", "draft", "edited", "fixed"]
_NUMBERED = re.compile(r"(.+?)[_\-. ]+\d{1,4}$")
_COPIED = re.compile(rf"(.+?)(?:[_\-. ]+(?:(?:{'|'.join(_WORDS)})\d*|v\d+)|[_\-. ]*\(\d+\)|~)$")
_ROLE = re.compile(rf"(.+?)[_\-. ]+(?:{'|'.join(sorted(MASK_WORDS))})$")


def several_masks(unpaired: Sequence[tuple[str, Name]], image_of: Mapping[str, str], images: Sequence[Name],
                  pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The images that have more masks than the one that they are paired with, if any.

    Numbers tell pictures apart, and so a number behind the name of an image says nothing by itself: there have to be two such masks.

    Parameters
    ----------
    unpaired
        The masks without a partner, each after what stands for its name when names are compared.
    image_of
        The images by what stands for their names.
    images, pairs
        All images, and (mask, image) of those that have a partner.

    Returns
    -------
    dict
        For each such image its masks by name, the paired one first where there is one.
    """
    if not unpaired:
        return {}
    stems = Counter(image.low for image in images)
    stem_of = {image.low: image.name for image in images if stems[image.low] == 1}
    paired = {image: mask for mask, image in pairs}
    numbered, copied, together = (defaultdict[str, list[str]](list) for _ in range(3))
    for key, mask in unpaired:
        folder = _folder_without_role(mask)
        for pattern, groups in ((_NUMBERED, numbered), (_COPIED, copied)):
            found = pattern.match(key)
            image = found and _image(found[1], image_of)
            if image:
                groups[image].append(mask.name)
                break
        else:
            if folder in stem_of:
                together[stem_of[folder]].append(mask.name)
    for groups in (numbered, together):
        for image, masks in groups.items():
            if len(masks) > 1:
                copied[image] += masks
    return {image: (*([paired[image]] if image in paired else []), *sorted(masks)) for image, masks in sorted(copied.items())
            if image in paired or len(masks) > 1}


def _image(base: str, image_of: Mapping[str, str]) -> str:
    role = _ROLE.match(base)
    return image_of.get(base) or (image_of.get(role[1], "") if role else "")


def _folder_without_role(mask: Name) -> str:
    """The innermost folder that is not just called masks, in lower case."""
    return next((part for part in reversed(mask.folder.lower().split("/")) if part not in MASK_WORDS), "")
