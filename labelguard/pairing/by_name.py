"""Which mask belongs to which image, found from the two lists of names alone.

Names are paths relative to their own roots, with forward slashes. One rule is found for all of them: what to cut from either end of a
stem, and how to compare sub-folders. Candidates for what to cut are read off the names (what is left when a mask's stem and the nearest
image's stem are laid side by side), so that no list of habits has to be complete; the rule that pairs most wins, the plainer one where
two pair as many. Stems are compared whole: ``1`` never pairs with ``10``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from labelguard.pairing.name_candidates import CHANNEL, Cut, Name, cut_candidates, parsed
from labelguard.pairing.several_masks import several_masks

Folders = Literal["same", "shared", "any"]

_FOLDERS: tuple[Folders, ...] = ("same", "shared", "any")
_LAST_WORD = re.compile(r"_[a-zA-Z]+\d?$")


@dataclass(frozen=True, slots=True)
class Pairing:
    """What belongs together.

    Every mask stands in one of `pairs`, `masks_without`, `ambiguous` and `several`. Every image is in at most one pair; an image is left
    out of all fields only where it is a further channel (nnU-Net's ``_0001``) of an image that has a mask.

    Parameters
    ----------
    rule
        The rule in words.
    pairs
        (mask, image), sorted by mask.
    masks_without, images_without
        Names without a partner, sorted.
    ambiguous
        (mask, images that it may belong to): several images of one stem, or one image that several masks claim.
    several
        (image, its masks): numbered ones, copies, or all in a folder of that name. The first may be paired with it; the others are not.
    """

    rule: str
    pairs: tuple[tuple[str, str], ...]
    masks_without: tuple[str, ...]
    images_without: tuple[str, ...]
    ambiguous: tuple[tuple[str, tuple[str, ...]], ...]
    several: tuple[tuple[str, tuple[str, ...]], ...] = ()


def pair(masks: Iterable[str], images: Iterable[str]) -> Pairing:
    """Pair masks with images by the one rule that pairs most of them.

    Takes time in proportion to n log n.

    Parameters
    ----------
    masks, images
        Names relative to the root of the masks, and to that of the images; their order does not matter.
    """
    mask_names, image_names = parsed(masks), parsed(images)
    best: tuple[int, int, Cut, Folders] | None = None
    most = min(len(mask_names), len(image_names))
    cuts = cut_candidates(mask_names, image_names)
    for folders in _FOLDERS[:1] if not any(name.folder for name in (*mask_names, *image_names)) else _FOLDERS:
        in_folders: tuple[int, int, Cut, Folders] | None = None
        for cut in cuts:
            pairs, unclear = _score(mask_names, image_names, cut, folders)
            if in_folders is None or (pairs, unclear) > in_folders[:2]:
                in_folders = pairs, unclear, cut, folders
            if pairs == most:
                break
        # Folders are compared more loosely only where that more than doubles the pairs: equal names in two splits are not pairs.
        if in_folders is not None and (best is None or in_folders[0] > 2 * best[0] or (in_folders[1] > 0 and not any(best[:2]))):
            best = in_folders
        if best is not None and 2 * best[0] >= most > 0:
            break
    assert best is not None  # the empty cut is always a candidate
    return _pairing(mask_names, image_names, best[2], best[3])


def other_kind(unpaired: Iterable[str], paired: Iterable[str]) -> tuple[str, int] | None:
    """The ending, such as ``_color``, that most names without a partner have and no paired name, with their number; None where none has."""
    known = {_ending(name) for name in paired}
    endings = Counter(ending for name in unpaired if (ending := _ending(name)) and ending not in known)
    return max(sorted(endings.items()), key=lambda item: item[1]) if endings else None


def _ending(name: str) -> str:
    """The last word of a stem, with the underscore before it; empty where there is none, or it is a number."""
    found = _LAST_WORD.search(name.rpartition("/")[2].rpartition(".")[0])
    return found[0] if found else ""


def _key(name: Name, start: str, end: str, folder: str) -> str:
    return folder + name.low[len(start) if start and name.low.startswith(start) else 0:].removesuffix(end)


def _exact(name: Name, start: str, end: str) -> str:
    """The stem as written, cut."""
    if len(name.low) != len(name.stem):  # a few letters grow in lower case
        return name.low
    first = len(start) if start and name.low.startswith(start) else 0
    return name.stem[first:len(name.stem) - (len(end) if name.low[first:].endswith(end) else 0)]


def _folder_keys(masks: Sequence[Name], images: Sequence[Name], folders: Folders) -> dict[str, str]:
    """What stands for each folder in a key."""
    of_masks, of_images = ({name.folder for name in names} for names in (masks, images))
    every = of_masks | of_images
    if folders == "any":
        return dict.fromkeys(every, "")
    if folders == "same":
        return {folder: folder + "/" for folder in every}
    shared = set.intersection(*({part.lower() for folder in some for part in folder.split("/")} for some in (of_masks, of_images))) \
        if of_masks and of_images else set()
    return {folder: "/".join(part for part in folder.lower().split("/") if part in shared) + "/" for folder in every}


def _grouped(masks: Sequence[Name], images: Sequence[Name], cut: Cut,
             folders: Folders) -> tuple[dict[str, list[Name]], dict[str, list[Name]]]:
    keys = _folder_keys(masks, images, folders)
    by_mask: dict[str, list[Name]] = defaultdict(list)
    by_image: dict[str, list[Name]] = defaultdict(list)
    for name in masks:
        by_mask[_key(name, cut.mask_start, cut.mask_end, keys[name.folder])].append(name)
    for name in images:
        by_image[_key(name, cut.image_start, cut.image_end, keys[name.folder])].append(name)
    return by_mask, by_image


def _score(masks: Sequence[Name], images: Sequence[Name], cut: Cut, folders: Folders) -> tuple[int, int]:
    """How many keys a rule pairs one to one, and how many it leaves unclear."""
    by_mask, by_image = _grouped(masks, images, cut, folders)
    both = by_mask.keys() & by_image.keys()
    clear = sum(len(by_mask[key]) == len(by_image[key]) == 1 for key in both)
    return clear, len(both) - clear


def _pairing(masks: Sequence[Name], images: Sequence[Name], cut: Cut, folders: Folders) -> Pairing:
    by_mask, by_image = _grouped(masks, images, cut, folders)
    pairs: list[tuple[str, str]] = []
    ambiguous: list[tuple[str, tuple[str, ...]]] = []
    unpaired_masks: list[tuple[str, Name]] = []  # with their keys
    unpaired_images: list[Name] = []
    for key in by_mask.keys() | by_image.keys():
        some_masks, some_images = by_mask.get(key, []), by_image.get(key, [])
        groups = [(some_masks, some_images)]
        if len(some_masks) > 1 or len(some_images) > 1:
            groups = _by_case(some_masks, some_images, cut)
        for of_mask, of_image in groups:
            if len(of_mask) == len(of_image) == 1:
                pairs.append((of_mask[0].name, of_image[0].name))
            elif of_mask and of_image:
                ambiguous.extend((name.name, tuple(image.name for image in of_image)) for name in of_mask)
            else:
                unpaired_masks.extend((key, name) for name in of_mask)
                unpaired_images.extend(of_image)
    alone = {key: some[0].name for key, some in by_image.items() if len(some) == 1}
    several = several_masks(unpaired_masks, alone, images, pairs)
    without = _without_channels([image for image in unpaired_images if image.name not in several], images, cut)
    accounted = {mask for some in several.values() for mask in some}
    return Pairing(_words(masks, images, cut, folders, bool(pairs or ambiguous)), tuple(sorted(pairs)),
                   tuple(sorted(name.name for _, name in unpaired_masks if name.name not in accounted)), without, tuple(sorted(ambiguous)),
                   tuple(several.items()))


def _by_case(masks: Sequence[Name], images: Sequence[Name], cut: Cut) -> list[tuple[list[Name], list[Name]]]:
    """Names that agree but for case, parted where the same spelling occurs on both sides."""
    of_mask: dict[str, list[Name]] = defaultdict(list)
    of_image: dict[str, list[Name]] = defaultdict(list)
    for name in masks:
        of_mask[_exact(name, cut.mask_start, cut.mask_end)].append(name)
    for name in images:
        of_image[_exact(name, cut.image_start, cut.image_end)].append(name)
    met = [(of_mask.pop(spelling), of_image.pop(spelling)) for spelling in sorted(of_mask.keys() & of_image.keys())]
    rest = [name for names in of_mask.values() for name in names], [name for names in of_image.values() for name in names]
    return [*met, rest] if any(rest) else met


def _without_channels(unpaired: Sequence[Name], images: Sequence[Name], cut: Cut) -> tuple[str, ...]:
    """The images without a mask, but for further channels of those that have one."""
    if cut.image_end != "_0000":
        return tuple(sorted(name.name for name in unpaired))
    alone = {name.name for name in unpaired}
    first = {(name.folder, name.low[:-5]) for name in images if name.low.endswith("_0000") and name.name not in alone}
    return tuple(sorted(name.name for name in unpaired if not (CHANNEL.search(name.low) and (name.folder, name.low[:-5]) in first)))


def _words(masks: Sequence[Name], images: Sequence[Name], cut: Cut, folders: Folders, found: bool) -> str:
    if not found:
        return "no rule pairs any mask with an image"
    text = (f"masks `{_pattern(masks, cut.mask_start, cut.mask_end)}` belong to images "
            f"`{_pattern(images, cut.image_start, cut.image_end)}`")
    if not any(name.folder for name in (*masks, *images)):
        return text
    if folders == "same":
        return text + " in the same sub-folder"
    return text + (" whatever their sub-folders" if folders == "any" else " where the sub-folders that both sides have agree")


def _pattern(names: Sequence[Name], start: str, end: str) -> str:
    """Such as ``*_mask.png``, in the spelling of most names."""
    fitting = [name for name in names if name.low.startswith(start) and name.low.endswith(end)]
    plain = [name for name in fitting or names if len(name.low) == len(name.stem)]
    if plain and fitting:
        spelled = Counter((name.stem[:len(start)], name.stem[len(name.stem) - len(end):]) for name in plain)
        start, end = max(sorted(spelled), key=lambda item: spelled[item])
    suffixes = {name.suffix.lower() for name in fitting or names}
    suffix = suffixes.pop() if len(suffixes) == 1 else ".*"
    return f"{start}*{end}{suffix}"
