"""Standard output and standard error that are full, closed or not read to their end."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

import labelguard
from labelguard.cli import main, printing
from labelguard.cli.unforeseen import report_unforeseen
from tests.drawn import bands, folder

COMMANDS = [["scan", "masks", "--num-classes", "3"], ["scan", "masks", "--num-classes", "3", "--format", "json"],
            ["scan", "masks", "--num-classes", "3", "--format", "jsonl"], ["remap", "masks", "--shift", "1"], ["init", "masks"],
            ["resize", "masks", "--scale", "0.5"], ["run", "shift.toml", "masks"], ["rules"], ["rules", "LG1"], ["rules", "LG101"],
            ["--help"], ["scan", "--help"], ["--version"]]


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path / "masks", {f"{number}.png": bands(0, 1, 2) for number in range(5)})
    (tmp_path / "shift.toml").write_text('[[stage]]\nkind = "remap"\nshift = 1\nnum_classes = 4\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Stream(io.StringIO):
    """A stream that fails as a system call does."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def flush(self) -> None:
        raise self.error

    def fileno(self) -> int:
        raise io.UnsupportedOperation  # or the test's own stream would be muted


def full() -> Stream:
    return Stream(OSError(28, "No space left on device"))


def code_of(arguments: list[str], stdout: TextIO | None, monkeypatch: pytest.MonkeyPatch) -> int:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stdout)
        return main.main(arguments, prog_name="labelguard", standalone_mode=False) or 0


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_what_cannot_be_printed_is_a_sentence_and_code_3(arguments: list[str], monkeypatch: pytest.MonkeyPatch,
                                                         capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(arguments, full(), monkeypatch) == 3
    told = capsys.readouterr().err
    assert told.startswith("labelguard: Standard output cannot be written to: no space left on device.") and told.count("\n") == 1
    assert told.endswith("written.\n" if arguments[0] == "init" else "'.\n" if arguments[0] in ("remap", "resize", "run") else "device.\n")


@pytest.mark.parametrize("arguments", [COMMANDS[0], ["rules"], ["--help"]], ids=" ".join)
def test_a_closed_output_is_a_sentence_and_code_3(arguments: list[str], monkeypatch: pytest.MonkeyPatch,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(arguments, None, monkeypatch) == 3
    assert capsys.readouterr().err == "labelguard: Nothing can be printed: standard output is closed.\n"


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_who_stops_reading_changes_no_exit_code(arguments: list[str], monkeypatch: pytest.MonkeyPatch,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(arguments, Stream(BrokenPipeError()), monkeypatch) == 0 and capsys.readouterr().err == ""


def test_findings_are_told_by_the_exit_code_also_where_nobody_reads_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert code_of(["scan", "masks", "--num-classes", "2"], Stream(BrokenPipeError()), monkeypatch) == 1


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    stream = Terminal()
    with monkeypatch.context() as patched:
        for name in ("NO_COLOR", "TERM", "COLUMNS"):
            patched.delenv(name, raising=False)
        for name, value in variables.items():
            patched.setenv(name, value)
        code_of(["scan", "masks", "--num-classes", "2"], stream, patched)
    return stream.getvalue()


def test_colors_are_left_out_where_they_are_not_wanted_or_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all("\x1b" in on_a_terminal(monkeypatch, **known) for known in ({}, {"TERM": "xterm"}, {"NO_COLOR": ""}))
    assert not any("\x1b" in on_a_terminal(monkeypatch, **known) for known in ({"TERM": "dumb"}, {"NO_COLOR": "1"}))


@pytest.mark.parametrize(("columns", "width"), [("20", 40), ("41", 41), ("109", 109), ("300", 110)])
def test_text_is_as_wide_as_the_terminal_within_limits(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert printing.columns(Terminal()) == width and printing.columns(io.StringIO()) == 110
    narrow = [line for line in on_a_terminal(monkeypatch, COLUMNS="50", NO_COLOR="1").splitlines() if "fix:" not in line]
    assert max(map(len, narrow[4:])) <= 50 and len(narrow) > len(str(labelguard.scan("masks", num_classes=2)).splitlines()) - 1


def test_standard_error_may_be_full_or_closed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for stream in (full(), None):
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", stream)
            assert main.main(["scan", "nowhere"], standalone_mode=False) == 3
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_no_file_that_is_opened_becomes_a_closed_standard_stream() -> None:
    program = f"{sys.executable} -m labelguard scan nowhere <&- >&- 2>&-; exec echo $?"
    assert subprocess.run(["bash", "-c", program], capture_output=True, text=True).stdout == "3\n"


# What nobody foresaw


def deep(level: int = 0) -> None:
    deep(level + 1)


@pytest.mark.parametrize("problem", [RecursionError, ZeroDivisionError, MemoryError])
def test_what_nobody_foresaw_is_told_with_what_to_report(problem: type[Exception], monkeypatch: pytest.MonkeyPatch,
                                                         capsys: pytest.CaptureFixture[str]) -> None:
    def raising(*_: object, **__: object) -> None:
        if problem is RecursionError:
            deep()
        raise problem("of \x1b[32m\nsome kind")

    monkeypatch.setattr("labelguard.runs.plan.find_masks", raising)
    with pytest.raises(problem) as raised:
        main.main(["scan", "masks"], standalone_mode=False)
    assert report_unforeseen(raised.value) == 3
    told = capsys.readouterr().err
    assert "No source was changed" in told and "Traceback" not in told and all(line.isprintable() for line in told.splitlines())
    wanted = ["--max-memory"] if problem is MemoryError else [problem.__name__, "Python 3", "test_streams.py"]
    assert all(words in told for words in wanted)
    monkeypatch.setenv("LABELGUARD_DEBUG", "1")
    report_unforeseen(raised.value)
    assert "Traceback" in capsys.readouterr().err


def test_the_way_in_never_lets_a_traceback_out(inside: Path) -> None:
    program = ("import sys, labelguard.runs.plan as plan\ndef deep(*_, **__): deep()\nplan.find_masks = deep\n"
               "sys.argv[1:] = ['scan', 'masks']\nfrom labelguard.__main__ import main\nsys.exit(main())")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 3 and "RecursionError" in done.stderr and "Traceback" not in done.stderr and not done.stdout
    assert len(done.stderr.splitlines()) < 12
