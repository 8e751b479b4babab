"""Rule: what a file in checks/ declares, and what its findings take from it."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from labelguard.checks.rule import Rule
from labelguard.finding import Severity


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Rule:
    module = ModuleType("a_rule", "What is wrong.\n\n    What it does\n    ------------\n    Looks.\n")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    made = Rule("LG999", "a-rule", Severity.ERROR, "What is wrong.")

    def check(_facts: object, _spec: object) -> list[object]:
        return []
    check.__module__ = module.__name__
    assert made.on_mask(check) is check is made.mask_check
    return made


def test_its_manual_is_the_docstring_of_the_file_that_holds_its_check(rule: Rule) -> None:
    assert rule.manual.splitlines() == ["What is wrong.", "", "What it does", "------------", "Looks."]


def test_a_finding_has_its_code_and_severity_unless_it_says_otherwise(rule: Rule) -> None:
    finding = rule.finding("Something.", ids=(3,), fix="Look.")
    assert (finding.code, finding.name, finding.severity) == ("LG999", "a-rule", Severity.ERROR)
    assert (finding.ids, str(finding.fix)) == ((3,), "Look.")
    assert rule.finding("Something.", severity=Severity.NOTE).severity is Severity.NOTE


def test_what_a_rule_has_no_function_for_it_is_not_asked(rule: Rule) -> None:
    hooks = (rule.dataset_check, rule.splits_check, rule.unreadable_check, rule.resize_check, rule.remap_check, rule.refinement,
             rule.why_not)
    assert hooks == (None,) * 7
