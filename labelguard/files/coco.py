"""COCO files: their boxes, and which of them hurt a detector."""

from __future__ import annotations

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, get_args

from labelguard.errors import IncompleteError, UnreadableMaskError, UsageError
from labelguard.facts.boxes import SLACK, BadBox, BoxFile, Fault, Values, fault_of
from labelguard.facts.frozen import FrozenDict
from labelguard.files.limits import MAX_FILE_BYTES
from labelguard.files.read import read_bytes

_FEW_BOXES = 5               # fewer boxes say nothing about their convention
_REACH_OUT = 0.1       # share of boxes that leave their image when corners are taken for sizes
_WRAPPED = 65530
_MOST_EXAMPLES = 3
_UNUSED = frozenset({"segmentation", "keypoints"})  # nearly all of a file of COCO's
_LESS = "leave its key 'segmentation' out, or give its images in several files, each with a --boxes of its own"


def read_boxes(path: str | os.PathLike[str]) -> BoxFile:
    """Read the boxes of a COCO file: ``images`` with id, file_name, width, height; ``annotations`` with image_id and bbox.

    A list of annotations alone, as detectors write it, is read too.

    Raises
    ------
    IncompleteError
        When the file cannot be opened, is a device or a pipe, or is too large.
    UsageError
        When it is not JSON, or not a COCO file.
    """
    name = os.fspath(path)
    content = _parsed(name)
    annotations = content if isinstance(content, list) else content.get("annotations") if isinstance(content, dict) else None
    images = content.get("images", []) if isinstance(content, dict) else []
    if not isinstance(annotations, list) or not isinstance(images, list) or not all(isinstance(each, dict) for each in annotations):
        raise UsageError(f"'{name}', given with --boxes, is not a COCO file: it needs a list 'annotations' of objects with 'image_id' and "
                         "'bbox', beside a list 'images'.")
    known = {str(image.get("id")): image for image in images if isinstance(image, dict)}
    boxes = [(note, _four(note.get("bbox"))) for note in annotations]
    sizes = {key: _size(image) for key, image in known.items()}
    corners = _are_corners([(box, sizes.get(str(note.get("image_id")))) for note, box in boxes if box is not None])
    faults: dict[Fault, list[BadBox]] = defaultdict(list)
    counts = Counter[Fault](dict.fromkeys(get_args(Fault), 0))
    files: dict[Fault, set[str]] = defaultdict(set)
    orphans = wrapped = 0
    for note, box in boxes:
        key = str(note.get("image_id"))
        orphans += bool(known) and key not in known
        wrapped += box is not None and sum(_WRAPPED <= value <= 65536 for value in box if max(sizes.get(key) or (0,)) < _WRAPPED)
        if box is not None and corners:
            box = (box[0], box[1], box[2] - box[0], box[3] - box[1])
        fault = "malformed" if box is None else fault_of(box, sizes.get(key))
        if fault is not None:
            image = str(known[key].get("file_name", key)) if key in known else key
            counts[fault] += 1
            files[fault].add(image)
            if len(faults[fault]) < _MOST_EXAMPLES:
                faults[fault].append(BadBox(str(note.get("id", "without an id")), image, json.dumps(note.get("bbox"))[:80]))
    return BoxFile(name, len(images), len(boxes), corners, FrozenDict({fault: tuple(bad) for fault, bad in faults.items()}),
                   FrozenDict(counts), FrozenDict({fault: frozenset(held) for fault, held in files.items()}), orphans, wrapped)


def _parsed(name: str) -> Any:
    try:
        if os.path.isfile(name) and os.path.getsize(name) > MAX_FILE_BYTES:
            raise IncompleteError(f"'{name}', given with --boxes, has more than {MAX_FILE_BYTES / 1e9:.1f} GB; {_LESS}.")
        return json.loads(read_bytes(name).decode("utf-8-sig"), object_hook=_without_unused)
    except UnreadableMaskError as reason:
        raise IncompleteError(f"'{name}', given with --boxes, {reason}.") from None
    except MemoryError:
        raise IncompleteError(f"'{name}', given with --boxes, takes more memory than there is; {_LESS}.") from None
    except (ValueError, RecursionError) as problem:
        said = f": {problem}" if isinstance(problem, json.JSONDecodeError) else ""
        raise UsageError(f"'{name}', given with --boxes, is not JSON{said}.") from None


def _without_unused(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry without what no check looks at, as soon as it is read."""
    for key in _UNUSED.intersection(entry):
        del entry[key]
    return entry


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
    if len(sized) < _FEW_BOXES:
        return False
    inside = all(0 <= x1 <= x2 <= width + SLACK and 0 <= y1 <= y2 <= height + SLACK for (x1, y1, x2, y2), (height, width) in sized)
    reaching = sum(fault_of(box, size) == "beyond" for box, size in sized)
    return inside and reaching >= max(2, _REACH_OUT * len(sized))
