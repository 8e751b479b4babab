"""The commands that write masks: remap, resize and run."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pytest
from click.testing import CliRunner, Result

import labelguard
from labelguard import IncompleteError
from labelguard.cli import main, printing
from labelguard.cli.run import command as run_command
from labelguard.files import output_folder
from labelguard.stages.pipeline_file import pipelines
from tests.drawn import bands, folder


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory whose masks are those of the story: 0 is unlabeled, every class is one too high."""
    folder(tmp_path / "masks", {f"{number}.png": bands(*range(13), height=52) for number in range(21)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_line_of_the_story_works_as_it_stands(inside: Path) -> None:
    done = run("remap", "--shift", -1, "--merge", "0:last")
    assert done.exit_code == 0, done.output
    assert "inferred: So the result has 12 classes; the last is 11." in done.stdout and "every id accounted for" in done.stdout
    out = labelguard.read(inside / "masks-remapped" / "3.png").labels
    expected = bands(*range(13), height=52).astype(np.int64) - 1
    expected[expected == -1] = 11
    assert np.array_equal(out, expected)
    again = run("remap", "masks-remapped", "--shift", -1, "--merge", "0:last")
    assert again.exit_code == 2 and "--again" in again.stderr and not again.stdout


def test_a_dry_run_prints_the_table_and_writes_nothing(inside: Path) -> None:
    done = run("remap", "--shift", -1, "--merge", "0:last", "--dry-run")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
    assert done.exit_code == 0 and rows[0] == ["id", "pixels", "share", "becomes"] and rows[1] == ["0", "2,520", "7.7", "%", "11"]
    assert sorted(path.name for path in inside.iterdir()) == ["masks"]


def test_a_dry_run_says_what_would_be_refused(inside: Path) -> None:
    done = run("remap", "--shift", -1, "--num-classes", 12, "--dry-run")
    assert done.exit_code == 1 and "Id 0 would be refused" in done.stdout


@pytest.mark.parametrize(("options", "code", "words"), [
    ([], 2, "Say what is to be moved"),
    (["--shift", -1], 2, "0 - 1 is below 0"),
    (["--merge", "0"], 2, "'0' is not a merge"),
    (["--merge", "0:99", "--num-classes", 13], 2, "The target 99 is not a class (classes are 0-12)"),
    (["--shift", 1, "--num-classes", 13], 1, "Nothing was written."),
    (["--merge", "0:1", "--out", "masks/x"], 2, "lies in the source"),
    (["--merge", "0:last", "--map", "t.csv", "--num-classes", 13], 2, "leave out shift and merge"),
    (["--merge", "0:ignore"], 2, "none is declared"),
])
def test_what_makes_no_sense_is_said(inside: Path, options: list[Any], code: int, words: str) -> None:
    done = run("remap", *options)
    assert done.exit_code == code and words in done.output and "Traceback" not in done.output


def test_a_map_file_moves_ids(inside: Path) -> None:
    (inside / "table.csv").write_text("from,to\n" + "".join(f"{label},{label // 2}\n" for label in range(13)))
    done = run("remap", "--map", "table.csv", "--num-classes", 7)
    assert done.exit_code == 0, done.output
    assert np.array_equal(labelguard.read(inside / "masks-remapped" / "0.png").labels, bands(*range(13), height=52) // 2)


def test_class_names_can_be_merged(inside: Path) -> None:
    (inside / "labelguard.toml").write_text(f"names = {[f'class {number}' for number in range(12)]}\n")
    done = run("remap", "--shift", -1, "--merge", "0:class 3", "--merge", "class 5:class 4")
    assert done.exit_code == 0, done.output
    assert labelguard.read(inside / "masks-remapped" / "0.png").labels[[0, 24], 0].tolist() == [3, 4]


def test_resize_prints_shares_and_names_what_vanished(inside: Path) -> None:
    labels = bands(0, height=52)
    labels[:, 5] = 3
    folder(inside / "thin", {"a.png": labels})
    done = run("resize", "thin", "--height", 13, "--width", 10)
    assert done.exit_code == 0 and "LG306 vanished-class" in done.stdout and "--keep 3:0.25" in done.stdout
    kept = run("resize", "thin", "--scale", 0.25, "--keep", "3:0.25", "--out", "kept")
    assert kept.exit_code == 0 and "LG306" not in kept.stdout and labelguard.read(inside / "kept" / "a.png").labels.shape == (13, 8)


@pytest.mark.parametrize(("options", "words"), [
    (["--height", 3], "width is missing"), ([], "height is missing"),
    (["--scale", 0], "scale is 0"), (["--scale", 2, "--height", 3], "not both"),
    (["--scale", 1, "--keep", "3"], "'3' does not say what to keep"), (["--scale", 1, "--keep", "3:7"], "keep has 3: 7"),
])
def test_resize_refuses_what_makes_no_sense(inside: Path, options: list[Any], words: str) -> None:
    done = run("resize", *options)
    assert done.exit_code == 2 and words in done.stderr


def test_resize_refuses_ids_that_shrinking_would_hide(inside: Path) -> None:
    done = run("resize", "--scale", 0.5, "--num-classes", 12)
    assert done.exit_code == 1 and "LG101" in done.stdout and "Nothing was written." in done.stdout


def test_the_fix_that_scan_prints_restores_the_labels(inside: Path) -> None:
    folder(inside / "wrapped", {f"{number}.png": bands(*range(12), height=48) - np.uint8(1) for number in range(5)})
    scanned = run("scan", "wrapped", "--num-classes", 12)
    (fix,) = (line.split("fix: ")[1] for line in scanned.stdout.splitlines() if "fix: labelguard" in line)
    assert run(*fix.split()[1:]).exit_code == 0
    assert run("scan", "wrapped-remapped", "--num-classes", 12).exit_code == 0
    assert np.array_equal(labelguard.read(inside / "wrapped-remapped" / "0.png").labels, bands(*range(12), height=48))


def test_a_pipeline_runs_from_a_file_and_by_name(inside: Path) -> None:
    (inside / "clean.toml").write_text('[[stage]]\nkind = "remap"\nshift = -1\nnum_classes = 12\nmerge = {"0" = "last"}\n')
    assert run("run", "clean.toml", "masks").exit_code == 0 and (inside / "masks-clean" / "0.png").exists()
    folder(inside / "binary", {"a.png": bands(0, 255)})
    assert run("run", "binary-255", "binary").exit_code == 0
    assert np.unique(labelguard.read(inside / "binary-binary-255" / "a.png").labels).tolist() == [0, 1]
    unknown = run("run", "no-such-pipeline")
    assert unknown.exit_code == 2 and "binary-255" in unknown.stderr


def test_the_repair_of_the_story_is_a_pipeline(inside: Path) -> None:
    done = run("run", "dataset-a-repair", "masks")
    assert done.exit_code == 0 and labelguard.read(inside / "masks-dataset-a-repair" / "0.png").labels[[0, 4], 0].tolist() == [11, 0]


def test_the_help_of_run_names_the_ready_made_pipelines() -> None:
    words = " ".join((run_command.help or "").split())
    assert ", ".join(pipelines()) in words


# What is said where the work, or its report, is broken off


def test_a_report_that_cannot_be_printed_is_replaced_by_what_was_written_where(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "_standard_output", nowhere)
    done = run("remap", "masks", "--shift", 1, "--num-classes", 14)
    assert done.exit_code == 3 and (inside / "masks-remapped" / "labelguard-receipt.json").exists()
    assert done.stderr == ("labelguard: Nothing can be printed. 21 files and the receipt, labelguard-receipt.json, were written to "
                           "'masks-remapped'.\n")
    assert "Nothing was written." in run("remap", "masks", "--shift", 1, "--num-classes", 14, "--dry-run").stderr
    done = run("init", "masks")
    assert done.exit_code == 3 and done.stderr.endswith("Nothing can be printed. labelguard.toml was written.\n")
    assert (inside / "labelguard.toml").exists()


@contextmanager
def nowhere() -> Iterator[TextIO]:
    raise IncompleteError("Nothing can be printed.")
    yield


@pytest.mark.parametrize(("error", "first"), [(errno.ENOSPC, "Make room first; then the same"),
                                              (errno.EIO, "Once that is mended, the same")])
def test_a_full_disk_is_not_called_an_interruption(inside: Path, monkeypatch: pytest.MonkeyPatch, error: int, first: str) -> None:
    whole, number = output_folder.write_all, [0]

    def write(descriptor: int, data: bytes) -> None:
        number[0] += data.startswith(b"\x89PNG")
        if number[0] > 5:
            raise OSError(error, os.strerror(error))
        whole(descriptor, data)

    monkeypatch.setattr(output_folder, "write_all", write)
    done = run("remap", "masks", "--shift", 1, "--num-classes", 14, "--jobs", 1)
    ending = next(line for line in done.stdout.splitlines() if line.startswith("INCOMPLETE"))
    assert done.exit_code == 3 and "INCOMPLETE: stopped after" in ending and "interrupted" not in done.output
    assert os.strerror(error).lower() in ending and ending.endswith(f"{first} command with --resume continues.")


@pytest.mark.parametrize("present", [2, 3, 5])
def test_an_interrupted_run_does_not_contradict_itself(inside: Path, present: int) -> None:
    whole = labelguard.remap("masks", shift=1, num_classes=14)
    ending = str(replace(whole, complete=False, done=2, written=whole.written[:2], present=present)).splitlines()[-1]
    more = {2: "", 3: "1 of them was still to be looked at when the work ended, and is checked, or done again, with --resume. ",
            5: "3 of them were still to be looked at when the work ended, and are checked, or done again, with --resume. "}[present]
    assert ending == (f"INCOMPLETE: interrupted after 2 of 21 files. {present} whole files lie in masks-remapped. {more}"
                      "The same command with --resume continues.")


def test_a_table_that_is_not_there_is_told_first(inside: Path) -> None:
    done = run("remap", "masks", "--map", "nofile.csv")
    assert done.exit_code == 2 and "nofile.csv" in done.stderr and "--num-classes" not in done.stderr
