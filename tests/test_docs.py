"""The documentation is tested like code: what it names exists, and what it shows is what happens.

A python block below ``<!-- test -->`` is executed, one below ``<!-- file NAME -->`` is written to that file. A console block below
``<!-- run -->`` begins with ``$ labelguard ...``; the command is run, and what the block shows below it must be what was printed, where
``...`` stands for anything; where lines of a probe break depends on the names of devices and versions, and is not compared. What
needs torch is skipped without it. Every python block passes ``mypy --strict``, but for those below ``<!-- fragment -->``, which are
parts of code that a page does not show. The blocks of one page run in their order in one empty folder. After a change of wording, ``python
tests/test_docs.py`` prints the blocks anew.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest
from click.testing import CliRunner

from fixtures.make import main as draw_demo
from labelguard.checks.registry import all_rules
from labelguard.checks.rule import Rule
from labelguard.cli import main

ROOT = Path(__file__).resolve().parents[1]
CHECKS = ROOT / "docs" / "checks"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
SECTIONS = ["What it does", "Why is this bad?", "Example", "How to fix", "What it leaves alone", "References"]

MARK = r"^<!-- (?P<mark>test|run|fragment|file (?P<file>\S+)) -->\n"
BLOCK = re.compile(rf"(?:{MARK})?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MYPY = """[mypy]
strict = True
disallow_subclassing_any = False
[mypy-labelguard.*]
follow_imports = silent
[mypy-torch.*,cv2.*,fixtures.*]
follow_imports = skip
ignore_missing_imports = True
"""  # the package has a run of its own (make lint); torch takes minutes, and is not installed everywhere: what it gives is Any
NEEDS_TORCH = re.compile(r"^(\$ labelguard probe|\[probe\]|import torch|from torch)|\bProbe\(", re.MULTILINE)
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def prose(page: Path) -> str:
    """A page without its blocks."""
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def spans(page: Path) -> list[str]:
    """The code in the sentences of a page."""
    return re.findall(r"`([^`\n]+)`", prose(page))


def commands(page: Path) -> Iterator[tuple[str, set[str]]]:
    """Every command that a page names, with its options; an option that stands alone goes with the command ''."""
    blocks = [block["text"] for block in BLOCK.finditer(page.read_text(encoding="utf-8")) if block["language"] != "python"]
    for line in [*spans(page), *"".join(blocks).splitlines()]:
        for name, rest in re.findall(r"\blabelguard ([a-z]+)\b(.*?)(?=\blabelguard [a-z]|$)", line):
            yield name, set(re.findall(r"(?<!\S)(--[a-z-]+)", rest))
        if line.startswith("--"):
            yield "", {line.split()[0].split("=")[0]}


def options(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts} | {"--help", "--version"}


def show(page: Path) -> Iterator[tuple[re.Match[str], str]]:
    """Run the marked blocks of a page, in the current folder; gives each console block with the text that belongs into it."""
    if page.name == "README.md":
        draw_demo(Path())
    names: dict[str, object] = {}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["mark"] and NEEDS_TORCH.search(block["text"]) and find_spec("torch") is None:
            pytest.skip("the rest of this page runs losses of torch, which is not installed")
        if block["mark"] == "test":
            exec(compile(block["text"], page.name, "exec"), names)
        elif block["file"]:
            Path(block["file"]).write_text(block["text"], encoding="utf-8")
        elif block["mark"] == "run":
            line = block["text"].splitlines()[0]
            assert line.startswith("$ labelguard "), f"{page.name}: '{line}' is not a labelguard command"
            result = CliRunner().invoke(main, shlex.split(line)[2:], catch_exceptions=False)
            assert result.exit_code in (0, 1), f"{page.name}: '{line}' ends with {result.exit_code}: {result.output}"
            yield block, f"{line}\n{result.stdout}"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_every_rule_has_its_page(rule: Rule) -> None:
    lines = (CHECKS / f"{rule.name}.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"# {rule.code} {rule.name}"
    assert lines[2] == rule.summary
    assert re.match(rf"\*\*Severity:\*\* {rule.severity.value}\b", lines[4])
    assert [line[3:] for line in lines if line.startswith("## ")] == SECTIONS


def test_no_page_without_a_rule_and_none_missing_from_the_index() -> None:
    names = {rule.name for rule in all_rules()}
    assert {page.stem for page in CHECKS.glob("*")} == names
    assert set(re.findall(r"\]\(checks/(.+?)\.md\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"))) == names


def test_the_index_says_of_each_rule_what_the_rule_says() -> None:
    lines = (ROOT / "docs" / "README.md").read_text(encoding="utf-8").splitlines()
    for rule in all_rules():
        assert f"| {rule.code} | [{rule.name}](checks/{rule.name}.md) | {rule.severity.value} | {rule.summary} |" in lines


def test_the_tests_that_reliability_names_exist() -> None:
    page = ROOT / "docs" / "reliability.md"
    named, last = 0, ""
    for file, test in re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?(?:\[[^`]*\])?`", page.read_text(encoding="utf-8")):
        last = file or last
        if file or test:
            assert not test or f"def {test}(" in (ROOT / last).read_text(encoding="utf-8"), f"{last}::{test}"
            named += 1
    assert named > 100


@every_page
def test_commands_and_options_exist(page: Path) -> None:
    known = {name: import_module(f"labelguard.cli.{name}").command for name in main.commands}
    every_option = set().union(*(options(command) for command in known.values()))
    for name, given in commands(page):
        assert not name or name in known, f"there is no command '{name}'"
        assert given <= (options(known[name]) if name else every_option), f"labelguard {name} {given}"


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if not re.match(r"https?://|#|mailto:", target):
            assert (page.parent / target.partition("#")[0]).exists(), target


@every_page
def test_code_compiles(page: Path) -> None:
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["language"] == "python":
            compile(block["text"], page.name, "exec")


@pytest.mark.parametrize("page", [
    pytest.param(page, marks=[pytest.mark.slow] * bool(NEEDS_TORCH.search(page.read_text(encoding="utf-8"))),
                 id=page.relative_to(ROOT).as_posix()) for page in PAGES])
def test_marked_blocks_show_what_happens(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")      # the pages show what is printed without a GPU
    with chdir(tmp_path):
        for block, printed in show(page):
            text = block["text"]
            if text.startswith("$ labelguard probe"):
                text, printed = " ".join(text.split()), " ".join(printed.split())
            shown = ".*".join(re.escape(part) for part in text.split("..."))
            assert re.fullmatch(shown, printed, re.DOTALL), f"{page.name} shows\n{block['text']}\nbut printed is\n{printed}"


@pytest.mark.slow
def test_python_passes_mypy_strict(tmp_path: Path) -> None:
    """One run over a module for each page, its blocks in their order, and one for each file that a page writes."""
    for page in PAGES:
        name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
        blocks = [block for block in BLOCK.finditer(page.read_text(encoding="utf-8")) if block["language"] == "python"]
        modules = {f"{name}__{block['file']}": block["text"] for block in blocks if block["file"]}
        modules[f"{name}.py"] = "\n".join(block["text"] for block in blocks if not block["file"] and block["mark"] != "fragment")
        for file, text in modules.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(MYPY, encoding="utf-8")
    run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", ROOT / ".mypy_cache" / "docs", "."],
                         cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_mark_stands_alone() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(MARK, text, re.MULTILINE)) == sum(bool(b["mark"]) for b in BLOCK.finditer(text)), page


def test_contributing_names_what_exists() -> None:
    paths = [span for span in spans(ROOT / "CONTRIBUTING.md") if re.fullmatch(r"[\w.-]+(/[\w.-]*)+|[\w-]+\.(py|md|cfg|toml)", span)]
    missing = [path for path in paths if "__pycache__" not in path and not (ROOT / path).exists()]
    assert paths and not missing


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder, chdir(folder):
            shown = [(block, printed) for block, printed in show(page) if "..." not in block["text"]]
        for block, printed in reversed(shown):
            text = text[:block.start("text")] + printed + text[block.end("text"):]
        page.write_text(text, encoding="utf-8")
