"""A Fix: the sentence that is printed and the commands in it come from the same arguments."""

from __future__ import annotations

import pickle
import shlex

from labelguard.checks.empty_mask import rule
from labelguard.finding import Fix

REMAP = ("labelguard", "remap", "my masks", "--merge", "0:1")


def test_a_command_is_quoted_for_a_shell() -> None:
    fix = Fix.command(*REMAP)
    assert str(fix) == "labelguard remap 'my masks' --merge 0:1"
    assert shlex.split(str(fix)) == list(REMAP)
    assert fix.commands == (REMAP,) and fix.is_command and fix.safe


def test_a_command_that_assumes_something_is_not_safe() -> None:
    fix = Fix.command(*REMAP, safe=False)
    assert fix.is_command and not fix.safe and fix != Fix.command(*REMAP)


def test_advice_holds_commands_and_is_never_safe() -> None:
    fix = Fix.advice("If 0 is void: ", Fix.command(*REMAP), ". If not: ", ("labelguard", "scan", "."), ".")
    assert str(fix) == "If 0 is void: labelguard remap 'my masks' --merge 0:1. If not: labelguard scan .."
    assert fix.commands == (REMAP, ("labelguard", "scan", ".")) and not fix.safe and not fix.is_command


def test_two_commands_without_a_word_between_are_not_one_command() -> None:
    assert not Fix.advice(REMAP, REMAP).is_command


def test_nothing_to_do_is_false() -> None:
    assert not Fix() and not Fix.advice("") and not Fix.of("") and str(Fix()) == ""
    assert not Fix().is_command and Fix.advice("Look.")


def test_a_plain_sentence_is_advice() -> None:
    finding = rule.finding("Nothing here.", fix="Look at it.")
    assert finding.fix == Fix.advice("Look at it.") and finding.fix.commands == ()
    assert rule.finding("Nothing here.", fix=finding.fix).fix is finding.fix


def test_it_is_a_value() -> None:
    fix = Fix.advice("Either ", REMAP)
    assert pickle.loads(pickle.dumps(fix)) == fix and hash(fix) == hash(Fix.advice("Either ", Fix.command(*REMAP)))
