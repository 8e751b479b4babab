"""One file a check. To add one, drop a file in here, with its test and its page: nothing lists them.

A check declares a `rule` and decorates one function, or several: `@rule.on_mask` sees the facts of each mask, `@rule.on_dataset`
their sum, `@rule.on_splits` those of each split. All see facts only, never pixels, and yield what `rule.finding(...)` makes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import cleandoc
from itertools import pairwise
from pkgutil import iter_modules
from typing import Any, TypeVar

from labelguard.errors import UsageError
from labelguard.facts.mask_facts import DatasetFacts, MaskFacts
from labelguard.facts.split import SplitFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

OnMask = Callable[[MaskFacts, LabelSpec], Iterable[Finding]]
OnDataset = Callable[[DatasetFacts, LabelSpec], Iterable[Finding]]
OnSplits = Callable[[Sequence[SplitFacts], LabelSpec], Iterable[Finding]]
Function = TypeVar("Function", bound=Callable[..., Any])


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
    mask_check: OnMask | None = field(default=None, init=False)
    dataset_check: OnDataset | None = field(default=None, init=False)
    splits_check: OnSplits | None = field(default=None, init=False)
    module: str = field(default="", init=False)

    def on_mask(self, function: Function) -> Function:
        """Run this function on the facts of each mask."""
        self.mask_check, self.module = function, function.__module__
        return function

    def on_dataset(self, function: Function) -> Function:
        """Run this function on the facts of the data set."""
        self.dataset_check, self.module = function, function.__module__
        return function

    def on_splits(self, function: Function) -> Function:
        """Run this function on the facts of all splits, to compare them; splits with an error of `symptom_of` are left out."""
        self.splits_check, self.module = function, function.__module__
        return function

    @property
    def manual(self) -> str:
        """What the check looks for, why that hurts and how to mend it: the docstring of its file."""
        return cleandoc(sys.modules[self.module].__doc__ or "")

    def finding(self, message: str, *, severity: Severity | None = None, **details: Any) -> Finding:
        """A finding of this rule; `details` are the fields of `Finding`."""
        return Finding(self.code, self.name, severity or self.severity, message, **details)

    def finding_of_id(self, message: str, facts: MaskFacts, label: int, **details: Any) -> Finding:
        """A finding about one id of one mask, with where that id lies."""
        at = facts.ids.index(label)
        return self.finding(message, ids=(label,), pixels=facts.counts[at], first=facts.firsts[at], box=facts.boxes[at], **details)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the codes."""
    modules = [import_module(f"{__name__}.{entry.name}") for entry in iter_modules(__path__) if not entry.name.startswith("_")]
    rules = sorted((module.rule for module in modules), key=lambda rule: rule.code)
    for left, right in pairwise(rules):
        if left.code == right.code:
            raise RuntimeError(f"{left.module} and {right.module} both declare {left.code}")
    return tuple(rules)


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules that some codes name: ``LG102``, a family such as ``LG1``, or a name such as ``uint8-wraparound``.

    Parameters
    ----------
    select
        The rules to keep; all where empty.
    ignore
        The rules to drop from them; the longer code wins where both name a rule.

    Raises
    ------
    UsageError
        When a code names no rule.
    """
    select, ignore = tuple(select) or ("LG",), tuple(ignore)

    def strength(rule: Rule, codes: tuple[str, ...]) -> int:
        return max((len(rule.code) if rule.name == code.lower() else len(code) for code in codes if _names(code, rule)), default=0)

    for code in (*select, *ignore):
        if not any(_names(code, rule) for rule in all_rules()):
            raise UsageError(f"'{code}' names no check; 'labelguard rules' lists them.")
    return tuple(rule for rule in all_rules() if strength(rule, select) > strength(rule, ignore))


def _names(code: str, rule: Rule) -> bool:
    return bool(code) and (rule.code.startswith(code.upper()) or rule.name == code.lower())
