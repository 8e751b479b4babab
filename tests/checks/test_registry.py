"""The rules themselves: what they are called, what their manuals say, and how codes choose among them."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

import labelguard.checks
from labelguard.checks.registry import NOT_RULES, all_rules, rule_named, select_rules
from labelguard.checks.rule import Rule
from labelguard.errors import UsageError
from labelguard.finding import Severity

RULES = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
FOLDER = Path(labelguard.checks.__file__).parent


def codes(*select: str, ignore: tuple[str, ...] = ()) -> set[str]:
    return {rule.code for rule in select_rules(select, ignore)}


ALL = {rule.code for rule in all_rules()}
FAMILY_1 = {code for code in ALL if code.startswith("LG1")}


def test_every_file_is_a_rule_and_no_list_names_them() -> None:
    files = {path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_")} - set(NOT_RULES)
    assert files == {rule.name.replace("-", "_") for rule in all_rules()}
    assert {"unreadable", "uint8_wraparound", "absent_class"} <= files


@RULES
def test_other_rooms_look_a_rule_up_by_its_name(rule: Rule) -> None:
    assert rule_named(rule.name) is rule


@pytest.mark.parametrize("name", ["LG101", "registry", "rule", "_symptoms", "-symptoms", "", "no-such-rule"])
def test_a_name_that_no_rule_has_is_refused(name: str) -> None:
    with pytest.raises(LookupError, match="no rule is named"):
        rule_named(name)


def test_codes_and_names_are_unique_and_in_order() -> None:
    found = [rule.code for rule in all_rules()]
    assert found == sorted(set(found))
    assert len({rule.name for rule in all_rules()}) == len(found)


def test_two_files_with_one_code_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("labelguard.checks.empty_mask").rule, "code", "LG101")
    with pytest.raises(RuntimeError, match=r"both declare LG101"):
        all_rules.__wrapped__()


@RULES
def test_a_rule_is_named_like_its_file(rule: Rule) -> None:
    assert rule.module == f"labelguard.checks.{rule.name.replace('-', '_')}"
    assert re.fullmatch(r"LG[0-6]\d\d", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)


@RULES
def test_a_rule_has_a_manual(rule: Rule) -> None:
    lines = rule.manual.splitlines()
    assert [title for title, line in pairwise(lines) if set(line) == {"-"}] == ["What it does", "Why is this bad?", "How to fix"]
    assert lines[0] == rule.summary and not lines[1]
    assert max(map(len, lines)) <= 140


@RULES
def test_a_rule_says_in_one_sentence_what_is_wrong(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z][^.]*\.", rule.summary)
    assert isinstance(rule.severity, Severity)


@RULES
def test_causes_are_rules(rule: Rule) -> None:
    assert set(rule.symptom_of) <= ALL - {rule.code}


@RULES
def test_a_rule_looks_at_something(rule: Rule) -> None:
    functions = [function for function in (rule.mask_check, rule.dataset_check, rule.splits_check) if function is not None]
    assert functions or rule.found_by != "scan" or rule.name in ("unreadable", "changed-file")  # these look at more than the facts of a set
    assert all(inspect.isgeneratorfunction(function) for function in functions)


@RULES
def test_a_rule_has_a_test_of_its_own(rule: Rule) -> None:
    assert (Path(__file__).parent / f"test_{rule.name.replace('-', '_')}.py").is_file()


def test_nothing_selected_is_everything() -> None:
    assert codes() == ALL


@pytest.mark.parametrize(("select", "expected"), [
    (["LG102"], {"LG102"}),
    (["lg102"], {"LG102"}),
    (["uint8-wraparound"], {"LG102"}),
    (["UINT8-Wraparound"], {"LG102"}),
    (["LG1"], FAMILY_1),
    (["LG"], ALL),
    (["LG102", "LG201", "LG102"], {"LG102", "LG201"}),
])
def test_codes_families_and_names_select(select: list[str], expected: set[str]) -> None:
    assert codes(*select) == expected


@pytest.mark.parametrize(("select", "ignore", "expected"), [
    ([], ["LG1"], ALL - FAMILY_1),
    ([], ["LG102"], ALL - {"LG102"}),
    ([], ["uint8-wraparound"], ALL - {"LG102"}),
    (["LG1"], ["LG102"], FAMILY_1 - {"LG102"}),
    (["LG102"], ["LG1"], {"LG102"}),
    (["uint8-wraparound"], ["LG1"], {"LG102"}),
    (["LG1", "LG102"], ["LG10"], {code for code in FAMILY_1 if code > "LG109"} | {"LG102"}),
    (["LG1"], ["LG1"], set()),
    (["LG102"], ["LG102"], set()),
    (["LG102"], ["uint8-wraparound"], set()),
    (["LG102"], ["LG201"], {"LG102"}),
    ([], ["LG"], set()),
])
def test_the_longer_code_wins(select: list[str], ignore: list[str], expected: set[str]) -> None:
    assert codes(*select, ignore=tuple(ignore)) == expected


@pytest.mark.parametrize("code", ["LG999", "LG1020", "wraparound", "", "X", "uint8"])
@pytest.mark.parametrize("ignored", [True, False])
def test_a_code_that_names_nothing_is_a_wrong_usage(code: str, ignored: bool) -> None:
    with pytest.raises(UsageError, match=f"^'{code}' names no check; 'labelguard rules' lists them.$"):
        codes(*([] if ignored else ["LG101", code]), ignore=(code,) if ignored else ())
