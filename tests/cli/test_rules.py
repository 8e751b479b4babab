from __future__ import annotations

import pytest
from click.testing import CliRunner

from labelguard.checks.registry import all_rules
from labelguard.cli import main


def test_lists_every_rule() -> None:
    lines = CliRunner().invoke(main, ["rules"]).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [[rule.code, rule.name] for rule in all_rules()]


@pytest.mark.parametrize("name", ["LG102", "lg102", "uint8-wraparound"])
def test_explains_one_rule(name: str) -> None:
    text = CliRunner().invoke(main, ["rules", name]).stdout
    assert text.startswith("LG102 uint8-wraparound (error)") and all(part in text for part in ("Looks for:", "Hurts because:", "Mend it:"))


def test_an_unknown_rule_is_wrong_usage() -> None:
    done = CliRunner().invoke(main, ["rules", "LG999"])
    assert done.exit_code == 2 and "'labelguard rules' lists them" in done.stderr


@pytest.mark.parametrize(("code", "command"), [
    ("LG302", "labelguard scan --images"), ("LG206", "labelguard scan NAME=DIR NAME=DIR"), ("LG504", "labelguard probe"),
])
def test_says_which_command_finds_what_a_plain_scan_does_not(code: str, command: str) -> None:
    assert CliRunner().invoke(main, ["rules", code]).stdout.endswith(f"Found by: {command}\n")


def test_what_a_plain_scan_finds_is_said_without_a_command() -> None:
    assert "Found by" not in CliRunner().invoke(main, ["rules", "LG101"]).stdout
