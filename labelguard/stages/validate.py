"""Validate: hold a mask against what its ids should be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from labelguard.checks.registry import select_rules
from labelguard.checks.rule import OnMask
from labelguard.errors import UsageError
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding
from labelguard.spec.argument_checks import checked_codes
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.stage import Stage, reject_errors


@dataclass(frozen=True, init=False)
class Validate(Stage):
    """Run the checks on single masks, and refuse a mask with an error.

    Parameters
    ----------
    spec
        What the ids mean.
    select, ignore
        Codes, families or names of checks, in a list or with commas between them; see
        `labelguard.checks.registry.select_rules`.

    Raises
    ------
    UsageError
        When a code names no check, or no check on single masks is left.
    """

    spec: LabelSpec
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    _checks: tuple[OnMask, ...] = field(init=False, repr=False, compare=False)

    def __init__(self, spec: LabelSpec, select: str | Iterable[str] = (), ignore: str | Iterable[str] = ()) -> None:
        if not isinstance(spec, LabelSpec):
            raise UsageError(f"spec is {spec!r}; it must be a LabelSpec.", argument="spec")
        selected, ignored = checked_codes("select", select), checked_codes("ignore", ignore)
        checks = tuple(rule.mask_check for rule in select_rules(selected, ignored)
                       if rule.mask_check is not None and (spec.declared or not rule.needs_classes))
        if not checks:
            raise UsageError(f"None of the selected checks ({', '.join(selected)}) can judge a single mask"
                             f"{'' if spec.declared else ' while the number of classes is not declared'}.", argument="select")
        self._set(spec=spec, select=selected, ignore=ignored, _checks=checks)

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """What the checks find."""
        facts = MaskFacts.of_labels(mask.labels, mask.stored)
        found = [finding for check in self._checks for finding in check(facts, self.spec)]
        return tuple(replace(finding, path=mask.name or None) for finding in found)

    def apply(self, mask: Mask) -> Mask:
        """The mask as it is, if no check finds an error."""
        reject_errors(self.findings(mask), mask)
        return mask
