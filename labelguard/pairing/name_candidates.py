"""How names of masks and of their images may differ: read off the names themselves."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class Cut(NamedTuple):
    """What is cut from stems, in lower case, where it is there."""

    mask_start: str = ""
    mask_end: str = ""
    image_start: str = ""
    image_end: str = ""


class Name(NamedTuple):
    """A name in its parts; `low` is the stem in lower case."""

    name: str
    folder: str
    stem: str
    low: str
    suffix: str


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOTING_MASKS = 2000        # masks that vote for what to cut
_MOST_CANDIDATES = 12
_SEPARATORS = "_-. "
_TOKEN = re.compile(r"[a-z]+|\d+")
_START, _END = re.compile(r"([a-z]+)[_\-. ]*(?=.)"), re.compile(r"(?<=.)[_\-. ]([a-z]+)$")
CHANNEL = re.compile(r"_\d{4}$")
MASK_WORDS = _words_of("""mask masks gt gtfine gtcoarse label labels lbl labelids labelid labeltrainids labeltrainid instanceids instanceid
    polygons color color colored seg segm segmentation segmentations sem semantic annotation annotations anno ann annot manual target
    targets trimap truth groundtruth matte l p""")
_IMAGE_WORDS = _words_of("image images img imgs leftimg rightimg rgb sat photo input inputs im pic picture raw original orig")
_SPLITS = _words_of("train training val valid validation test testing")
_PREFERRED = ("labelids", "mask", "label", "gt", "seg")  # where several kinds of masks lie side by side, such as Cityscapes has


def parsed(names: Iterable[str]) -> list[Name]:
    """Split names into their parts; sorted, each once."""
    apart = []
    for name in sorted(set(names)):
        folder, _, base = name.rpartition("/")
        stem, dot, suffix = base.rpartition(".")
        if not stem:
            stem, dot, suffix = base, "", ""
        apart.append(Name(name, folder, stem, stem.lower(), dot + suffix))
    return apart


def cut_candidates(masks: Sequence[Name], images: Sequence[Name]) -> list[Cut]:
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
    found = [Cut(), *(cut for cut in likely[:_MOST_CANDIDATES] if votes[cut] > floor)]
    both_ends = Cut(*_roles(mask_stems, MASK_WORDS | _IMAGE_WORDS), *_roles(image_stems, _IMAGE_WORDS))
    return found if both_ends in found else [*found, both_ends]


def _roles(stems: set[str], words: frozenset[str]) -> tuple[str, str]:
    """The words at both ends of most stems that only say what kind of file it is, with what parts them from the rest."""
    ends: Counter[tuple[str, str]] = Counter()
    for stem in stems:
        start, end = _START.match(stem), _END.search(stem)
        ends[start[0] if start and start[1] in words else "", end[0] if end and end[1] in words else ""] += 1
    return max(sorted(ends), key=lambda pair: ends[pair]) if ends else ("", "")


def _differences(masks: set[str], images: set[str], splits: Callable[[str, int], bool]) -> Iterator[tuple[str, str]]:
    """What is left of the stems of masks and images after their shared beginning, for each mask of a sample and the images most like it."""
    in_order = sorted(images)
    step = max(1, len(masks) // _VOTING_MASKS)
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
    if CHANNEL.fullmatch(cut.image_end) and cut == Cut(image_end=cut.image_end):
        return cut.image_end == "_0000"
    for text in cut:
        if any(token.isdigit() for token in re.split(r"[_\-. ]+", text)):
            return False
    if (of_mask & _SPLITS) and (of_image & _SPLITS) and of_mask & _SPLITS != of_image & _SPLITS:
        return False
    if not of_mask or not of_image:  # the stem of one side is whole within that of the other
        return not (of_mask | of_image) & _SPLITS or bool(of_mask & MASK_WORDS or of_image & _IMAGE_WORDS)
    return bool((of_mask - of_image) & MASK_WORDS or (of_image - of_mask) & _IMAGE_WORDS)


def _preference(cut: Cut) -> int:
    text = cut.mask_start + cut.mask_end
    return next((place for place, word in enumerate(_PREFERRED) if word in text), len(_PREFERRED))
