"""Exhibit: a file as a page shows it, in pictures, or the reason why it is not shown. The file is read again for that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import NotLabelsError, UnreadableMaskError
from labelguard.explanations.restoring import restored_ids
from labelguard.facts.mask import Mask
from labelguard.facts.record import FileRecord
from labelguard.files.image import as_colors, decode_image
from labelguard.files.read import read, read_bytes
from labelguard.finding import Finding
from labelguard.pictures.before_after import before_after
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.close_up import close_up, first_pixel
from labelguard.pictures.legend import Row, legend
from labelguard.pictures.mask_picture import mask_picture, same_proportions
from labelguard.pictures.picture import Picture
from labelguard.pictures.scaling import as_photograph, shown_image, shown_shape
from labelguard.report.html.mask_set import MaskSet
from labelguard.text import count, id_ranges, percent, shortened

_SIZE = 640        # pixels of the longer side of a picture
_HALF = 400        # of each of two that are compared
_MOST_LEGEND = 12  # ids
_MARKUP = 700      # bytes around a picture


@dataclass(frozen=True)
class Plate:
    """A picture as a page has it: its file as a data URI, its size in pixels, what is seen on it, and a line below it."""

    src: str
    width: int
    height: int
    alt: str
    caption: str


@dataclass(frozen=True)
class Exhibit:
    """A file with its pictures, or with the trouble that it makes.

    Parameters
    ----------
    path
        Its name.
    plates
        The pictures.
    notes
        Its size, and how much of it a finding concerns.
    legend, more_ids
        What the colors mean, and how many ids are left out of that.
    trouble
        Why it cannot be shown, as the end of a sentence.
    """

    path: str
    plates: tuple[Plate, ...] = ()
    notes: str = ""
    legend: tuple[Row, ...] = ()
    more_ids: str = ""
    trouble: str = ""

    @property
    def texts(self) -> Iterator[str]:
        """All that it says."""
        yield from (self.path, self.notes, self.trouble, *(row.name for row in self.legend))
        yield from (text for plate in self.plates for text in (plate.alt, plate.caption))

    @property
    def size(self) -> int:
        """About how many bytes a page has for it besides."""
        return _MARKUP * (1 + len(self.plates)) + 200 * len(self.legend) + sum(len(plate.src) for plate in self.plates)


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
            return Exhibit(path, (_as_stored(place, "the mask as it is stored"),), _notes(finding, record))
        if (mask.facts.shape, mask.facts.ids.tolist()) != (record.shape, [*record.ids]):
            return Exhibit(path, trouble="has changed since it was scanned, and is not shown.")
        return _of_mask(path, mask, finding, each, record, colors, mended)
    except UnreadableMaskError as reason:
        return Exhibit(path, trouble=f"cannot be read any more: {reason}.")


def _of_mask(path: str, mask: Mask, finding: Finding, each: MaskSet, record: FileRecord, colors: ClassColors, mended: bool) -> Exhibit:
    """The mask over its image, with the ids of the finding outlined; the first of their pixels; and what would become of it."""
    labels = mask.labels
    ids = tuple(label for label in finding.ids if label in {*record.ids})
    at = finding.first if finding.path is not None and finding.first else first_pixel(labels, ids) if ids else None
    image = _image_of(each, record.path)
    box = finding.box if finding.path is not None and not ids else None
    pictures = [(mask_picture(labels, colors, image=image, outlined=ids, at=at, box=box, size=_SIZE), _caption(labels, ids, image))]
    if image is not None and not same_proportions(image.shape, labels.shape):
        pictures.append((_photograph(image, "Its image"), f"its image, {image.shape[0]} x {image.shape[1]}"))
    if at is not None:
        pictures.append((close_up(labels, colors, at=at, ids=ids), f"the pixels around row {at[0]}, column {at[1]}, with their ids"))
    table = _table(each, record) if mended else {}
    counts = dict(zip(record.ids, record.num_pixels, strict=True))
    if any(label != there for label, there in table.items()):
        moved = np.array([table[label] for label in record.ids], np.int64)[np.searchsorted(record.ids, labels)]
        before, after, _ = before_after(labels, moved, colors, size=_HALF)
        pictures += [(before, "before the command"), (after, "after it")]
        counts |= {label: 0 for label in table.values() if label not in counts}
    rows = legend(counts, colors)
    shown = sorted(sorted(rows, key=lambda row: (row.role != "foreign", -row.pixels))[:_MOST_LEGEND])
    more = count(len(rows) - len(shown), "more id") if len(rows) > len(shown) else ""
    return Exhibit(path, tuple(_plate(picture, caption) for picture, caption in pictures), _notes(finding, record), tuple(shown), more)


def _table(each: MaskSet, record: FileRecord) -> dict[int, int]:
    """What becomes of each id of a file by the commands that mend the set; nothing where none is sure to."""
    verdict = each.verdict
    if verdict is None or not verdict.mendable:
        return {}
    return next((restored_ids(part, explanation, each.spec) for part, explanation in verdict.told
                 if record.path in part.seen.row_of_path and part.chosen[part.seen.row_of(record)]), {})


def _notes(finding: Finding, record: FileRecord) -> str:
    size = f"{record.shape[0]} x {record.shape[1]}"
    pixels = record.pixels_of(frozenset(finding.ids)) if finding.ids else 0
    return f"{size}; {count(pixels, 'pixel')} of {id_ranges(finding.ids)}, {percent(pixels, prod(record.shape))}" if pixels else size


def _caption(labels: NDArray[np.integer], ids: tuple[int, ...], image: NDArray[np.uint8] | None) -> str:
    over = " over its image" if image is not None and same_proportions(image.shape, labels.shape) else ""
    return f"the mask{over}{f', {id_ranges(ids)} outlined' if ids else ''}"


def _image_of(each: MaskSet, name: str) -> NDArray[np.uint8] | None:
    """The image of a mask; None where there is none, or it cannot be shown."""
    found = each.images.of_mask.get(name) if each.images is not None else None
    try:
        return None if found is None else _decoded(found[0])
    except UnreadableMaskError:
        return None


def _decoded(path: str) -> NDArray[np.uint8]:
    samples, facts = decode_image(read_bytes(path), path)
    return as_photograph(samples if facts.stored is None else as_colors(samples, facts.stored))


def _as_stored(path: str, what: str) -> Plate:
    image = _decoded(path)
    return _plate(_photograph(image, what[0].upper() + what[1:]), f"{what}, {image.shape[0]} x {image.shape[1]}")


def _photograph(image: NDArray[np.uint8], what: str) -> Picture:
    shape = shown_shape((image.shape[0], image.shape[1]), _SIZE)
    return Picture(shown_image(image, shape), f"{what}, {image.shape[0]} x {image.shape[1]} pixels.", True)


def _plate(picture: Picture, caption: str) -> Plate:
    return Plate(picture.data_uri(), picture.width, picture.height, picture.alt, caption)
