"""Parts of the JSON report, and JSON text piece by piece. The keys are a contract with other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import repeat
from typing import Any

from labelguard.facts.batch_odds import EPOCHS, Odds, batches_of, crops_of
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.facts.inference import Inference
from labelguard.files.image_folder import ImageFolder
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec

_LONGEST = 1_000  # keys of an object whose text is held as a whole


def chunks(value: Any, indent: int | None = None, depth: int = 0) -> Iterator[str]:
    """JSON text of a value, piece by piece, laid out as `json.dumps` does.

    Parameters
    ----------
    value
        What JSON can say. Any other iterable becomes a list, item by item, and is never held as a whole.
    indent
        Spaces for each level; everything on one line where it is None.
    depth
        The level of this value.
    """
    whole = _text(value, indent, depth)
    if whole is not None:
        yield whole
        return
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    pairs = zip(repeat(""), value) if opening == "[" else ((f"{_encoder(None).encode(key)}: ", item) for key, item in value.items())
    break_, separator = ("", ", ") if indent is None else ("\n" + " " * (indent * (depth + 1)), ",")
    yield opening
    empty = True
    for key, item in pairs:
        start = f"{'' if empty else separator}{break_}{key}"
        text = _text(item, indent, depth + 1)
        if text is None:
            yield start
            yield from chunks(item, indent, depth + 1)
        else:
            yield start + text
        empty = False
    yield closing if empty or indent is None else "\n" + " " * (indent * depth) + closing


def _text(value: Any, indent: int | None, depth: int) -> str | None:
    """The whole text of a plain value; None where there are other iterables in it, which are written piece by piece."""
    if not (value is None or isinstance(value, (str, int, float, list, dict))) or (isinstance(value, dict) and len(value) > _LONGEST):
        return None
    try:
        text = _encoder(indent).encode(value)
    except TypeError:
        return None
    return text if indent is None else text.replace("\n", "\n" + " " * (indent * depth))


@cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    return json.JSONEncoder(allow_nan=False, indent=indent)


def dataset_dict(data: DatasetFacts, files: int) -> dict[str, Any]:
    """What was read of so many files."""
    return {"root": data.root, "files": files, "read": len(data.records), "unreadable": data.unreadable,
            "skipped": len(data.skipped) + len(data.refused), "pixels": data.pixels,
            "ids": {str(label): data.ids[label] for label in sorted(data.ids)},
            "files_with": {str(label): data.files_with[label] for label in sorted(data.files_with)}}


def masks_dict(data: DatasetFacts) -> dict[str, str]:
    """For each mask that was read a digest of its size, its encoding and the pixels of each id: where one of them changes, it does."""
    from hashlib import blake2b
    return {record.path: blake2b(repr((record.shape, record.encoding, record.ids, record.num_pixels.tolist())).encode(),
                                 digest_size=4).hexdigest() for record in data.records}


def spec_dict(spec: LabelSpec, inference: Inference | None) -> dict[str, Any]:
    """What the ids mean, as declared or as inferred."""
    if inference is None:
        return {"num_classes": spec.num_classes, "ignore_index": list(spec.ignore_index), "source": "declared"}
    ignored = spec.ignore_index or inference.spec.ignore_index
    return {"num_classes": inference.spec.num_classes, "ignore_index": list(ignored), "source": "inferred",
            "files": inference.files, "sure": inference.sure, "inferred": list(inference.lines)}


def images_dict(images: ImageFolder | None, facts: ImageSet | None) -> dict[str, Any] | None:
    """The images and their pairing; None where none were given."""
    if images is None or facts is None:
        return None
    pairing = images.pairing
    return {"root": images.root, "count": images.count, "read": len(facts.images), "unreadable": facts.unreadable,
            "paired": len(pairing.pairs), "rule": pairing.rule, "masks_without": len(pairing.masks_without),
            "images_without": len(pairing.images_without), "ambiguous": len(pairing.ambiguous),
            "several": len(pairing.several)}


def batches_dict(data: DatasetFacts, spec: LabelSpec) -> dict[str, Any] | None:
    """What batches will hold; None where that was not asked."""
    batches = batches_of(data, spec)
    if batches is None:
        return None
    epoch, classes = batches.epoch, batches.classes
    return {"batch_size": epoch.batch_size, "masks": epoch.masks, "size": epoch.size, "full": epoch.full, "last": epoch.last,
            "without_valid": _odds_dict(batches.blind),
            "without_foreground": None if batches.empty is None else _odds_dict(batches.empty),
            "without_class": None if classes is None else
            [{"id": of.label, "files": of.files} | _odds_dict(of.absent) for of in classes]}


def _odds_dict(odds: Odds) -> dict[str, float]:
    return {"share": odds.share, "share_of_last": odds.last, "per_epoch": odds.per_epoch, f"per_{EPOCHS}_epochs": EPOCHS * odds.per_epoch}


def crops_dict(data: DatasetFacts) -> dict[str, Any] | None:
    """What random crops will hold; None where that was not asked."""
    crops = crops_of(data)
    if crops is None:
        return None
    shown = [path for path, share in crops.blind.items() if share or crops.empty.get(path)]
    return {"size": list(crops.size), "masks": len(crops.blind), "smaller": len(crops.smaller), "without_valid": crops.blind_share,
            "without_foreground": crops.empty_share,
            "files": [{"path": path, "without_valid": crops.blind[path], "without_foreground": crops.empty.get(path)} for path in shown]}


def finding_dict(finding: Finding) -> dict[str, Any]:
    """One finding; `files`, as the iterable that the finding holds, only where it is about the data set."""
    values: dict[str, Any] = {
        "code": finding.code, "name": finding.name, "severity": finding.severity.value, "path": finding.path,
        "message": finding.message, "ids": list(finding.ids), "pixels": finding.pixels,
        "first": None if finding.first is None else list(finding.first), "box": None if finding.box is None else list(finding.box),
        "evidence": list(finding.evidence), "fix": str(finding.fix),
        "commands": [list(command) for command in finding.fix.commands], "safe": finding.fix.safe, "subject": finding.subject,
        "accepted": finding.accepted or None, "known": finding.known,
    }
    if finding.path is None:
        values["files"] = finding.files
    return values
