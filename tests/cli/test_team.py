"""What a team keeps in its repository: a labelguard.toml that makes a plain scan the gate, and a baseline."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from labelguard.cli import main
from labelguard.files import whole_file
from tests.drawn import bands, folder

TOML = """num_classes = 3
[scan]
masks = "data/masks"
exclude = ["old/"]
select = ["LG101", "LG201"]
fail_on = "warning"
[[accept]]
code = "empty-mask"
path = "night/"
reason = "nothing stands there"
"""


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path / "data" / "masks", {"a.png": bands(0, 1, 2), "night/b.png": bands(0), "old/c.png": bands(0, 7)})
    (tmp_path / "labelguard.toml").write_text(TOML)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scan(*arguments: Any) -> Result:
    return CliRunner().invoke(main, ["scan", *map(str, arguments)])


def scanned(*arguments: Any) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(scan(*arguments, "--format", "json").stdout)
    return values


def test_a_plain_scan_does_all_that_the_file_says(inside: Path) -> None:
    done = scan()
    assert done.exit_code == 0 and "No findings but 1 accepted; " in done.stdout and "LG201 empty-mask (1 file): nothing" in done.stdout
    assert "\nsettings: masks, exclude, select and fail_on of labelguard.toml\n" in done.stdout
    assert scanned()["dataset"] | {"root": "data/masks", "left_out": 1} == scanned()["dataset"]
    folder(inside / "data" / "masks", {"d.png": bands(0)})
    assert scan().exit_code == 1


def test_paths_are_relative_to_the_folder_of_the_file(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inside / "data")
    assert scanned()["dataset"]["root"] == "masks" and "of ../labelguard.toml" in scan().stdout


def test_flags_win_and_the_report_says_so(inside: Path) -> None:
    folder(inside / "data" / "masks", {"d.png": bands(0)})
    done = scan("--fail-on", "error", "--exclude", "none/", "--select", "LG201")
    assert done.exit_code == 0 and "masks of labelguard.toml; --exclude, --select and --fail-on win over labelguard.toml" in done.stdout
    assert scanned("--select", "LG201")["settings"] == {
        "file": "labelguard.toml", "values": {"masks": ["data/masks"], "exclude": ["old/"], "fail_on": "warning"},
        "given_instead": ["--select"], "set_aside": []}


def test_a_selection_that_is_given_is_not_narrowed_by_what_the_file_ignores(inside: Path) -> None:
    (inside / "labelguard.toml").write_text(TOML.replace("select =", "ignore ="))
    folder(inside / "data" / "masks", {"d.png": bands(0)})
    assert scan().exit_code == 0 and scan("--select", "LG201").exit_code == 1


def test_what_is_about_the_masks_of_the_file_is_not_said_of_others(inside: Path) -> None:
    done = scan("data/masks/night")
    told = "exclude, select and fail_on of labelguard.toml; PATHS wins over labelguard.toml; [[accept]] of labelguard.toml is about other"
    assert done.exit_code == 1 and told in " ".join(done.stdout.split())
    same = scan(inside / "data" / "masks" / ".")
    assert same.exit_code == 0 and "masks, exclude" in same.stdout and "wins" not in same.stdout
    (inside / "labelguard.toml").write_text(TOML.replace("[[accept]]", 'baseline = "no.json"\nfiles_from = "no.txt"\n[[accept]]'))
    assert "baseline and [[accept]] of labelguard.toml are about other masks" in " ".join(scan("data/masks/night").stdout.split())
    (inside / "labelguard.toml").write_text(TOML.replace('masks = "data/masks"', ""))
    assert scan("data/masks").exit_code == 0  # where the file names no masks, it is about those that are


def test_splits_and_their_images(inside: Path) -> None:
    names = {f"{i}.png": bands(0, 1, 2) for i in range(3)}
    for where in ("train/m", "train/i", "val/m"):
        folder(inside / where, names)
    (inside / "labelguard.toml").write_text('num_classes = 3\n[scan]\nmasks = {train = "train/m", val = "val/m"}\n'
                                            'images = {train = "train/i"}\nselect = "LG1,LG206,LG4"\n')
    values = scanned()
    assert list(values["splits"]) == ["train", "val"] and values["splits"]["train"]["images"]["paired"] == 3
    assert "\n[train | val]\nsettings: masks, images and select of labelguard.toml\n" in scan().stdout


@pytest.mark.parametrize(("was", "now", "words"), [
    ('["LG101"', '["LG999"', r"labelguard.toml: [scan]: select: 'LG999' names no check"), ("fail_on", "fail_onn", "Did you mean 'fail_on'"),
    ("reason", "because", "unknown key 'because'"), ('"empty-mask"', '"emty-mask"', "[[accept]] 1: 'emty-mask' is not the code"),
    ('"data/masks"', '"data/mask"', "'data/mask' does not exist"), ("[[accept]]", "[accept]", "accept"),
    ('"data/masks"', '"data/masks"\nbaseline = "b.json"', "The baseline 'b.json' does not exist"),
])
def test_what_is_wrong_in_it_is_a_sentence(inside: Path, was: str, now: str, words: str) -> None:
    (inside / "labelguard.toml").write_text(TOML.replace(was, now))
    done = scan()
    assert done.exit_code in (2, 3) and not done.stdout and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert scan("--help").exit_code == 0


def test_other_commands_are_not_confused(inside: Path) -> None:
    (inside / "labelguard.toml").write_text(TOML.replace("num_classes = 3", "").replace("[scan]", "[scan]\npreset = 'camvid'"))
    done = CliRunner().invoke(main, ["remap", "data/masks", "--shift", "1", "--dry-run"])
    assert done.exit_code == 0 and "Dry run" in done.stdout, done.output
    assert "declared: 11 classes, 11 ignored (labelguard.toml)" in scan().stdout


def test_a_baseline_over_three_commits(inside: Path) -> None:
    (inside / "labelguard.toml").write_text(TOML.replace("[scan]", '[scan]\nbaseline = "known.json"'))
    masks = folder(inside / "data" / "masks", {"stray.png": bands(0, 9)})
    first = scan("--write-baseline", "known.json")
    assert first.exit_code == 0 and "Baseline: 1 finding written to known.json, 1 new.\n" in first.stdout and scan().exit_code == 0
    folder(masks, {"new.png": bands(0, 9)})
    second = scan()
    assert second.exit_code == 1 and "1 error, 0 warnings, 0 notes; 1 accepted, 1 known." in second.stdout
    assert "\n  new.png (row" in second.stdout and "stray.png" not in second.stdout and "stray.png" in scan("--verbose").stdout
    (masks / "new.png").unlink()
    again = scan("--write-baseline", "copy.json", "--baseline", "known.json").stdout, scan("--write-baseline", "known.json").stdout
    assert "written to copy.json, none new." in again[0] and "written to known.json, none new." in again[1]
    folder(masks, {"stray.png": bands(0, 1)})
    third = scan()
    assert third.exit_code == 0 and "Gone:     LG101 (id 9) in stray.png." in third.stdout
    assert scan("--write-baseline", "known.json").exit_code == 0 and '"findings": []' in (inside / "known.json").read_text()


def test_what_is_known_is_not_told_where_only_failures_are_asked_for(inside: Path) -> None:
    folder(inside / "data" / "masks", {"stray.png": bands(0, 9)})
    assert scan("--write-baseline", "known.json").exit_code == 0
    done = scan("--baseline", "known.json", "--quiet")
    assert done.exit_code == 0 and not done.stdout


def test_a_baseline_that_cannot_be_written_is_told_before_anything_is_read(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labelguard.runs.scan.Scan.masks", lambda _: pytest.fail("masks were read"))
    (inside / "notes.json").write_text("{}")
    assert [scan("--write-baseline", name).exit_code for name in ("notes.json", "no/b.json", "b.txt")] == [2, 3, 2]
    both = scan("--write-baseline", "b.json", "--report", "b.json")
    assert both.exit_code == 2 and "'b.json' is to hold a report and the baseline" in both.stderr


def test_a_report_is_printed_though_the_baseline_was_not_written(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    done = scan("--write-baseline", "known.json")
    assert done.exit_code == 3 and "1 accepted" in done.stdout and "no space left on device" in done.stderr
    assert not (inside / "known.json").exists()


def test_a_scan_that_is_interrupted_writes_no_baseline(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("labelguard.runs.scan.Scan.masks", interrupted)
    done = scan("--write-baseline", "known.json")
    assert done.exit_code == 130 and "No baseline was written to 'known.json', since the scan is incomplete" in done.stderr
    assert "INCOMPLETE" in done.stdout and not os.path.exists("known.json")


def test_completion_does_without_the_file(inside: Path) -> None:
    (inside / "labelguard.toml").write_text("[scan")
    done = CliRunner().invoke(main, [], prog_name="labelguard", env={
        "_LABELGUARD_COMPLETE": "bash_complete", "COMP_WORDS": "labelguard scan --base", "COMP_CWORD": "2"})
    assert "plain,--baseline" in done.output
