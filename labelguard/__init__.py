"""labelguard: finds what is wrong with segmentation masks before a training run does, and says why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelguard.errors import IncompleteError as IncompleteError
    from labelguard.errors import LabelguardError as LabelguardError
    from labelguard.errors import MaskRejectedError as MaskRejectedError
    from labelguard.errors import NotLabelsError as NotLabelsError
    from labelguard.errors import SpecError as SpecError
    from labelguard.errors import UnreadableMaskError as UnreadableMaskError
    from labelguard.errors import UsageError as UsageError
    from labelguard.facts.dataset import DatasetFacts as DatasetFacts
    from labelguard.facts.mask import Mask as Mask
    from labelguard.facts.mask import Storage as Storage
    from labelguard.facts.mask_facts import MaskFacts as MaskFacts
    from labelguard.files.read import read as read
    from labelguard.finding import Finding as Finding
    from labelguard.finding import Severity as Severity
    from labelguard.lossprobe.stage import Probe as Probe
    from labelguard.report.scan import ScanReport as ScanReport
    from labelguard.report.splits import SplitsReport as SplitsReport
    from labelguard.runs.compare_splits import scan_splits as scan_splits
    from labelguard.runs.options import ScanOptions as ScanOptions
    from labelguard.runs.scan import scan as scan
    from labelguard.spec.labelspec import LabelSpec as LabelSpec
    from labelguard.stages import Pipeline as Pipeline
    from labelguard.stages import RejectEmpty as RejectEmpty
    from labelguard.stages import Remap as Remap
    from labelguard.stages import Resize as Resize
    from labelguard.stages import Stage as Stage
    from labelguard.stages import Validate as Validate

from labelguard._version import __version__ as __version__

# Where each public name lives: imported when it is first asked for, so that `import labelguard` costs nothing.
_HOMES = {
    "IncompleteError": "errors", "LabelguardError": "errors", "MaskRejectedError": "errors", "NotLabelsError": "errors",
    "SpecError": "errors", "UnreadableMaskError": "errors", "UsageError": "errors",
    "DatasetFacts": "facts.dataset",
    "Mask": "facts.mask", "Storage": "facts.mask",
    "MaskFacts": "facts.mask_facts",
    "read": "files.read",
    "Finding": "finding", "Severity": "finding",
    "Probe": "lossprobe.stage",
    "ScanReport": "report.scan", "SplitsReport": "report.splits",
    "scan_splits": "runs.compare_splits",
    "ScanOptions": "runs.options",
    "scan": "runs.scan",
    "LabelSpec": "spec.labelspec",
    "Pipeline": "stages", "RejectEmpty": "stages", "Remap": "stages", "Resize": "stages",
    "Stage": "stages", "Validate": "stages",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'labelguard' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(f"labelguard.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
