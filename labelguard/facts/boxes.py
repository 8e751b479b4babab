"""Boxes: those of a COCO file, and those that follow from instance masks; what is kept is those that hurt a detector."""

from __future__ import annotations

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from labelguard.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from labelguard.facts.mask_facts import FileRecord, MaskFacts
    from labelguard.spec.labelspec import LabelSpec

Fault = Literal["malformed", "nonfinite", "negative", "empty", "outside", "thin", "beyond"]
Values = tuple[float, float, float, float]

_SLACK = 1.0           # pixels that a rounded box may reach over the edge
_FEW = 5               # fewer boxes say nothing about their convention
_REACH_OUT = 0.1       # share of boxes that leave their image when corners are taken for sizes
_WRAPPED = 65530
_MOST_EXAMPLES = 3
_CODED = 1000          # Cityscapes: class * 1000 + number of the instance


class BadBox(NamedTuple):
    """A box that hurts: its annotation, the image, and what stands in the file."""

    annotation: str
    image: str
    values: str


@dataclass(slots=True)
class BoxFile:
    """What is learnt of a COCO file.

    Parameters
    ----------
    path
        As the user wrote it.
    images, boxes
        How many it lists.
    corners
        Whether its boxes are (x1, y1, x2, y2), which COCO's are not; the faults are then those of the corners.
    faults
        The first examples of each fault.
    counts
        How many boxes have each fault; each box is counted once, for the worst.
    files
        For each fault the files of the images concerned.
    orphans
        How many boxes belong to an image that the file does not list.
    wrapped
        How many coordinates look like a -1 that wrapped in 16 bits.
    """

    path: str
    images: int
    boxes: int
    corners: bool = False
    faults: dict[Fault, list[BadBox]] = field(default_factory=lambda: defaultdict(list))
    counts: Counter[Fault] = field(default_factory=Counter)
    files: dict[Fault, set[str]] = field(default_factory=lambda: defaultdict(set))
    orphans: int = 0
    wrapped: int = 0


def fault_of(box: Values, size: tuple[float, float] | None = None) -> Fault | None:
    """What is wrong with a box.

    Parameters
    ----------
    box
        x, y, width, height in pixels; it covers x to x + width.
    size
        (H, W) of the image, where it is known.

    Returns
    -------
    str or None
        The worst fault. ``"thin"`` is a box that is at most one pixel wide or high: it has an area where x2 = x + width, and none where
        x2 is the last pixel, x + width - 1.
    """
    x, y, width, height = box
    if not all(map(math.isfinite, box)):
        return "nonfinite"
    if width < 0 or height < 0:
        return "negative"
    if width == 0 or height == 0:
        return "empty"
    if size is not None and (x >= size[1] or y >= size[0] or x + width <= 0 or y + height <= 0):
        return "outside"
    if width <= 1 or height <= 1:
        return "thin"
    if size is not None and (min(x, y) < -_SLACK or x + width > size[1] + _SLACK or y + height > size[0] + _SLACK):
        return "beyond"
    return None


def read_boxes(path: str | os.PathLike[str]) -> BoxFile:
    """Read the boxes of a COCO file: ``images`` with id, file_name, width, height; ``annotations`` with image_id and bbox.

    A list of annotations alone, as detectors write it, is read too.

    Raises
    ------
    IncompleteError
        When the file cannot be opened.
    UsageError
        When it is no JSON, or no COCO file.
    """
    name = os.fspath(path)
    content = _parsed(name)
    annotations = content if isinstance(content, list) else content.get("annotations") if isinstance(content, dict) else None
    images = content.get("images", []) if isinstance(content, dict) else []
    if not isinstance(annotations, list) or not isinstance(images, list) or not all(isinstance(each, dict) for each in annotations):
        raise UsageError(f"'{name}', given with --boxes, is no COCO file: it needs a list 'annotations' of objects with 'image_id' and "
                         "'bbox', beside a list 'images'.")
    known = {str(image.get("id")): image for image in images if isinstance(image, dict)}
    boxes = [(note, _four(note.get("bbox"))) for note in annotations]
    sizes = {key: _size(image) for key, image in known.items()}
    corners = _are_corners([(box, sizes.get(str(note.get("image_id")))) for note, box in boxes if box is not None])
    found = BoxFile(name, len(images), len(boxes), corners)
    for note, box in boxes:
        key = str(note.get("image_id"))
        found.orphans += bool(known) and key not in known
        found.wrapped += box is not None and sum(_WRAPPED <= value <= 65536 for value in box if max(sizes.get(key) or (0,)) < _WRAPPED)
        if box is not None and corners:
            box = (box[0], box[1], box[2] - box[0], box[3] - box[1])
        fault = "malformed" if box is None else fault_of(box, sizes.get(key))
        if fault is not None:
            image = str(known[key].get("file_name", key)) if key in known else key
            found.counts[fault] += 1
            found.files[fault].add(image)
            if len(found.faults[fault]) < _MOST_EXAMPLES:
                found.faults[fault].append(BadBox(str(note.get("id", "without an id")), image, json.dumps(note.get("bbox"))[:80]))
    return found


def _parsed(name: str) -> Any:
    try:
        with open(name, encoding="utf-8-sig") as file:
            return json.load(file)
    except OSError as problem:
        raise IncompleteError(f"'{name}', given with --boxes, cannot be opened: {(problem.strerror or str(problem)).lower()}.") from None
    except (ValueError, RecursionError) as problem:
        said = f": {problem}" if isinstance(problem, json.JSONDecodeError) else ""
        raise UsageError(f"'{name}', given with --boxes, is no JSON{said}.") from None


def _four(bbox: Any) -> Values | None:
    """The four numbers of a box, None where there are none."""
    if not isinstance(bbox, list) or len(bbox) != 4 or any(type(value) not in (int, float) for value in bbox):
        return None
    x, y, width, height = (float(value) if abs(value) < 1e300 or value != value else math.inf for value in bbox)
    return x, y, width, height


def _size(image: dict[str, Any]) -> tuple[float, float] | None:
    sides = image.get("height"), image.get("width")
    numbers = [float(side) for side in sides if isinstance(side, (int, float)) and 0 < side < 1e9]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _are_corners(boxes: Sequence[tuple[Values, tuple[float, float] | None]]) -> bool:
    """Whether boxes make sense as (x1, y1, x2, y2), all of them, and not as (x, y, width, height)."""
    sized = [(box, size) for box, size in boxes if size is not None and all(map(math.isfinite, box))]
    if len(sized) < _FEW:
        return False
    inside = all(0 <= x1 <= x2 <= width + _SLACK and 0 <= y1 <= y2 <= height + _SLACK for (x1, y1, x2, y2), (height, width) in sized)
    reaching = sum(fault_of(box, size) == "beyond" for box, size in sized)
    return inside and reaching >= max(2, _REACH_OUT * len(sized))


# Boxes that follow from masks ---------------------------------------------------------------------------------------------------------


class Thin(NamedTuple):
    """An id whose bounding box is one pixel wide or high."""

    label: int
    height: int
    width: int
    pixels: int
    first: tuple[int, int]


@dataclass(slots=True)
class InstanceSet:
    """Masks whose ids may be instances.

    Parameters
    ----------
    declared
        Whether the user says that the masks are instance maps.
    wide
        Names of the masks of more than 8 bits, of all masks where instances are declared.
    thin
        For each of them the ids with a thin box, where there are any.
    """

    declared: bool = False
    wide: set[str] = field(default_factory=set)
    thin: dict[str, tuple[Thin, ...]] = field(default_factory=dict)

    def add(self, path: str, facts: MaskFacts) -> None:
        """Take in one mask; most masks are of 8 bits, and cost nothing here."""
        if (facts.dtype in ("uint8", "bool", "int8") and not self.declared) or facts.records is None or not facts.exact:
            return
        self.wide.add(path)
        sides = facts.records[:, 6:8] - facts.records[:, 4:6]
        places = [int(place) for place in (sides.min(axis=1) == 1).nonzero()[0]]
        if places:
            self.thin[path] = tuple(Thin(facts.ids[place], int(sides[place, 0]), int(sides[place, 1]), facts.counts[place],
                                         (int(facts.records[place, 2]), int(facts.records[place, 3]))) for place in places)

    def ids(self, records: Iterable[FileRecord], spec: LabelSpec) -> frozenset[int]:
        """The ids that stand for instances: none where the masks are no instance maps.

        Declared, these are all but background and ignored ids; not declared, those beyond the classes (beyond 255 where there is no
        class count), if most of them are numbered in a row. Where ids are coded as class * 1000 + number, smaller ones are classes.
        """
        if not self.wide:
            return frozenset()
        present = {label for record in records if record.path in self.wide for label in record.ids} - {0, *spec.ignore_index}
        coded = any(label >= _CODED for label in present) and not any(256 <= label < _CODED for label in present)
        if coded:
            present = {label for label in present if label >= _CODED}
        if self.declared:
            return frozenset(present)
        top = spec.last if spec.declared else 255
        beyond = {label for label in present if label > top}
        in_a_row = sum(label - 1 in beyond or label + 1 in beyond for label in beyond)
        return frozenset(beyond) if len(beyond) > 2 and 2 * in_a_row > len(beyond) else frozenset()
