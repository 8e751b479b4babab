"""labelguard: finds what is wrong with segmentation masks before a training run does, and says why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelguard.errors import CannotComplete as CannotComplete
    from labelguard.errors import LabelguardError as LabelguardError
    from labelguard.errors import MaskRejected as MaskRejected
    from labelguard.errors import NotLabels as NotLabels
    from labelguard.errors import SpecError as SpecError
    from labelguard.errors import UnreadableMask as UnreadableMask
    from labelguard.errors import UsageError as UsageError
    from labelguard.facts import DatasetFacts as DatasetFacts
    from labelguard.facts import MaskFacts as MaskFacts
    from labelguard.files import read as read
    from labelguard.finding import Finding as Finding
    from labelguard.finding import Severity as Severity
    from labelguard.mask import Mask as Mask
    from labelguard.mask import Stored as Stored
    from labelguard.probe.stage import Probe as Probe
    from labelguard.scanner import ScanReport as ScanReport
    from labelguard.scanner import scan as scan
    from labelguard.spec import LabelSpec as LabelSpec
    from labelguard.splits import SplitsReport as SplitsReport
    from labelguard.splits import scan_splits as scan_splits
    from labelguard.stages import Pipeline as Pipeline
    from labelguard.stages import RejectEmpty as RejectEmpty
    from labelguard.stages import Remap as Remap
    from labelguard.stages import Resize as Resize
    from labelguard.stages import Stage as Stage
    from labelguard.stages import Validate as Validate

__version__ = "0.1.0"

# Where each public name lives: imported when it is first asked for, so that `import labelguard` costs nothing.
_HOMES = {
    "CannotComplete": "errors", "LabelguardError": "errors", "NotLabels": "errors", "SpecError": "errors",
    "MaskRejected": "errors", "UnreadableMask": "errors", "UsageError": "errors",
    "DatasetFacts": "facts", "MaskFacts": "facts",
    "Finding": "finding", "Severity": "finding",
    "LabelSpec": "spec", "Mask": "mask", "Stored": "mask",
    "Pipeline": "stages", "RejectEmpty": "stages", "Remap": "stages", "Resize": "stages", "Stage": "stages", "Validate": "stages",
    "Probe": "probe.stage", "ScanReport": "scanner", "read": "files", "scan": "scanner",
    "SplitsReport": "splits", "scan_splits": "splits",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'labelguard' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(f"labelguard.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
