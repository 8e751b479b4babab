"""Every rule of this folder, found and selected."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from pkgutil import iter_modules

from labelguard.checks.rule import Rule
from labelguard.errors import UsageError
from labelguard.finding import Finding, Fix
from labelguard.spec.argument_checks import checked_codes

_ROOM = __name__.rpartition(".")[0]
NOT_RULES = ("rule", "registry", "symptoms")
_NOT_A_FILE = "Make it a file or a folder that can be opened, or take it away."


def _rule_files() -> Iterator[str]:
    """The modules of this room that hold a rule."""
    found = (entry.name for entry in iter_modules([os.path.dirname(__file__)]))
    return (name for name in found if not name.startswith("_") and name not in NOT_RULES)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the codes."""
    modules = [import_module(f"{_ROOM}.{name}") for name in _rule_files()]
    rules = sorted((module.rule for module in modules), key=lambda rule: rule.code)
    for left, right in pairwise(rules):
        if left.code == right.code:
            raise RuntimeError(f"{left.module} and {right.module} both declare {left.code}")
    return tuple(rules)


@cache
def rule_named(name: str) -> Rule:
    """The rule of that name, such as ``vanished-class``: how other rooms refer to one. Only its own file is imported.

    Raises
    ------
    LookupError
        If no rule has that name.
    """
    module = name.replace("-", "_")
    if module not in _rule_files():
        raise LookupError(f"no rule is named '{name}'")
    rule: Rule = import_module(f"{_ROOM}.{module}").rule
    return rule


def findings_of_unreadable(path: str, reason: str, rules: Iterable[Rule] | None = None) -> list[Finding]:
    """What the rules, or some of them, report about a file that cannot be read, for a reason in words."""
    return [rule.unreadable_check(path, reason) for rule in (all_rules() if rules is None else rules) if rule.unreadable_check is not None]


def findings_of_refused(entries: Iterable[tuple[str, str]], rules: Iterable[Rule] | None = None) -> list[Finding]:
    """What the same rules report about (name, reason) of what is no file that can be read."""
    chosen = all_rules() if rules is None else tuple(rules)
    return [replace(finding, fix=Fix.advice(_NOT_A_FILE)) for name, reason in entries for finding in
            findings_of_unreadable(name, reason, chosen)]


def findings_of_resize(before: Mapping[int, int], after: Mapping[int, int]) -> list[Finding]:
    """What the rules report about a resize, from the pixels of each id before and after it."""
    return [finding for rule in all_rules() if rule.resize_check is not None for finding in rule.resize_check(before, after)]


def findings_of_remap(before: Mapping[int, int], target: Callable[[int], int | None], ignored: Collection[int]) -> list[Finding]:
    """What the rules report about ids that were moved, from the pixels of each before; see `labelguard.checks.rule.Rule.on_remap`."""
    return [finding for rule in all_rules() if rule.remap_check is not None for finding in rule.remap_check(before, target, ignored)]


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules that the codes name: ``LG102``, a family such as ``LG1``, or a name such as ``uint8-wraparound``.

    Parameters
    ----------
    select
        The rules to keep; all if empty.
    ignore
        The rules to drop from them; if both name a rule, the longer code wins.

    Raises
    ------
    UsageError
        If a code names no rule.
    """
    select, ignore = tuple(select) or ("LG",), tuple(ignore)

    def strength(rule: Rule, codes: tuple[str, ...]) -> int:
        return max((len(rule.code) if rule.name == code.lower() else len(code) for code in codes if _names(code, rule)), default=0)

    for argument, codes in (("select", select), ("ignore", ignore)):
        for code in codes:
            if not any(_names(code, rule) for rule in all_rules()):
                raise UsageError(f"'{code}' names no check; 'labelguard rules' lists them.", argument=argument)
    return tuple(rule for rule in all_rules() if strength(rule, select) > strength(rule, ignore))


def rules(*codes: str | Iterable[str]) -> tuple[Rule, ...]:
    """The checks, in the order of their codes.

    Parameters
    ----------
    codes
        Codes, families or names, such as ``"LG102"``, ``"LG1"`` or ``"uint8-wraparound"``, also in lists; every check where none is
        given.

    Raises
    ------
    UsageError
        When a code names no check, or is not a text.

    Examples
    --------
    >>> [rule.name for rule in labelguard.rules("LG102", "LG2")]  # doctest: +SKIP
    ['uint8-wraparound', 'empty-mask', 'all-ignore', ...]
    """
    return select_rules([code for given in codes for code in checked_codes("codes", given)])


def _names(code: str, rule: Rule) -> bool:
    return bool(code) and (rule.code.startswith(code.upper()) or rule.name == code.lower())
