"""labelguard: finds what is wrong with segmentation masks before a training run does, and says why."""

from __future__ import annotations

from labelguard._version import __version__ as __version__

TYPE_CHECKING = False  # as type checkers know it; importing typing would take longer than all else here

if TYPE_CHECKING:
    from typing import Any

    from labelguard.checks.registry import rules as rules
    from labelguard.checks.rule import Rule as Rule
    from labelguard.errors import IncompleteError as IncompleteError
    from labelguard.errors import LabelguardError as LabelguardError
    from labelguard.errors import MaskRejectedError as MaskRejectedError
    from labelguard.errors import NotLabelsError as NotLabelsError
    from labelguard.errors import SpecError as SpecError
    from labelguard.errors import UnreadableMaskError as UnreadableMaskError
    from labelguard.errors import UsageError as UsageError
    from labelguard.facts.dataset import DatasetFacts as DatasetFacts
    from labelguard.facts.inference import Inference as Inference
    from labelguard.facts.mask import Mask as Mask
    from labelguard.facts.mask import Storage as Storage
    from labelguard.facts.mask_facts import MaskFacts as MaskFacts
    from labelguard.files.read import read as read
    from labelguard.finding import Finding as Finding
    from labelguard.finding import Fix as Fix
    from labelguard.finding import Severity as Severity
    from labelguard.lossprobe.probing import probe as probe
    from labelguard.lossprobe.report import ProbeReport as ProbeReport
    from labelguard.lossprobe.stage import Probe as Probe
    from labelguard.lossprobe.supervisor.settings import ImportPath as ImportPath
    from labelguard.report.rewrite import RewriteReport as RewriteReport
    from labelguard.report.scan import ScanReport as ScanReport
    from labelguard.report.show import ShowReport as ShowReport
    from labelguard.report.splits import SplitsReport as SplitsReport
    from labelguard.runs.compare_splits import scan_splits as scan_splits
    from labelguard.runs.init import init as init
    from labelguard.runs.options import ScanOptions as ScanOptions
    from labelguard.runs.remap import remap as remap
    from labelguard.runs.resize import resize as resize
    from labelguard.runs.run import run as run
    from labelguard.runs.scan import scan as scan
    from labelguard.runs.show import show as show
    from labelguard.spec.class_files.read import read_classes as read_classes
    from labelguard.spec.declarations import read_preset as read_preset
    from labelguard.spec.declarations import read_spec as read_spec
    from labelguard.spec.labelspec import LabelSpec as LabelSpec
    from labelguard.stages import ColorsToIds as ColorsToIds
    from labelguard.stages import Pipeline as Pipeline
    from labelguard.stages import RejectEmpty as RejectEmpty
    from labelguard.stages import Remap as Remap
    from labelguard.stages import Resize as Resize
    from labelguard.stages import Stage as Stage
    from labelguard.stages import Validate as Validate
    from labelguard.stages import functional as functional

    __all__: list[str]


def _homes() -> dict[str, str]:
    """The module of each public name. The imports above are the one list of them: their bytecode is read, and not run, so that
    `import labelguard` costs nothing and each module is imported when a name of it is first asked for."""
    global _known
    if _known:
        return _known
    from dis import get_instructions
    found, module = {}, ""
    for step in get_instructions(__spec__.loader.get_code(__name__)):  # type: ignore[union-attr]
        if step.opname == "IMPORT_NAME":
            module = step.argval
        elif step.opname == "IMPORT_FROM" and module.partition(".")[0] == __name__ and not step.argval.startswith("_"):
            found[step.argval] = module
    _known = found  # whole, since other threads take what is there for all
    return found


_known: dict[str, str] = {}


if not TYPE_CHECKING:  # so that type checkers know a name that is not there

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return sorted(_homes())
        if name.startswith("_") or name not in _homes():
            raise AttributeError(f"module 'labelguard' has no attribute '{name}'")
        from importlib import import_module
        home = _homes()[name]
        found = getattr(import_module(home), name, None)
        value = globals()[name] = import_module(f"{home}.{name}") if found is None else found  # a module of a room, like functional
        return value


def __dir__() -> list[str]:
    return sorted({*_homes(), *(name for name in globals() if name.startswith("__"))})
