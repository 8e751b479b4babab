"""Rule: what a check is called, how much it hurts, what it needs, and the functions that do it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, TypeVar

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.facts.split import SplitFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec

OnMask = Callable[[MaskFacts, LabelSpec], Iterable[Finding]]
OnDataset = Callable[[DatasetFacts, LabelSpec], Iterable[Finding]]
OnSplits = Callable[[Sequence[SplitFacts], LabelSpec], Iterable[Finding]]
OnUnreadable = Callable[[str, str], Finding]                                    # path, and the reason in words
OnResize = Callable[[Mapping[int, int], Mapping[int, int]], Iterable[Finding]]  # pixels of each id before and after
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(eq=False)
class Rule:
    """What a check is called, how much it hurts and what it needs, declared in one act.

    Parameters
    ----------
    code, name
        As in ``LG102`` and ``uint8-wraparound``; the file is named after the latter.
    severity
        Of its findings, where they do not say otherwise.
    summary
        One sentence: what is wrong when it fires.
    needs_classes
        Whether it can only be judged once the number of classes is declared.
    symptom_of
        Codes of causes: where errors with these codes account for all ids of a finding, the finding is dropped.
    found_by
        The command that finds it, where that is not `scan`.
    needs
        The option without which there is nothing to look at, such as ``--images``, or ``splits``; the check is then reported as skipped.
    needs_pixels
        Whether the pixels of the images have to be decoded for it, and not only their headers.
    explains_no_ids
        Whether it says of a file why its pixels are not label ids: such a file is not rewritten.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    needs_classes: bool = False
    symptom_of: tuple[str, ...] = ()
    found_by: str = "scan"
    needs: str = ""
    needs_pixels: bool = False
    explains_no_ids: bool = False
    mask_check: OnMask | None = field(default=None, init=False)
    dataset_check: OnDataset | None = field(default=None, init=False)
    splits_check: OnSplits | None = field(default=None, init=False)
    unreadable_check: OnUnreadable | None = field(default=None, init=False)
    resize_check: OnResize | None = field(default=None, init=False)
    module: str = field(default="", init=False)

    def on_mask(self, function: _Function) -> _Function:
        """Run this function on the facts of each mask."""
        self.mask_check, self.module = function, function.__module__
        return function

    def on_dataset(self, function: _Function) -> _Function:
        """Run this function on the facts of the data set."""
        self.dataset_check, self.module = function, function.__module__
        return function

    def on_splits(self, function: _Function) -> _Function:
        """Run this function on the facts of all splits, to compare them; splits with an error of `symptom_of` are left out."""
        self.splits_check, self.module = function, function.__module__
        return function

    def on_unreadable(self, function: _Function) -> _Function:
        """Run this function on a file that cannot be read, of which there are no facts."""
        self.unreadable_check, self.module = function, function.__module__
        return function

    def on_resize(self, function: _Function) -> _Function:
        """Run this function on the pixels of each id before and after a resize."""
        self.resize_check, self.module = function, function.__module__
        return function

    @property
    def manual(self) -> str:
        """What the check does, why it matters and how to fix what it finds: the docstring of its file."""
        return cleandoc(sys.modules[self.module].__doc__ or "")

    def finding(self, message: str, *, severity: Severity | None = None, fix: Fix | str = "", **details: Any) -> Finding:
        """A finding of this rule; a plain sentence as `fix` is advice, and `details` are the other fields of `Finding`."""
        return Finding(self.code, self.name, severity or self.severity, message, fix=Fix.of(fix), **details)

    def finding_of_id(self, message: str, facts: MaskFacts, label: int, **details: Any) -> Finding:
        """A finding about one id of one mask, with where that id lies."""
        region = facts.region((label,))
        return self.finding(message, ids=(label,), pixels=region.num_pixels, first=region.first, box=region.bbox, **details)
