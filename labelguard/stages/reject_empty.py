"""RejectEmpty: refuse masks that show nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from labelguard.checks.registry import rule_named
from labelguard.errors import UsageError
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.argument_checks import as_int, as_number
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.stage import Stage, reject_errors
from labelguard.text import percent


@dataclass(frozen=True, init=False)
class RejectEmpty(Stage):
    """Refuse masks without foreground, and masks of nothing but ignored ids.

    Parameters
    ----------
    min_foreground
        Refuse also where less than this share of all pixels, from 0 to 1, is foreground.
    background
        The id that stands for "nothing here".
    ignore_index
        The id, or ids, that the loss skips; they are not foreground.

    Raises
    ------
    UsageError
        When an argument makes no sense.
    """

    min_foreground: float = 0.0
    background: int = 0
    ignore_index: tuple[int, ...] = ()

    def __init__(self, min_foreground: float = 0.0, background: int = 0, ignore_index: int | Iterable[int] = ()) -> None:
        share, label = as_number(min_foreground), as_int(background)
        if share is None or not 0 <= share <= 1:
            raise UsageError(f"min_foreground is {min_foreground!r}; it must be a share from 0 to 1.", argument="min_foreground")
        if label is None:
            raise UsageError(f"background is {background!r}; it must be an id.", argument="background")
        ignored = LabelSpec(ignore_index=ignore_index).ignore_index
        self._set(min_foreground=share, background=label, ignore_index=ignored)

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """Why the mask shows nothing, or too little."""
        facts, path = MaskFacts.of_labels(mask.labels), mask.name or None
        if all(label in self.ignore_index for label in facts.present):
            rule = rule_named("all-ignore")
            return (rule.finding("Every pixel is ignored.", path=path, ids=facts.present, pixels=facts.pixels),)
        shown = sum(count for label, count in facts.counts.items() if label != self.background and label not in self.ignore_index)
        if shown == 0:
            rule = rule_named("empty-mask")
            return (rule.finding(f"Holds nothing but background, {self.background}.", severity=Severity.ERROR, path=path,
                                 ids=(self.background,), pixels=facts.count(self.background)),)
        if shown < Fraction(str(self.min_foreground)) * facts.pixels:  # 0.07 * 100 is more than 7
            rule = rule_named("tiny-foreground")
            share, wanted = percent(shown, facts.pixels), percent(self.min_foreground, 1)
            return (rule.finding(f"The foreground is {share} of the mask, less than {wanted}.", severity=Severity.ERROR, path=path,
                                 pixels=shown),)
        return ()

    def apply(self, mask: Mask) -> Mask:
        """The mask as it is, if it shows something."""
        reject_errors(self.findings(mask), mask)
        return mask
