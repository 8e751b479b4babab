"""The report as one JSON object; its keys are a contract with other programs."""

from __future__ import annotations

import json
from typing import Any

from labelguard import __version__
from labelguard.facts import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.infer import Inference
from labelguard.scanner import ScanReport
from labelguard.spec import LabelSpec


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


def finding_dict(finding: Finding) -> dict[str, Any]:
    """One finding; `files` only where it is about the data set."""
    values: dict[str, Any] = {
        "code": finding.code, "name": finding.name, "severity": finding.severity.value, "path": finding.path,
        "message": finding.message, "ids": list(finding.ids), "pixels": finding.pixels,
        "first": None if finding.first is None else list(finding.first), "box": None if finding.box is None else list(finding.box),
        "evidence": list(finding.evidence), "fix": finding.fix, "subject": finding.subject,
    }
    if finding.path is None:
        values["files"] = list(finding.files)
    return values
