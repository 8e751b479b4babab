from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from labelguard.cli import main
from tests.drawn import bands, folder


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a folder of masks: one good, one with an id too many, one that is not an image."""
    folder(tmp_path / "masks", {"good.png": bands(0, 1, 2), "stray.png": bands(0, 1, 9)})
    (tmp_path / "masks" / "broken.png").write_bytes(b"no image")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_scans_masks_in_the_working_directory_by_default(inside: Path) -> None:
    done = run("scan", "--num-classes", 3)
    assert done.exit_code == 1 and "LG101 out-of-range" in done.stdout and "declared: 3 classes" in done.stdout and not done.stderr


@pytest.mark.parametrize(("options", "code"), [
    (["--num-classes", 3], 1),
    (["--num-classes", 3, "--fail-on", "never"], 0),
    (["--num-classes", 10, "--ignore", "LG001"], 0),
    (["--num-classes", 10, "--ignore", "LG001", "--fail-on", "warning"], 0),
    (["--num-classes", 3, "--select", "LG2,LG7"], 2),
    (["--num-classes", 0], 2),
    (["--batch-size", 0], 2),
    (["--crop", "64"], 2),
    (["--crop", "0x64"], 2),
    (["--crop", "64x-1"], 2),
    (["--num-classes", 10, "--ignore", "LG001", "--batch-size", 2, "--crop", "8X16"], 0),
    (["--select", "LG999"], 2),
    (["--preset", "nope"], 2),
    (["--format", "yaml"], 2),
    (["nowhere"], 3),
    (["--output", "no/such/folder/report.txt"], 3),
])
def test_exit_codes(inside: Path, options: list[Any], code: int) -> None:
    done = run("scan", *options)
    assert done.exit_code == code, done.output
    assert code < 2 or (done.stderr and "Traceback" not in done.stderr and not done.stdout)


def test_a_folder_without_masks_cannot_complete(inside: Path) -> None:
    (inside / "empty").mkdir()
    done = run("scan", "empty")
    assert done.exit_code == 3 and done.stderr == "labelguard: No masks found in 'empty'.\n"


def test_a_clean_folder_is_clean(inside: Path) -> None:
    (inside / "masks" / "broken.png").unlink()
    (inside / "masks" / "stray.png").unlink()
    done = run("scan", "--num-classes", 3)
    assert done.exit_code == 0 and "Clean: no findings." in done.stdout


def test_json_is_the_contract(inside: Path) -> None:
    done = run("scan", "masks", "--num-classes", 3, "--ignore-index", 255, "--format", "json")
    report = json.loads(done.stdout)
    assert list(report)[:5] == ["labelguard", "command", "dataset", "spec", "findings"]
    assert report["command"] == "scan" and report["complete"] is True and report["exit_code"] == done.exit_code == 1
    dataset = report["dataset"]
    assert {key: dataset[key] for key in ("files", "read", "unreadable", "skipped", "pixels")} == {
        "files": 3, "read": 2, "unreadable": 1, "skipped": 0, "pixels": 2400}
    assert dataset["ids"] == {"0": 840, "1": 840, "2": 360, "9": 360}
    assert report["spec"] == {"num_classes": 3, "ignore_index": [255], "source": "declared"}
    stray = next(finding for finding in report["findings"] if finding["code"] == "LG101")
    assert {key: stray[key] for key in ("name", "severity", "path", "ids", "pixels", "first", "box")} == {
        "name": "out-of-range", "severity": "error", "path": "stray.png", "ids": [9], "pixels": 360, "first": [28, 0],
        "box": [28, 0, 40, 30]}
    assert report["summary"] == {"error": 2, "warning": 0, "note": 0}


def test_json_says_what_was_inferred_and_skipped(inside: Path) -> None:
    report = json.loads(run("scan", "--format", "json").stdout)
    assert report["spec"]["source"] == "inferred" and report["spec"]["num_classes"] == 10
    assert {"code": "LG101", "why": "no class count declared"} in report["skipped_checks"]


def test_a_finding_about_the_set_lists_its_files(inside: Path) -> None:
    folder(inside / "wrapped", {f"{i}.png": bands(255, *range(11), height=48) for i in range(3)})
    (finding,) = json.loads(run("scan", "wrapped", "--num-classes", 12, "--format", "json").stdout)["findings"]
    assert finding["code"] == "LG102" and finding["path"] is None and finding["files"] == ["0.png", "1.png", "2.png"]


def test_json_says_what_batches_and_crops_will_hold(inside: Path) -> None:
    options = ("--num-classes", 3, "--ignore-index", 9, "--batch-size", 1, "--format", "json")
    report = json.loads(run("scan", "masks", *options, "--crop", "10x30").stdout)
    batches, crops = report["batches"], report["crops"]
    assert {key: batches[key] for key in ("batch_size", "masks", "size", "full", "last")} == {
        "batch_size": 1, "masks": 2, "size": 1, "full": 2, "last": 0}
    blind = 3 / 31 / 2  # the lowest of 40 rows hold 9 in one of two masks: 12 of them, and 3 of 31 positions fit in
    assert batches["without_valid"] == pytest.approx({
        "share": blind, "share_of_last": 0, "per_epoch": 2 * blind, "per_100_epochs": 200 * blind})
    assert [(entry["id"], entry["files"]) for entry in batches["without_class"]] == [(0, 2), (1, 2), (2, 1)]
    assert crops["size"] == [10, 30] and crops["smaller"] == 0 and crops["without_valid"] == pytest.approx(blind)
    assert [entry["path"] for entry in crops["files"]] == ["good.png", "stray.png"]
    report = json.loads(run("scan", "masks", *options[:4], "--format", "json").stdout)
    assert report["batches"] is None and report["crops"] is None


def test_text_says_what_batches_and_crops_will_hold(inside: Path) -> None:
    lines = run("scan", "--num-classes", 3, "--ignore-index", 9, "--batch-size", 8, "--crop", "41x3").stdout.splitlines()
    assert "batches:  an epoch has 1 batch of 2 masks; 0 % hold no valid pixel, 0 % no foreground" in lines
    assert "crops:    41 x 3 at random; 0 % hold no valid pixel, 0 % no foreground; 2 masks are smaller" in lines
    plain = run("scan", "--num-classes", 3, "--ignore-index", 9).stdout
    assert "batches:" not in plain and "crops:" not in plain and "LG20" not in plain


def test_batches_need_masks(inside: Path) -> None:
    (inside / "boxes.json").write_text('{"images": [], "annotations": []}')
    (inside / "masks").rename(inside / "elsewhere")
    done = run("scan", "--boxes", "boxes.json", "--crop", "64x64")
    assert done.exit_code == 2 and "crops cannot be checked without masks" in done.stderr


def test_jsonl_has_a_finding_a_line_and_a_summary(inside: Path) -> None:
    lines = [json.loads(line) for line in run("scan", "--num-classes", 3, "--format", "jsonl").stdout.splitlines()]
    assert [line["code"] for line in lines[:-1]] == ["LG001", "LG101"] and lines[-1]["summary"]["error"] == 2


def test_the_report_can_go_to_a_file(inside: Path) -> None:
    done = run("scan", "--num-classes", 3, "--format", "json", "--output", "report.json")
    assert done.exit_code == 1 and not done.stdout and json.loads((inside / "report.json").read_text())["summary"]["error"] == 2


def test_a_labelguard_toml_declares_and_flags_win(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (inside / "labelguard.toml").write_text('names = ["a", "b", "c"]\nignore_index = 9\n')
    monkeypatch.chdir(inside / "masks")
    assert run("scan", ".", "--ignore", "LG001").exit_code == 0
    assert "labelguard.toml, --ignore-index" in " ".join(run("scan", ".", "--ignore-index", 8).stdout.split())


def test_a_wrong_labelguard_toml_is_named(inside: Path) -> None:
    (inside / "labelguard.toml").write_text("num_clases = 3")
    done = run("scan")
    assert done.exit_code == 2 and "unknown key 'num_clases'" in done.stderr


def test_class_names_give_the_count(inside: Path) -> None:
    (inside / "classes.txt").write_text("background\nroad\ncar\n")
    assert "declared: 3 classes" in run("scan", "--classes", "classes.txt").stdout


def test_colors_only_on_a_terminal(inside: Path) -> None:
    assert "\x1b[" not in run("scan", "--num-classes", 3).stdout


@pytest.mark.slow
def test_a_file_name_that_is_no_text_ends_nothing(inside: Path) -> None:
    broken = os.fsencode(inside / "masks") + b"/\xff\xfe.png"
    with open(broken, "wb") as file:
        file.write(b"no image")
    program = ("from labelguard.cli import main\nfor name in ('text', 'json', 'jsonl'):\n"
               "    assert main(['scan', '--format', name], standalone_mode=False) == 1")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.slow
def test_an_interrupt_leaves_a_partial_report(inside: Path, jobs: str) -> None:
    program = ("import time, labelguard.runs.scan as s\nfrom labelguard.cli import main\n"
               "plain = s.ExamineMask.__call__\n"
               "def slow(self, path, name): print('.', end='', file=__import__('sys').stderr, flush=True); time.sleep(0.2); "
               "return plain(self, path, name)\ns.ExamineMask.__call__ = slow\n"
               "s.ExamineMask.at_once = lambda self, items, most_bytes: [None] * len(items)\nmain()")
    for number in range(60):
        folder(inside / "masks", {f"m{number}.png": bands(0, 1)})
    process = subprocess.Popen([sys.executable, "-c", program, "scan", "--format", "json", "--jobs", jobs],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stderr.read(3)  # it is at work
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    report = json.loads(output)
    assert process.returncode == report["exit_code"] == 130 and report["complete"] is False
    assert report["dataset"]["read"] < report["dataset"]["files"] == 63


def test_a_path_that_does_not_exist_is_held_against_its_neighbors(tmp_path: Path) -> None:
    folder(tmp_path / "masks", {"a.png": bands(0, 1)})
    near, far = (CliRunner().invoke(main, ["scan", str(tmp_path / name)]) for name in ("mask", "labels"))
    assert near.exit_code == far.exit_code == 3 and f"Did you mean '{tmp_path / 'masks'}'?" in near.stderr and "mean" not in far.stderr
    assert "name the folder here, and give the pattern with --include." in CliRunner().invoke(main, ["scan", f"{tmp_path}/*.png"]).stderr
    assert "Only files of this machine are read" in CliRunner().invoke(main, ["scan", "s3://bucket/masks"]).stderr
