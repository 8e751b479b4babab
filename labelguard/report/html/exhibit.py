"""Exhibit: a file as a page shows it, in pictures, or the reason why it is not shown. The file is read again for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import NotLabelsError, UnreadableMaskError
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.facts.record import FileRecord
from labelguard.files.not_decoded import NotDecodedError
from labelguard.files.photograph import read_photograph
from labelguard.files.read import read
from labelguard.finding import Finding
from labelguard.pictures.before_after import before_after
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.close_up import close_up, first_pixel
from labelguard.pictures.legend import LegendRow, legend
from labelguard.pictures.mask_picture import mask_picture, same_proportions
from labelguard.pictures.palette import css
from labelguard.pictures.picture import Picture
from labelguard.pictures.scaling import shown_image, shown_shape
from labelguard.report.html.mask_set import MaskSet
from labelguard.report.html.mended import mended_ids
from labelguard.spec.labelspec import Color
from labelguard.text import count, id_ranges, percent, shortened

_SIZE = 600        # pixels of the longer side of a picture
_HALF = 400        # of each of two that are compared
_MOST_KEYS = 16   # colors
_MARKUP = 700      # bytes around a picture


@dataclass(frozen=True)
class Plate:
    """A picture as a page has it: its file as a data URI, its size in pixels, what is seen on it, and a line below it."""

    src: str
    width: int
    height: int
    alt: str
    caption: str


class ColorKey(NamedTuple):
    """What a color means: the ids that have it, their name, the color, what they are, and the share of their pixels in words."""

    ids: str
    name: str
    color: str
    role: str
    share: str


@dataclass(frozen=True)
class Exhibit:
    """A file with its pictures, or with the trouble that it makes.

    Parameters
    ----------
    path
        Its name.
    plates, compared
        The pictures; and two of them, before and after.
    notes
        Its size, and how much of it a finding concerns.
    keys, more_keys
        What the colors mean, and how many are left out of that.
    trouble
        Why it cannot be shown, as the end of a sentence.
    """

    path: str
    plates: tuple[Plate, ...] = ()
    compared: tuple[Plate, ...] = ()
    notes: str = ""
    keys: tuple[ColorKey, ...] = ()
    more_keys: str = ""
    trouble: str = ""

    @property
    def texts(self) -> Iterator[str]:
        """All that it says."""
        yield from (self.path, self.notes, self.trouble, *(text for key in self.keys for text in key))
        yield from (text for plate in (*self.plates, *self.compared) for text in (plate.alt, plate.caption))

    @property
    def size(self) -> int:
        """About how many bytes a page has for it besides."""
        return _MARKUP * 5 + 250 * len(self.keys) + sum(len(plate.src) for plate in (*self.plates, *self.compared))


def exhibit(path: str, finding: Finding, each: MaskSet, colors: ClassColors, mended: bool) -> Exhibit | None:
    """What there is to see of a file that a finding concerns; None where nothing was seen of it in the scan either.

    Parameters
    ----------
    path
        Its name in the report.
    finding
        Whose ids are outlined, and whose first pixel is shown with its neighbors.
    each
        The set that it belongs to.
    colors
        Of the ids.
    mended
        Whether commands for it are printed, so that it is shown what they make of it.
    """
    name = each.own(path)
    record = each.records.get(name) if finding.subject == "mask" else None
    place = each.paths.get(name) if finding.subject == "mask" else each.image_paths.get(name)
    if place is None or (record is None and finding.subject == "mask"):
        return None
    path = shortened(path)
    try:
        if record is None:
            return Exhibit(path, (_as_stored(place, "the image"),))
        try:
            mask = read(place)
        except NotLabelsError:
            return Exhibit(path, (_as_stored(place, "the mask as it is stored"),), notes=_notes(finding, record))
        facts = MaskFacts.of_labels(mask.labels)
        if facts.shape != record.shape or facts.counts != dict(zip(record.ids, record.num_pixels, strict=True)):
            return Exhibit(path, trouble="has changed since it was scanned, and is not shown.")
        return _of_mask(path, mask, finding, each, record, colors, mended)
    except NotDecodedError:  # of which nothing but the header was read in the scan either
        return None
    except UnreadableMaskError as reason:
        return Exhibit(path, trouble=f"cannot be read any more: {reason}.")
    except MemoryError:
        return Exhibit(path, trouble="is not shown, since there is too little memory for its pictures.")


def _of_mask(path: str, mask: Mask, finding: Finding, each: MaskSet, record: FileRecord, colors: ClassColors, mended: bool) -> Exhibit:
    """The mask over its image, with the ids of the finding outlined; the first of their pixels; and what would become of it."""
    labels = mask.labels
    there = {*record.ids}
    ids = tuple(label for label in finding.ids if label in there)
    image, at, box = _image_of(each, record), None, None
    if len(ids) == len(record.ids):
        ids = ()  # there is nothing to tell them from
    elif ids:
        at = finding.first if finding.path is not None and finding.first else first_pixel(labels, ids)
    elif finding.path is not None:
        at, box = finding.first, finding.box
    pictures = [(mask_picture(labels, colors, image=image, outlined=ids, at=at, box=box, size=_SIZE), _caption(labels, ids, image))]
    if image is not None and not same_proportions(image.shape, labels.shape):
        pictures.append((_photograph(image, "Its image"), f"its image, {image.shape[0]} x {image.shape[1]}"))
    if at is not None:
        pictures.append((close_up(labels, colors, at=at, ids=ids), f"the pixels around row {at[0]}, column {at[1]}, with their ids"))
    table = mended_ids(finding, each, record) if mended else {}
    compared = []
    if table:
        moved = np.array([table[label] for label in record.ids], np.int64)[np.searchsorted(record.ids, labels)]
        before, after, _ = before_after(labels, moved, colors, size=_HALF)
        compared = [(before, "before the command"), (after, "after it")]
    counts = dict.fromkeys(table.values(), 0) | dict(zip(record.ids, record.num_pixels, strict=True))
    keys = _keys(legend(counts, colors), sum(record.num_pixels))
    more = count(len(keys) - _MOST_KEYS, "more color") if len(keys) > _MOST_KEYS else ""
    return Exhibit(path, tuple(map(_plate, pictures)), tuple(map(_plate, compared)), _notes(finding, record), keys[:_MOST_KEYS], more)


def _keys(rows: Iterable[LegendRow], total: int) -> tuple[ColorKey, ...]:
    """What each color means, those of most pixels first; all ids that share one stand together."""
    colors: dict[tuple[str, str, Color], list[LegendRow]] = {}
    for row in rows:
        colors.setdefault((shortened(row.name, 200), row.role, row.color), []).append(row)
    pixels = {color: sum(row.pixels for row in some) for color, some in colors.items()}
    return tuple(ColorKey(id_ranges([row.label for row in some], 4), color[0], css(color[2]), color[1],
                     percent(pixels[color], total) if pixels[color] else "")
                 for color, some in sorted(colors.items(), key=lambda item: -pixels[item[0]]))


def _notes(finding: Finding, record: FileRecord) -> str:
    size = f"{record.shape[0]} x {record.shape[1]}"
    ids = {*finding.ids} & {*record.ids}
    pixels = record.pixels_of(ids)
    return f"{size}; {count(pixels, 'pixel')} of {id_ranges([*ids], 4)}, {percent(pixels, prod(record.shape))}" if ids else size


def _caption(labels: NDArray[np.integer], ids: tuple[int, ...], image: NDArray[np.uint8] | None) -> str:
    over = " over its image" if image is not None and same_proportions(image.shape, labels.shape) else ""
    return f"the mask{over}{f', {id_ranges(ids)} outlined' if ids else ''}"


def _image_of(each: MaskSet, record: FileRecord) -> NDArray[np.uint8] | None:
    """The image of a mask; None where there is none, or it cannot be shown."""
    found = each.images.of_mask.get(record.path) if each.images is not None else None
    try:
        return None if found is None else read_photograph(found[0], record.shape)
    except UnreadableMaskError:
        return None


def _as_stored(path: str, what: str) -> Plate:
    image = read_photograph(path)
    return _plate((_photograph(image, what[0].upper() + what[1:]), f"{what}, {image.shape[0]} x {image.shape[1]}"))


def _photograph(image: NDArray[np.uint8], what: str) -> Picture:
    shape = shown_shape((image.shape[0], image.shape[1]), _SIZE)
    return Picture(shown_image(image, shape), f"{what}, {image.shape[0]} x {image.shape[1]} pixels.", True)


def _plate(captioned: tuple[Picture, str]) -> Plate:
    picture, caption = captioned
    return Plate(picture.data_uri(), picture.width, picture.height, picture.alt, caption)
