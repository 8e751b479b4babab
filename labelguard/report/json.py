"""Parts of the JSON report, and JSON text piece by piece. The keys are a contract with other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from labelguard.facts.batch_odds import EPOCHS, Odds, batches_of, crops_of
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.facts.inference import Inference
from labelguard.files.image_folder import ImageFolder
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec


def chunks(value: Any, indent: int | None = None, depth: int = 0) -> Iterator[str]:
    """JSON text of a value, piece by piece. Any iterable becomes a list, and is never held as a whole.

    Parameters
    ----------
    value
        Mappings with text keys, iterables, texts, finite numbers, booleans and None.
    indent
        Spaces for each level; everything on one line where it is None.
    depth
        The level of this value.
    """
    if isinstance(value, Mapping):
        items: Iterator[Iterator[str]] = (chain((f"{json.dumps(key)}: ",), chunks(item, indent, depth + 1)) for key, item in value.items())
        yield from _enclosed("{}", items, indent, depth)
    elif isinstance(value, Iterable) and not isinstance(value, str):
        yield from _enclosed("[]", (chunks(item, indent, depth + 1) for item in value), indent, depth)
    else:
        yield json.dumps(value, allow_nan=False)


def _enclosed(brackets: str, items: Iterable[Iterator[str]], indent: int | None, depth: int) -> Iterator[str]:
    """Items in brackets, laid out as `json.dumps` does."""
    yield brackets[0]
    empty = True
    for item in items:
        if indent is None:
            yield "" if empty else ", "
        else:
            yield f"{'' if empty else ','}\n{' ' * (indent * (depth + 1))}"
        yield from item
        empty = False
    yield ("" if empty or indent is None else f"\n{' ' * (indent * depth)}") + brackets[1]


def dataset_dict(data: DatasetFacts, files: int) -> dict[str, Any]:
    """What was read of so many files."""
    return {"root": data.root, "files": files, "read": len(data.records), "unreadable": data.unreadable, "skipped": len(data.skipped),
            "pixels": data.pixels, "ids": {str(label): data.ids[label] for label in sorted(data.ids)}}


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
            "images_without": len(pairing.images_without), "ambiguous": len(pairing.ambiguous)}


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
    }
    if finding.path is None:
        values["files"] = finding.files
    return values
