from __future__ import annotations

import pytest
from click.testing import CliRunner

from labelguard.checks.registry import all_rules
from labelguard.cli import main

TITLES = ["What it does", "Why is this bad?", "How to fix"]


def test_lists_every_rule() -> None:
    lines = CliRunner().invoke(main, ["rules"]).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [[rule.code, rule.name] for rule in all_rules()]


@pytest.mark.parametrize("name", ["LG102", "lg102", "uint8-wraparound"])
def test_explains_one_rule(name: str) -> None:
    lines = CliRunner().invoke(main, ["rules", name]).stdout.splitlines()
    assert lines[:3] == ["LG102 uint8-wraparound (error)", "", "Ids went below zero and wrapped to the top of the unsigned type."]
    assert [line for line in lines if line in TITLES] == TITLES and "------------" not in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(("columns", "widest"), [("60", 60), ("200", 100)])
def test_a_manual_is_wrapped_to_the_terminal_but_not_wider_than_it_reads_well(columns: str, widest: int) -> None:
    lines = CliRunner(env={"COLUMNS": columns}).invoke(main, ["rules", "LG102"]).stdout.splitlines()
    assert widest - 12 < max(map(len, lines)) <= widest


def test_an_unknown_rule_is_wrong_usage() -> None:
    done = CliRunner().invoke(main, ["rules", "LG999"])
    assert done.exit_code == 2 and "'labelguard rules' lists the checks" in done.stderr


@pytest.mark.parametrize(("code", "command"), [
    ("LG302", "labelguard scan --images"), ("LG206", "labelguard scan NAME=DIR NAME=DIR"), ("LG504", "labelguard probe"),
])
def test_says_which_command_finds_what_a_plain_scan_does_not(code: str, command: str) -> None:
    assert CliRunner().invoke(main, ["rules", code]).stdout.endswith(f"Found by: {command}\n")


def test_what_a_plain_scan_finds_is_said_without_a_command() -> None:
    assert "Found by" not in CliRunner().invoke(main, ["rules", "LG101"]).stdout


@pytest.mark.parametrize("words", [["load_truncated_images"], ["LOAD_TRUNCATED_IMAGES", "rows"]])
def test_words_are_looked_for_in_the_manual(words: list[str]) -> None:
    lines = CliRunner().invoke(main, ["rules", *words]).stdout.splitlines()
    assert any("LG001" in line for line in lines) and not any("LG102" in line for line in lines)


def test_several_words_may_be_the_name_of_a_check() -> None:
    assert CliRunner().invoke(main, ["rules", "uint8", "wraparound"]).stdout.startswith("LG102 uint8-wraparound")


def test_words_of_no_page_are_wrong_usage_and_what_is_nearly_a_name_is_asked_for() -> None:
    done = CliRunner().invoke(main, ["rules", "uint8-wraparoud"])
    assert done.exit_code == 2 and "Did you mean 'uint8-wraparound'?" in done.stderr
    assert "Did you mean" not in CliRunner().invoke(main, ["rules", "qwertz"]).stderr
