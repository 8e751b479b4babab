"""Rule: the name of a check, how serious it is, what it needs, and the functions that run it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, Literal, TypeVar

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
OnRemap = Callable[[Mapping[int, int], Callable[[int], int | None], Collection[int]], Iterable[Finding]]  # see `Rule.on_remap`
Refines = Callable[[DatasetFacts, LabelSpec], DatasetFacts]
InSet = Callable[[Finding, DatasetFacts, LabelSpec], Finding]
Abstains = Callable[[DatasetFacts, LabelSpec], str]                             # why it cannot be judged after all, or nothing
Group = Literal["erosion", "label_runs", "image_pixels", "alignment", "boxes", "instances", "receipt", "row_order", "cut_off"]
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(eq=False)
class Rule:
    """The name of a check, how serious it is, and what it needs.

    Parameters
    ----------
    code, name
        As in ``LG102`` and ``uint8-wraparound``; the file is named after the latter.
    severity
        Of its findings, unless they say otherwise.
    summary
        What is wrong, in one sentence; the first line of the manual.
    needs_classes
        Whether it can only be judged if the number of classes is declared.
    of_classes
        Whether it takes ids for classes, and has nothing to say where they are declared to be instances.
    symptom_of
        Codes of causes: a finding is dropped if errors with these codes account for all its ids.
    found_by
        The command that finds it, if not `scan`.
    needs
        The option that it cannot run without, such as ``--images``, or ``splits``; without it, the check is reported as skipped.
    needs_masks
        Whether it cannot run without masks.
    needs_facts
        The optional groups of facts that it reads; a scan gathers the union over the selected rules. ``"erosion"``: the shape of ids that
        may be a void label or a wrapped one. ``"label_runs"``: how ids change along rows and columns. ``"image_pixels"``: the decoded
        pixels of the images, not only their headers. ``"alignment"``: whether masks and images have edges in the same places.
        ``"boxes"``: box files. ``"instances"``: ids that may be instances. ``"receipt"``: what the receipt of the folder records.
        ``"row_order"``: which masks have scrambled rows. ``"cut_off"``: which break off in the middle of a row.
    across_splits
        Whether it judges several splits together instead of one by one.
    explains_no_ids
        Whether it explains why the pixels of a file are not label ids; such a file is not rewritten.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    needs_classes: bool = False
    of_classes: bool = False
    symptom_of: tuple[str, ...] = ()
    found_by: str = "scan"
    needs: str = ""
    needs_masks: bool = True
    needs_facts: tuple[Group, ...] = ()
    across_splits: bool = False
    explains_no_ids: bool = False
    mask_check: OnMask | None = field(default=None, init=False)
    dataset_check: OnDataset | None = field(default=None, init=False)
    splits_check: OnSplits | None = field(default=None, init=False)
    unreadable_check: OnUnreadable | None = field(default=None, init=False)
    resize_check: OnResize | None = field(default=None, init=False)
    remap_check: OnRemap | None = field(default=None, init=False)
    refinement: Refines | None = field(default=None, init=False)
    why_not: Abstains | None = field(default=None, init=False)
    in_set: InSet | None = field(default=None, init=False)
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

    def on_remap(self, function: _Function) -> _Function:
        """Run this function on the pixels of each id before ids were moved, the function that gives where each went, and what is ignored
        afterwards."""
        self.remap_check, self.module = function, function.__module__
        return function

    def refines(self, function: _Function) -> _Function:
        """Let this function take back what cannot be trusted about the set, before any check looks at it."""
        self.refinement, self.module = function, function.__module__
        return function

    def abstains(self, function: _Function) -> _Function:
        """Ask this function, once all files were read, why the check could not be judged after all; nothing where it could."""
        self.why_not, self.module = function, function.__module__
        return function

    def seen_in_set(self, function: _Function) -> _Function:
        """Let this function say of each finding on a single file what only the whole set shows: how it is mended, above all."""
        self.in_set, self.module = function, function.__module__
        return function

    @property
    def manual(self) -> str:
        """What the check does, why it matters and how to fix what it finds: the docstring of its file."""
        return cleandoc(sys.modules[self.module].__doc__ or "")

    @property
    def sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The manual as headings, each with its paragraphs; the summary stands below no heading."""
        sections: list[tuple[str, list[str]]] = [("", [])]
        for paragraph in self.manual.split("\n\n"):
            heading, rule, text = paragraph.partition("\n---")
            if rule:
                sections.append((heading, []))
            sections[-1][1].append(text.partition("\n")[2] if rule else paragraph)
        return tuple((heading, tuple(paragraphs)) for heading, paragraphs in sections)

    def finding(self, message: str, *, severity: Severity | None = None, fix: Fix | str = "", **details: Any) -> Finding:
        """A finding of this rule; a plain sentence as `fix` is advice, and `details` are the other fields of `Finding`."""
        return Finding(self.code, self.name, severity or self.severity, message, fix=Fix.of(fix), **details)
