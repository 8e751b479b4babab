"""Names that would act on a terminal or forge a line, in every place that a command prints; and JSON gives them back."""

from __future__ import annotations

import ast
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import labelguard
from labelguard import Finding, Fix, Severity
from labelguard.cli import main, progress
from labelguard.report.progress import Progress
from tests.cli.test_progress import Terminal
from tests.drawn import bands, folder

EVIL = "{[red]\x1b[32m\nnote LG000 forged\u202e\x9b2J\x7f" + os.fsdecode(b"\xff")
PACKAGE = Path(labelguard.__file__).parent

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="such names cannot be written here")


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with masks, images, classes, boxes, splits and a pipeline, all with such names."""
    bad = f"{EVIL}.png"
    folder(tmp_path / EVIL, {bad: bands(0, 7), f"-{bad}": bands(0, 9, 1), f"c/{bad}": bands(255, 0, 1, 2, 3)})
    (tmp_path / EVIL / f"broken{bad}").write_bytes(b"no image")
    (tmp_path / EVIL / f"other.{EVIL}").write_bytes(b"")
    folder(tmp_path / f"image{EVIL}", {bad: bands(0, 200, height=20), f"{EVIL}{bad}": bands(9)})
    folder(tmp_path / f"train{EVIL}", {bad: bands(0, 1, 2)})
    folder(tmp_path / f"val{EVIL}", {bad: bands(0, 1, 2), f"d{bad}": bands(5)})
    (tmp_path / "classes.json").write_text(json.dumps(["background", f"{EVIL[:-1]} class", "other"]))
    boxes = {"images": [{"id": 1, "file_name": bad, "width": 30, "height": 40}], "categories": [{"id": 1, "name": EVIL}],
             "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [-5, 0, 90, 0]}]}
    (tmp_path / f"{EVIL}.json").write_text(json.dumps(boxes))
    (tmp_path / f"{EVIL}.toml").write_text('[[stage]]\nkind = "remap"\nshift = 1\nnum_classes = 300\n')
    (tmp_path / f"wrong{EVIL}.toml").write_text('[[stage]]\nkind = "no \\n such"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


COMMANDS = [
    ["scan", EVIL, "--num-classes", "3"],
    ["scan", EVIL, "--classes", "classes.json", "--images", f"image{EVIL}"],
    ["scan", "--boxes", f"{EVIL}.json"],
    ["scan", f"train{EVIL[1:].replace('=', '')}=train{EVIL}", f"val=val{EVIL}", "--num-classes", "3"],
    ["scan", EVIL, "--format", "json"],
    ["scan", EVIL, "--format", "jsonl"],
    ["scan", f"not here {EVIL}"],
    ["scan", EVIL, "--select", EVIL],
    ["scan", EVIL, "--preset", EVIL],
    ["scan", EVIL, "--classes", f"none {EVIL}"],
    ["scan", EVIL, "--crop", EVIL],
    ["scan", EVIL, "--fail-on", EVIL],
    ["scan", EVIL, f"--{EVIL}"],
    ["scan", EVIL, "--output", f"none{EVIL}/report.txt"],
    ["remap", EVIL, "--shift", "1", "--classes", "classes.json"],
    ["remap", EVIL, "--shift", "1", "--num-classes", "300"],
    ["remap", EVIL, "--shift", "1", "--dry-run"],
    ["remap", EVIL, "--merge", f"{EVIL}:0", "--num-classes", "3"],
    ["remap", EVIL, "--map", f"{EVIL}.csv", "--num-classes", "3"],
    ["resize", EVIL, "--scale", "0.5", "--classes", "classes.json"],
    ["resize", EVIL, "--scale", "0.05"],
    ["resize", EVIL, "--scale", "1", "--keep", EVIL],
    ["run", f"{EVIL}.toml", EVIL],
    ["run", f"wrong{EVIL}.toml", EVIL],
    ["run", EVIL, EVIL],
    ["probe", EVIL, "--loss", EVIL, "--num-classes", "3"],
    ["probe", EVIL, "--loss", f"m:{EVIL}", "--loss-arg", EVIL],
    ["init", EVIL],
    ["rules", EVIL],
    [EVIL],
    [f"--{EVIL}"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: " ".join(word.partition("{")[0] + "~" * (EVIL in word) for word in words))
def test_no_line_that_is_printed_holds_what_could_act_on_a_terminal(inside: Path, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.exit_code in (0, 1, 2, 3) and isinstance(done.exception, SystemExit | None), done.exception
    lines = done.output.split("\n")
    assert len(lines) > 1 and [line for line in lines if not line.isprintable()] == []
    assert not any(line.startswith("note LG000") for line in lines)


@pytest.mark.parametrize("format_", ["json", "jsonl"])
def test_json_gives_every_name_back(inside: Path, format_: str) -> None:
    text = run("scan", EVIL, "--num-classes", "3", "--format", format_).stdout
    values = [json.loads(line) for line in text.splitlines()] if format_ == "jsonl" else json.loads(text)["findings"]
    names = (os.path.join(place, name) for place, _, names in os.walk(EVIL) for name in names)
    there = {os.path.relpath(name, EVIL) for name in names if name.endswith("png")}
    assert {finding.get("path") for finding in values} >= there and text.isascii()


def test_a_terminal_gets_our_colors_and_no_others(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    labelguard.scan(EVIL, num_classes=3).write(terminal, color=True)
    parts = terminal.getvalue().split("\x1b")
    assert len(parts) > 5 and all(part.startswith(("[0m", "[1m", "[1;3", "[32mlabelguard ")) for part in parts[1:])
    monkeypatch.setattr(progress, "_PATIENCE", -1)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setattr(sys, "stderr", bar := Terminal())
    progress.watch(iter([Progress(f"probing {name}", 1, 2, f"/{name}") for name in (EVIL, "[", "[/b9]", "{x}")]))
    shown = bar.getvalue()
    assert "{[red]\\x1b[32m\\nnote LG000" in shown and "probing [/b9]" in shown and "/{x}" in shown
    assert "\x9b" not in shown and "\nnote" not in shown and "\x1b[32m\n" not in shown


def test_notebooks_data_frames_and_python_show_names_as_text(inside: Path) -> None:
    report = labelguard.scan(EVIL, num_classes=3)
    html = report._repr_html_()
    assert html.isprintable() and "[red]\\x1b[32m" in html
    for text in (repr(report), str(report.findings[0]), str(report.findings[-1]), repr(report.findings[-1])):
        assert text.isprintable()
    with pytest.raises(labelguard.LabelguardError) as raised:
        labelguard.read(os.path.join(EVIL, f"broken{EVIL}.png"))
    assert str(raised.value).isprintable()


def finding(fix: Fix) -> Finding:
    return Finding("LG101", "out-of-range", Severity.ERROR, "Too high.", path=f"{EVIL}.png", fix=fix)


def test_a_command_is_read_by_a_shell_as_it_was_meant(inside: Path) -> None:
    report = labelguard.scan(EVIL, num_classes=3)
    printed = str(replace(report, findings=(finding(Fix.command("printf", "%s", EVIL)),)))
    command, = (line.partition("fix: ")[2] for line in printed.split("\n") if "fix: " in line)
    assert subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout == os.fsencode(EVIL)


def test_a_fix_for_a_folder_whose_name_begins_with_a_dash_runs_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path / "-masks", {f"{number}.png": bands(*range(12), height=48) - 1 for number in range(5)})
    monkeypatch.chdir(tmp_path)
    fix, = (line.partition("fix: ")[2] for line in run("scan", "--num-classes", "12", "--", "-masks").stdout.split("\n")
            if "fix: labelguard" in line)
    assert run(*shlex.split(fix)[1:]).exit_code == 0 and (tmp_path / "-masks-remapped" / "4.png").exists()


def writers(source: str) -> Iterator[str]:
    """What in a module could write to the terminal."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield "print"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            if name in ("sys.stdout", "sys.stderr", "click.echo", "click.secho", "click.style", "os.write"):
                yield name


KNOWN = {
    "cli/printing.py": {"print", "sys.stdout", "sys.stderr"},  # the one place
    "cli/commands.py": {"sys.stdout", "sys.stderr"},           # how they encode
    "cli/progress.py": {"sys.stderr"},                         # whether it is a terminal
    "cli/interruption.py": {"os.write"},                       # where nothing else can be called
    "files/output_folder.py": {"os.write"},                    # into files, never to a stream
    "__main__.py": {"sys.stderr"},                             # whether it is open
}


def test_everything_is_printed_in_one_place() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): set(writers(path.read_text(encoding="utf-8"))) for path in PACKAGE.rglob("*.py")}
    ours = {module: what for module, what in found.items() if what and not module.startswith("lossprobe/worker/")}  # its own process
    assert ours == KNOWN


@pytest.mark.parametrize("line", ["print(name)", "click.echo(name)", "sys.stdout.write(name)", "print(name, file=sys.stderr)"])
def test_a_second_place_is_found(line: str) -> None:
    assert [*writers(line)]
