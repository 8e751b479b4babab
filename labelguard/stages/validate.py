"""Validate: hold a mask against what its ids should be."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from labelguard.checks.registry import select_rules
from labelguard.checks.rule import OnMask
from labelguard.errors import UsageError
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.stage import Stage, reject_errors


@dataclass(frozen=True)
class Validate(Stage):
    """Run the checks on single masks, and refuse a mask with an error.

    Parameters
    ----------
    spec
        What the ids mean.
    select, ignore
        Codes, families or names of checks; see `labelguard.checks.registry.select_rules`.

    Raises
    ------
    UsageError
        When a code names no check, or no check on single masks is left.
    """

    spec: LabelSpec
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    _checks: tuple[OnMask, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.spec, LabelSpec):
            raise UsageError(f"spec is {self.spec!r}; it must be a LabelSpec.")
        for name in ("select", "ignore"):
            value = getattr(self, name)
            codes = (value,) if isinstance(value, str) else value
            if not isinstance(codes, (tuple, list)) or not all(isinstance(code, str) for code in codes):
                raise UsageError(f"{name} is {value!r}; it must be codes or names of checks, such as ('LG1', 'empty-mask').")
            object.__setattr__(self, name, tuple(codes))
        rules = select_rules(self.select, self.ignore)
        checks = tuple(rule.mask_check for rule in rules
                       if rule.mask_check is not None and (self.spec.declared or not rule.needs_classes))
        if not checks:
            raise UsageError(f"None of the selected checks ({', '.join(self.select)}) can judge a single mask"
                             f"{'' if self.spec.declared else ' while the number of classes is not declared'}.")
        object.__setattr__(self, "_checks", checks)

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """What the checks find."""
        facts = MaskFacts.of_labels(mask.labels, mask.stored)
        found = [finding for check in self._checks for finding in check(facts, self.spec)]
        return tuple(replace(finding, path=mask.name or None) for finding in found)

    def apply(self, mask: Mask) -> Mask:
        """The mask as it is, if no check finds an error."""
        reject_errors(self.findings(mask), mask)
        return mask
