from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from labelguard.cli import main
from tests.checks.recipes import drawn_set, relabeled
from tests.drawn import bands, folder


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two splits: the second lacks a class."""
    train, val = drawn_set(3, 24, void=None), relabeled(drawn_set(3, 12, void=None, seed=1), {2: 1})
    folder(tmp_path / "train", {f"{number}.png": labels for number, labels in enumerate(train)})
    folder(tmp_path / "val", {f"{number}.png": labels for number, labels in enumerate(val)})
    folder(tmp_path / "val", {"stray.png": bands(0, 1, 9, height=96, width=160)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, ["scan", *(str(argument) for argument in arguments)])


def test_each_split_has_its_block_and_then_they_are_compared(inside: Path) -> None:
    done = run("train=train", "val=val", "--num-classes", 3)
    places = [done.stdout.index(text) for text in ("[train]", "[val]", "LG101", "stray.png", "[train | val]", "LG206")]
    assert done.exit_code == 1 and places == sorted(places) and not done.stderr
    assert "1 error, 1 warning, 0 notes." in done.stdout


def test_json_names_files_with_their_split(inside: Path) -> None:
    report = json.loads(run("train=train", "val=val", "--num-classes", 3, "--format", "json").stdout)
    assert list(report)[:6] == ["labelguard", "command", "dataset", "spec", "splits", "findings"]
    assert report["dataset"]["files"] == 37 and report["splits"]["val"]["dataset"]["files"] == 13
    stray, missing = report["findings"]
    assert (stray["code"], stray["split"], stray["path"]) == ("LG101", "val", "val/stray.png")
    assert (missing["code"], missing["split"], missing["path"]) == ("LG206", "val", None) and missing["files"][0].startswith("train/")
    assert report["summary"] == {"error": 1, "warning": 1, "note": 0} and report["exit_code"] == 1
    lines = [json.loads(line) for line in run("train=train", "val=val", "--num-classes", 3, "--format", "jsonl").stdout.splitlines()]
    assert [line["code"] for line in lines[:-1]] == ["LG101", "LG206"] and lines[-1]["summary"]["error"] == 1


def test_a_path_that_is_there_is_a_path(inside: Path) -> None:
    folder(inside / "val=val", {"a.png": bands(0, 1)})
    done = run("val=val", "--num-classes", 2)
    assert done.exit_code == 0 and done.stdout.startswith("val=val: 1 mask read")


def test_plain_paths_mean_what_they_meant(inside: Path) -> None:
    done = run("train", "val", "--num-classes", 3)
    assert done.stdout.startswith("2 paths: 37 masks read") and "LG206" not in done.stdout


@pytest.mark.parametrize(("arguments", "problem"), [
    (["train=train", "val"], "PATHS mixes a split"),
    (["train=train"], "a single split has nothing to be compared with"),
    (["train=train", "val="], "names no folder"),
    (["train=train", "val=val", "--images", "train=x", "val=y"], "'val' is given twice"),
    (["train=train", "val=val", "--images", "x"], "Name the split: --images train=x"),
    (["train=train", "val=val", "--images", "test=x"], "which is not one of the splits"),
    (["train=train", "val=val", "--boxes", "x.json"], "not with splits"),
    (["train", "--images", "x", "--images", "y"], "goes with splits only"),
])
def test_wrong_use_is_said(inside: Path, arguments: list[str], problem: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2 and problem in done.stderr and not done.stdout, done.output


def test_a_split_that_is_not_there_cannot_complete(inside: Path) -> None:
    done = run("train=train", "val=nowhere")
    assert done.exit_code == 3 and "'nowhere' does not exist" in done.stderr


def test_a_test_split_without_masks_is_said_and_no_fault(inside: Path) -> None:
    (inside / "test").mkdir()
    done = run("train=train", "test=test", "--num-classes", 3)
    assert done.exit_code == 0 and "No findings; test has no masks." in done.stdout
    assert "[test]\ntest: no masks; nothing was checked" in done.stdout
