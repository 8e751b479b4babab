"""However much is found, the text report is a page that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

import labelguard
from labelguard import Finding, Fix, ScanReport
from labelguard.checks.registry import all_rules
from labelguard.checks.rule import Rule
from labelguard.report.limits import NORMAL
from tests.drawn import bands, folder

MANY = 20_000
RULES = sorted(all_rules(), key=lambda rule: (-rule.severity.rank, rule.code))


def cut_to(shown: int, total: int) -> str:
    return f"{shown:,} of {total:,} findings shown, the worst of each check; --verbose, or --format json, has everything."


def found(number: int, path: str | None = None, rule: Rule = RULES[0], files: Iterable[str] = ()) -> Finding:
    return Finding(rule.code, rule.name, rule.severity, f"Something is wrong with {number}.", path=path, pixels=number, files=files,  # type: ignore[arg-type]
                   evidence=(f"{number} was seen", "it was looked at"), fix=Fix.command("labelguard", "remap", f"{number}.png"))


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> ScanReport:
    return labelguard.scan(folder(tmp_path_factory.mktemp("page"), {"a.png": bands(0, 1)}), num_classes=2)


PAGES = {
    "one file": [found(number, "a.png") for number in range(MANY)],
    "as many files": [found(number, f"{number}.png") for number in range(MANY)],
    "every rule": [found(number, f"{number}.png", rule) for rule in RULES for number in range(MANY // len(RULES))],
    "the set": [found(number, files=[f"{file}.png" for file in range(number % 9)]) for number in range(MANY)],
    "evidence": [replace(found(1), evidence=tuple(f"line {number}" for number in range(MANY)))],
    "a long text": [replace(found(1), message="word " * 100_000)],
}


@pytest.mark.parametrize("findings", PAGES.values(), ids=PAGES)
def test_it_is_a_page_however_much_was_found(clean: ScanReport, findings: list[Finding]) -> None:
    report = replace(clean, findings=tuple(findings))
    lines = str(report).splitlines()
    assert len(lines) < 2 * NORMAL.lines and max(map(len, lines)) < 120
    assert len(report.to_dict()["findings"]) == len(findings) and len(report._repr_html_()) < 50_000


def lines_of(clean: ScanReport, findings: Iterable[Finding]) -> list[str]:
    return str(replace(clean, findings=tuple(findings))).splitlines()


def test_a_file_stands_there_once_with_its_worst_finding(clean: ScanReport) -> None:
    lines = lines_of(clean, [*(found(number, "a.png") for number in range(9)), found(4, "b.png")])
    assert f"error {RULES[0].code} {RULES[0].name} (10 findings, 2 files)" in lines and cut_to(2, 10) in lines
    assert "  a.png, and 8 more findings in this file" in lines and "    Something is wrong with 8." in lines and "  b.png" in lines


@pytest.mark.parametrize(("number", "cut"), [(NORMAL.files, False), (NORMAL.files + 1, True)])
def test_it_is_said_where_everything_is_as_soon_as_something_is_missing(clean: ScanReport, number: int, cut: bool) -> None:
    in_files = lines_of(clean, (found(file, f"{file}.png") for file in range(number)))
    of_set = lines_of(clean, (found(file) for file in range(number)))
    said = cut_to(number - 1, number)
    assert (said in in_files, "    and 1 more file" in in_files) == (cut, cut)
    assert (said in of_set, "  and 1 more finding about the whole set" in of_set) == (cut, cut)


def test_codes_that_come_late_get_a_line_each(clean: ScanReport) -> None:
    lines = lines_of(clean, PAGES["every rule"])
    files = MANY // len(RULES)
    assert f"{RULES[0].severity.value} {RULES[0].code} {RULES[0].name} ({files} files)" in lines
    cut = next(place for place, line in enumerate(lines) if " findings shown, " in line)
    assert lines[cut - 2] == f"{RULES[-1].severity.value} {RULES[-1].code} {RULES[-1].name} ({files} files)"


def test_the_page_of_a_rewrite_names_no_option_that_it_lacks(tmp_path: Path) -> None:
    masks = folder(tmp_path / "masks", {f"{number}.png": bands(0, 9) for number in range(8)})
    report = labelguard.remap(masks, shift=1, num_classes=3)
    assert "and 3 more files" in str(report) and "--format" not in str(report)


def test_the_placeholder_of_a_command_is_explained(clean: ScanReport) -> None:
    fix = Fix.command("labelguard", "remap", "SRC", "--shift", "-1")
    lines = lines_of(clean, [replace(found(1), fix=fix)])
    assert lines[lines.index("  fix: labelguard remap SRC --shift -1") + 1] == "  (SRC stands for the folder that holds these files.)"
    assert not any("SRC" in line for line in lines_of(clean, [found(1)]))
