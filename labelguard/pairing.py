"""Which mask belongs to which image, found from the two lists of names alone.

Names are paths relative to their own roots, with forward slashes. One rule is found for all of them: what to cut from either end of a
stem, and how to compare sub-folders. Candidates for what to cut are read off the names (what is left when a mask's stem and the nearest
image's stem are laid side by side), so that no list of habits has to be complete; the rule that pairs most wins, the plainer one where
two pair as many. Stems are compared whole: ``1`` never pairs with ``10``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Folders = Literal["same", "shared", "any"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """What belongs together.

    Every mask stands in one of `pairs`, `masks_without` and `ambiguous`. Every image is in at most one pair; an image is left out of all
    fields only where it is a further channel (nnU-Net's ``_0001``) of an image that has a mask.

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
    """

    rule: str
    pairs: tuple[tuple[str, str], ...]
    masks_without: tuple[str, ...]
    images_without: tuple[str, ...]
    ambiguous: tuple[tuple[str, tuple[str, ...]], ...]


class Cut(NamedTuple):
    """What is cut from stems, in lower case, where it is there."""

    mask_start: str = ""
    mask_end: str = ""
    image_start: str = ""
    image_end: str = ""


class _Name(NamedTuple):
    """A name taken apart; `low` is the stem in lower case."""

    name: str
    folder: str
    stem: str
    low: str
    suffix: str


def pair(masks: Iterable[str], images: Iterable[str]) -> Pairing:
    """Pair masks with images by the one rule that pairs most of them.

    Takes time in proportion to n log n.

    Parameters
    ----------
    masks, images
        Names relative to the root of the masks, and to that of the images; their order does not matter.
    """
    mask_names, image_names = _parsed(masks), _parsed(images)
    best: tuple[int, int, Cut, Folders] | None = None
    most = min(len(mask_names), len(image_names))
    cuts = _candidates(mask_names, image_names)
    for folders in _FOLDERS[:1] if not any(name.folder for name in (*mask_names, *image_names)) else _FOLDERS:
        in_folders: tuple[int, int, Cut, Folders] | None = None
        for cut in cuts:
            pairs, unclear = _score(mask_names, image_names, cut, folders)
            if in_folders is None or (pairs, unclear) > in_folders[:2]:
                in_folders = pairs, unclear, cut, folders
            if pairs == most:
                break
        # Folders are looked at more loosely only where that more than doubles the pairs: equal names of two splits are no pairs.
        if in_folders is not None and (best is None or in_folders[0] > 2 * best[0] or (in_folders[1] > 0 and not any(best[:2]))):
            best = in_folders
        if best is not None and 2 * best[0] >= most > 0:
            break
    assert best is not None  # the empty cut is always a candidate
    return _pairing(mask_names, image_names, best[2], best[3])


# From names to candidates ---------------------------------------------------------------------------------------------------------

def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOLDERS: tuple[Folders, ...] = ("same", "shared", "any")
_SAMPLE = 2000        # masks that vote for what to cut
_MOST_CANDIDATES = 12
_SEPARATORS = "_-. "
_TOKEN = re.compile(r"[a-z]+|\d+")
_CHANNEL = re.compile(r"_\d{4}$")
_MASK_WORDS = _words_of("""mask masks gt gtfine gtcoarse label labels lbl labelids labelid labeltrainids labeltrainid instanceids instanceid
    polygons color colour colored seg segm segmentation segmentations sem semantic annotation annotations anno ann annot manual target
    targets trimap truth groundtruth matte l p""")
_IMAGE_WORDS = _words_of("image images img imgs leftimg rightimg rgb sat photo input inputs im pic picture raw original orig")
_SPLITS = _words_of("train training val valid validation test testing")
_PREFERRED = ("labelids", "mask", "label", "gt", "seg")  # where several kinds of masks lie side by side, such as Cityscapes has


def _parsed(names: Iterable[str]) -> list[_Name]:
    parsed = []
    for name in sorted(set(names)):
        folder, _, base = name.rpartition("/")
        stem, dot, suffix = base.rpartition(".")
        if not stem:
            stem, dot, suffix = base, "", ""
        parsed.append(_Name(name, folder, stem, stem.lower(), dot + suffix))
    return parsed


def _candidates(masks: Sequence[_Name], images: Sequence[_Name]) -> list[Cut]:
    """What may have to be cut, the plainest first: nothing, then what most masks vote for."""
    mask_stems, image_stems = {name.low for name in masks}, {name.low for name in images}
    votes: Counter[Cut] = Counter()
    for of_mask, of_image in _differences(mask_stems, image_stems, _ends_at):
        votes[Cut(mask_end=of_mask, image_end=of_image)] += 1
    for of_mask, of_image in _differences({stem[::-1] for stem in mask_stems}, {stem[::-1] for stem in image_stems}, _starts_at):
        votes[Cut(mask_start=of_mask[::-1], image_start=of_image[::-1])] += 1
    votes.pop(Cut(), None)
    likely = [cut for cut in votes if _plausible(cut)]
    likely.sort(key=lambda cut: (-votes[cut], _preference(cut), len("".join(cut)), cut))
    floor = votes[likely[0]] // 8 if likely else 0
    return [Cut(), *(cut for cut in likely[:_MOST_CANDIDATES] if votes[cut] > floor)]


def _differences(masks: set[str], images: set[str], splits: Callable[[str, int], bool]) -> Iterator[tuple[str, str]]:
    """What is left of a mask's and an image's stem behind what they share, for each mask of a sample and the images likest to it."""
    in_order = sorted(images)
    step = max(1, len(masks) // _SAMPLE)
    for mask in sorted(masks)[::step]:
        for at in range(1, len(mask)):
            if splits(mask, at) and mask[:at] in images:
                yield mask[at:], ""
        place = bisect_left(in_order, mask)  # no other image shares a longer beginning than those next to it
        for image in in_order[max(0, place - 1):place + 1]:
            at = _shared(mask, image, splits)
            if 0 < at < len(image):
                yield mask[at:], image[at:]


def _shared(left: str, right: str, splits: Callable[[str, int], bool]) -> int:
    """Length of the longest shared beginning that ends between words in both."""
    at = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        at += 1
    while at and not (splits(left, at) and splits(right, at)):
        at -= 1
    return at


def _ends_at(stem: str, at: int) -> bool:
    """Whether an ending may begin here: at a separator, or at a letter after a digit."""
    return at == len(stem) or stem[at] in _SEPARATORS or (stem[at - 1].isdigit() and stem[at].isalpha())


def _starts_at(reversed_stem: str, at: int) -> bool:
    """Whether a beginning may end here, read from the right: after a separator, or after a letter before a digit."""
    return at == len(reversed_stem) or reversed_stem[at] in _SEPARATORS or (reversed_stem[at - 1].isdigit() and reversed_stem[at].isalpha())


def _plausible(cut: Cut) -> bool:
    """Whether names that differ so may name the same picture: numbers tell pictures apart, and so do splits."""
    of_mask, of_image = (set(_TOKEN.findall(start + " " + end)) for start, end in (cut[:2], cut[2:]))
    if _CHANNEL.fullmatch(cut.image_end) and cut == Cut(image_end=cut.image_end):
        return cut.image_end == "_0000"
    for text in cut:
        if any(token.isdigit() for token in re.split(r"[_\-. ]+", text)):
            return False
    if (of_mask & _SPLITS) and (of_image & _SPLITS) and of_mask & _SPLITS != of_image & _SPLITS:
        return False
    if not of_mask:
        return bool(of_image & _IMAGE_WORDS)
    if not of_image:
        return not of_mask & _SPLITS or bool(of_mask & _MASK_WORDS)
    return bool((of_mask - of_image) & _MASK_WORDS or (of_image - of_mask) & _IMAGE_WORDS)


def _preference(cut: Cut) -> int:
    text = cut.mask_start + cut.mask_end
    return next((place for place, word in enumerate(_PREFERRED) if word in text), len(_PREFERRED))


# Rules held against the names -----------------------------------------------------------------------------------------------------


def _key(name: _Name, start: str, end: str, folder: str) -> str:
    return folder + name.low[len(start) if start and name.low.startswith(start) else 0:].removesuffix(end)


def _exact(name: _Name, start: str, end: str) -> str:
    """The stem as written, cut."""
    if len(name.low) != len(name.stem):  # a few letters grow in lower case
        return name.low
    first = len(start) if start and name.low.startswith(start) else 0
    return name.stem[first:len(name.stem) - (len(end) if name.low[first:].endswith(end) else 0)]


def _folder_keys(masks: Sequence[_Name], images: Sequence[_Name], folders: Folders) -> dict[str, str]:
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


def _grouped(masks: Sequence[_Name], images: Sequence[_Name], cut: Cut,
             folders: Folders) -> tuple[dict[str, list[_Name]], dict[str, list[_Name]]]:
    keys = _folder_keys(masks, images, folders)
    by_mask: dict[str, list[_Name]] = defaultdict(list)
    by_image: dict[str, list[_Name]] = defaultdict(list)
    for name in masks:
        by_mask[_key(name, cut.mask_start, cut.mask_end, keys[name.folder])].append(name)
    for name in images:
        by_image[_key(name, cut.image_start, cut.image_end, keys[name.folder])].append(name)
    return by_mask, by_image


def _score(masks: Sequence[_Name], images: Sequence[_Name], cut: Cut, folders: Folders) -> tuple[int, int]:
    """How many keys a rule pairs one to one, and how many it leaves unclear."""
    by_mask, by_image = _grouped(masks, images, cut, folders)
    both = by_mask.keys() & by_image.keys()
    clear = sum(len(by_mask[key]) == len(by_image[key]) == 1 for key in both)
    return clear, len(both) - clear


def _pairing(masks: Sequence[_Name], images: Sequence[_Name], cut: Cut, folders: Folders) -> Pairing:
    by_mask, by_image = _grouped(masks, images, cut, folders)
    pairs: list[tuple[str, str]] = []
    ambiguous: list[tuple[str, tuple[str, ...]]] = []
    lonely_masks: list[str] = []
    lonely_images: list[_Name] = []
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
                lonely_masks.extend(name.name for name in of_mask)
                lonely_images.extend(of_image)
    without = _without_channels(lonely_images, images, cut)
    return Pairing(_words(masks, images, cut, folders, bool(pairs or ambiguous)), tuple(sorted(pairs)), tuple(sorted(lonely_masks)),
                   without, tuple(sorted(ambiguous)))


def _by_case(masks: Sequence[_Name], images: Sequence[_Name], cut: Cut) -> list[tuple[list[_Name], list[_Name]]]:
    """Names that agree but for case, parted where the same spelling occurs on both sides."""
    of_mask: dict[str, list[_Name]] = defaultdict(list)
    of_image: dict[str, list[_Name]] = defaultdict(list)
    for name in masks:
        of_mask[_exact(name, cut.mask_start, cut.mask_end)].append(name)
    for name in images:
        of_image[_exact(name, cut.image_start, cut.image_end)].append(name)
    met = [(of_mask.pop(spelling), of_image.pop(spelling)) for spelling in sorted(of_mask.keys() & of_image.keys())]
    rest = [name for names in of_mask.values() for name in names], [name for names in of_image.values() for name in names]
    return [*met, rest] if any(rest) else met


def _without_channels(lonely: Sequence[_Name], images: Sequence[_Name], cut: Cut) -> tuple[str, ...]:
    """The images without a mask, but for further channels of those that have one."""
    if cut.image_end != "_0000":
        return tuple(sorted(name.name for name in lonely))
    alone = {name.name for name in lonely}
    first = {(name.folder, name.low[:-5]) for name in images if name.low.endswith("_0000") and name.name not in alone}
    return tuple(sorted(name.name for name in lonely if not (_CHANNEL.search(name.low) and (name.folder, name.low[:-5]) in first)))


# In words -------------------------------------------------------------------------------------------------------------------------


def _words(masks: Sequence[_Name], images: Sequence[_Name], cut: Cut, folders: Folders, found: bool) -> str:
    if not found:
        return "no rule pairs any mask with an image"
    text = (f"masks `{_pattern(masks, cut.mask_start, cut.mask_end)}` belong to images "
            f"`{_pattern(images, cut.image_start, cut.image_end)}`")
    if not any(name.folder for name in (*masks, *images)):
        return text
    if folders == "same":
        return text + " in the same sub-folder"
    return text + (" whatever their sub-folders" if folders == "any" else " where the sub-folders that both sides have agree")


def _pattern(names: Sequence[_Name], start: str, end: str) -> str:
    """Such as ``*_mask.png``, in the spelling of most names."""
    fitting = [name for name in names if name.low.startswith(start) and name.low.endswith(end)]
    plain = [name for name in fitting or names if len(name.low) == len(name.stem)]
    if plain and fitting:
        spelled = Counter((name.stem[:len(start)], name.stem[len(name.stem) - len(end):]) for name in plain)
        start, end = max(sorted(spelled), key=lambda item: spelled[item])
    suffixes = {name.suffix.lower() for name in fitting or names}
    suffix = suffixes.pop() if len(suffixes) == 1 else ".*"
    return f"{start}*{end}{suffix}"
