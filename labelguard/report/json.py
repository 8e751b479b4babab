"""The report as one JSON object; its keys are a contract with other programs."""

from __future__ import annotations

import json
from typing import Any

from labelguard._version import __version__
from labelguard.facts.batch_odds import EPOCHS, Odds, batches_of, crops_of
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import Inference
from labelguard.finding import Finding, Severity
from labelguard.runs.scan import ScanReport
from labelguard.spec.labelspec import LabelSpec


def render(report: ScanReport, exit_code: int) -> str:
    """The report as indented JSON with a final newline."""
    findings = [finding_dict(finding) for finding in report.findings]
    head = head_dict(report, exit_code)
    ordered = {key: head[key] for key in ("labelguard", "command", "dataset", "spec")} | {"findings": findings} | head
    return json.dumps(ordered, indent=2) + "\n"


def head_dict(report: ScanReport, exit_code: int) -> dict[str, Any]:
    """Everything but the findings."""
    data = report.data
    return {
        "labelguard": __version__,
        "command": "scan",
        "dataset": dataset_dict(data, len(report.found.files)),
        "spec": spec_dict(report.spec, report.inference),
        "images": images_dict(report),
        "batches": _batches_dict(report),
        "crops": _crops_dict(report),
        "boxes": [{"file": boxes.path, "boxes": boxes.boxes, "images": boxes.images} for boxes in report.data.boxes],
        "skipped_checks": [{"code": skipped.code, "why": skipped.why} for skipped in report.skipped_checks],
        "summary": {severity.value: report.count(severity) for severity in Severity},
        "complete": report.complete,
        "exit_code": exit_code,
    }


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


def images_dict(report: ScanReport) -> dict[str, Any] | None:
    """The images and their pairing; None where none were given."""
    images, facts = report.images, report.data.images
    if images is None or facts is None:
        return None
    pairing = images.pairing
    return {"root": images.root, "count": images.count, "read": len(facts.images), "unreadable": facts.unreadable,
            "paired": len(pairing.pairs), "rule": pairing.rule, "masks_without": len(pairing.masks_without),
            "images_without": len(pairing.images_without), "ambiguous": len(pairing.ambiguous)}


def _batches_dict(report: ScanReport) -> dict[str, Any] | None:
    batches = batches_of(report.data, report.spec)
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


def _crops_dict(report: ScanReport) -> dict[str, Any] | None:
    crops = crops_of(report.data)
    if crops is None:
        return None
    shown = [path for path, share in crops.blind.items() if share or crops.empty.get(path)]
    return {"size": list(crops.size), "masks": len(crops.blind), "smaller": len(crops.smaller), "without_valid": crops.blind_share,
            "without_foreground": crops.empty_share,
            "files": [{"path": path, "without_valid": crops.blind[path], "without_foreground": crops.empty.get(path)} for path in shown]}


def finding_dict(finding: Finding) -> dict[str, Any]:
    """One finding; `files` only where it is about the data set."""
    values: dict[str, Any] = {
        "code": finding.code, "name": finding.name, "severity": finding.severity.value, "path": finding.path,
        "message": finding.message, "ids": list(finding.ids), "pixels": finding.pixels,
        "first": None if finding.first is None else list(finding.first), "box": None if finding.box is None else list(finding.box),
        "evidence": list(finding.evidence), "fix": str(finding.fix),
        "commands": [list(command) for command in finding.fix.commands], "safe": finding.fix.safe, "subject": finding.subject,
    }
    if finding.path is None:
        values["files"] = list(finding.files)
    return values
