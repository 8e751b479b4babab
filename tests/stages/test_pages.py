"""Every stage has its page, and the page names its arguments."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from labelguard import stages

PAGES = Path(__file__).resolve().parents[2] / "docs" / "stages"
SECTIONS = ["What it promises", "Arguments", "Example", "What it refuses, and how that looks", "Cost", "Pitfalls"]
every_stage = pytest.mark.parametrize("name", [name for name in stages.__all__ if name != "Stage"])


def page_of(name: str) -> str:
    return (PAGES / f"{re.sub(r'(?<!^)(?=[A-Z])', '-', name).lower()}.md").read_text(encoding="utf-8")


@every_stage
def test_a_stage_has_its_page(name: str) -> None:
    lines = page_of(name).splitlines()
    assert lines[0] == f"# {name}" and lines[2][0].isupper() and lines[2].endswith(".")
    headings = [line[3:] for line in lines if line.startswith("## ")]
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS


@every_stage
def test_the_page_names_every_argument_and_no_other(name: str) -> None:
    table = page_of(name).partition("## Arguments")[2].partition("\n## ")[0]
    named = [word for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for word in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(field.name for field in fields(getattr(stages, name)) if field.init)


def test_the_index_names_every_page() -> None:
    index = (PAGES.parent / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(stages/(.+?)\.md\)", index)) == {page.stem for page in PAGES.glob("*.md")}
