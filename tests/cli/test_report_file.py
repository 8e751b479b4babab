"""--output and --report: a report takes the place of nothing but a report."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import labelguard
from labelguard.cli import main
from labelguard.files import whole_file
from labelguard.report.written import ENDINGS
from tests.drawn import bands, folder

SCAN = ["scan", "masks", "--num-classes", "3"]


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path / "masks", {f"{number}.png": bands(0, 1, 2) for number in range(5)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scan_to(output: str, *more: str) -> int:
    return main.main([*SCAN, *more, "--output", output], standalone_mode=False) or 0


def content(inside: Path) -> dict[str, bytes | str]:
    """All that lies there: the bytes of files, and where links lead."""
    return {str(path.relative_to(inside)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in inside.rglob("*") if path.is_symlink() or path.is_file()}


def test_a_report_takes_its_place_when_it_is_whole(inside: Path, monkeypatch: pytest.MonkeyPatch,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    (inside / "report.txt").write_bytes(b"")
    (inside / "report.txt").chmod(0o640)
    (inside / "link").symlink_to("report.txt")
    with monkeypatch.context() as patched:
        patched.setattr(whole_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        assert scan_to("link") == 3
    told = capsys.readouterr()
    assert "Clean: no findings." in told.out and "no space left on device. It is printed instead." in told.err  # and so it is not lost
    assert (inside / "report.txt").read_bytes() == b"" and len([*inside.iterdir()]) == 3
    assert scan_to("link") == 0 and "Clean" in (inside / "report.txt").read_text() and (inside / "link").is_symlink()
    assert stat.S_IMODE((inside / "report.txt").stat().st_mode) == 0o640 and len([*inside.iterdir()]) == 3


def test_a_new_report_has_the_permissions_of_any_new_file(inside: Path) -> None:
    (inside / "other").write_text("")
    assert scan_to("report.txt") == 0 and (inside / "report.txt").stat().st_mode == (inside / "other").stat().st_mode


def test_a_folder_that_is_not_there_is_told_before_anything_is_read(capsys: pytest.CaptureFixture[str],
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labelguard.runs.scan.Scan.masks", lambda _: pytest.fail("masks were read"))
    assert scan_to("nowhere/report.txt") == 3 and "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("given", [(), ("--format", "json"), ("--format", "jsonl"), ("--num-classes", "2"),
                                   ("--num-classes", "2", "--format", "json"), ("--num-classes", "2", "--format", "jsonl")], ids=" ".join)
def test_every_report_is_replaced_by_the_next_one(inside: Path, given: tuple[str, ...]) -> None:
    scan_to("report", *given)
    assert scan_to("report") == 0 and "Clean" in (inside / "report").read_text()


def test_reports_of_splits_boxes_and_several_paths_are_replaced_too(inside: Path) -> None:
    folder(inside / "more", {"a.png": bands(0, 1, 2)})
    (inside / "none").mkdir()
    (inside / "boxes.json").write_text('{"images": [{"id": 1, "file_name": "0.png", "width": 20, "height": 20}], "annotations": []}')
    images = [option for split in "ab" for option in ("--images", f"{split}={folder(inside / f'{split}s', {'a.png': bands(7, 8, 9)})}")]
    for paths in (["a=masks", "b=more"], ["a=none", "b=more", *images], ["--boxes", "boxes.json"], ["masks", "more"]):
        assert main.main(["scan", *paths, "--output", "report"], standalone_mode=False) in (0, 1)
        assert scan_to("report") == 0, paths


@pytest.mark.parametrize("name", ["classes.txt", "list.txt", "boxes.json", "loss.py", "labelguard.toml", "notes.md", "damaged", "hard.txt",
                                  "masks-remapped/labelguard-receipt.json", "link", "table.csv"])
def test_nothing_else_that_exists_is_replaced(inside: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for file, text in {"classes.txt": "a\nb\nc\n", "list.txt": "0.png\n", "boxes.json": "{}", "loss.py": "import torch\n",
                       "labelguard.toml": "num_classes = 3\n", "notes.md": "masks: 5 masks were read\n", "damaged": "\0",
                       "table.csv": "from,to\n"}.items():
        (inside / file).write_text(text)
    os.link(inside / "masks" / "0.png", inside / "hard.txt")
    (inside / "link").symlink_to("classes.txt")
    assert main.main(["remap", "masks", "--shift", "1", "--num-classes", "4"], standalone_mode=False) == 0
    before = content(inside)
    assert scan_to(name) == 2 and content(inside) == before
    told = capsys.readouterr().err
    ours = f"another file of its own ('{Path(name).name}')"
    assert "is not a report of labelguard; remove it or choose another name" in told or ours in told


@pytest.mark.parametrize("name", ["masks/0.png", "masks/new.png", "new.TIFF", "report.npy", "link", "empty.png"])
def test_no_report_is_called_like_an_image(inside: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (inside / "link").symlink_to("masks/0.png")
    (inside / "empty.png").write_bytes(b"")
    before = content(inside)
    assert scan_to(name) == 2 and "is the name of an image (." in capsys.readouterr().err and content(inside) == before


@pytest.mark.parametrize("name", [".labelguard-lock", ".labelguard-journal.jsonl", "labelguard-receipt.json"])
def test_no_report_is_called_like_another_file_of_labelguard(inside: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (inside / name).write_bytes(b"")
    assert scan_to(name) == 2 and "another file of its own" in capsys.readouterr().err


def to_a_mask(report: Path) -> None:
    report.symlink_to("masks/0.png")


def to_a_file(report: Path) -> None:
    report.write_text("precious")


def to_a_pipe(report: Path) -> None:
    os.mkfifo(report)


def to_another_folder(report: Path) -> None:
    report.parent.rename("moved")
    report.parent.symlink_to("masks")


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
@pytest.mark.parametrize("appears", [to_a_mask, to_a_file, to_a_pipe, to_another_folder])
def test_what_appears_while_work_is_under_way_is_neither_replaced_nor_followed(
        inside: Path, appears: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from labelguard.runs.scan import Scan
    (inside / "out").mkdir()
    result, before = Scan.result, {}

    def meanwhile(scan: Scan) -> object:
        appears(Path("out/report"))
        before.update(content(inside))
        return result(scan)

    monkeypatch.setattr(Scan, "result", meanwhile)
    assert scan_to("out/report") == 3 and content(inside) == before
    told = capsys.readouterr()
    assert "meanwhile. It is printed instead." in told.err and "Clean: no findings." in told.out


# --report


def reports_to(*names: str, more: Sequence[str] = ()) -> int:
    return main.main([*SCAN, *more, *(word for name in names for word in ("--report", name))], standalone_mode=False) or 0


def test_reports_are_written_as_their_names_say_and_printed_all_the_same(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reports_to("a.json", "b.JSONL", "c.txt", more=["--num-classes", "2"]) == 1
    printed = capsys.readouterr().out
    assert "LG106" in printed and (inside / "c.txt").read_text() == printed
    whole, lines = json.loads((inside / "a.json").read_text()), (inside / "b.JSONL").read_text().splitlines()
    assert whole["exit_code"] == 1 and [json.loads(line) for line in lines[:-1]] == whole["findings"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_report_of_each_kind_is_replaced_by_the_next_one(inside: Path, ending: str) -> None:
    name = f"report{ending}"
    assert reports_to(name, more=["--num-classes", "2"]) == 1 and scan_to(name) == 0 and "Clean" in (inside / name).read_text()
    assert reports_to(name) == 0 and reports_to(name, more=["--num-classes", "2"]) == 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_report_of_any_kind_replaces_something_else(inside: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name := f"report{ending}").write_text("precious")
    assert reports_to(name) == 2 and Path(name).read_text() == "precious" and "is not a report of labelguard" in capsys.readouterr().err


def test_a_table_of_somebody_else_is_not_replaced(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), "mine.parquet")
    assert reports_to("mine.parquet") == 2 and "not a report of labelguard" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["report", "report.docx", ".json.bak"])
def test_a_name_that_says_nothing_of_the_format_is_refused_with_the_list(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert reports_to(name) == 2
    told = capsys.readouterr()
    assert not told.out and f"'{name}' does not say what to write" in told.err and all(ending in told.err for ending in ENDINGS)


@pytest.mark.parametrize(("name", "format_", "said"), [
    ("a.html", "text", True), ("a.SARIF", "json", True), ("a.json", "jsonl", True), ("a.json", "json", False), ("a.txt", "text", False),
    ("a.txt", "github", False), ("a", "text", False), ("a.log", "json", False)])
def test_output_with_the_name_of_another_format_is_not_written_in_silence(name: str, format_: str, said: bool,
                                                                          capsys: pytest.CaptureFixture[str]) -> None:
    assert scan_to(name, "--format", format_) == 0 and Path(name).stat().st_size
    assert (f"'--report {name}' writes what the name promises" in capsys.readouterr().err) == said


@pytest.mark.parametrize("arguments", [["--report", "a.json", "--report", "./a.json"], ["--output", "a.json", "--report", "a.json"],
                                       ["--report", "link.json", "--report", "old.json"],
                                       ["--report", "hard.json", "--report", "old.json"]], ids=" ".join)
def test_two_reports_do_not_lie_in_one_file(inside: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert reports_to("old.json") == 0
    Path("link.json").symlink_to("old.json")
    os.link("old.json", "hard.json")  # as a name in other capitals is, where the file system does not tell them apart
    before = content(inside)
    assert main.main([*SCAN, *arguments], standalone_mode=False) == 2 and content(inside) == before
    assert "are one file, and only one report can lie there" in capsys.readouterr().err


def test_one_report_that_cannot_be_written_costs_no_other(inside: Path, monkeypatch: pytest.MonkeyPatch,
                                                          capsys: pytest.CaptureFixture[str]) -> None:
    from labelguard.runs.scan import Scan
    result = Scan.result
    monkeypatch.setattr(Scan, "result", lambda scan: (Path("a.json").write_text("precious"), result(scan))[1])
    assert reports_to("a.json", "b.json") == 3 and Path("a.json").read_text() == "precious" and json.loads(Path("b.json").read_text())
    told = capsys.readouterr()
    assert "Clean: no findings." in told.out and "'a.json' was not written." in told.err


def test_a_report_saves_itself(inside: Path) -> None:
    report = labelguard.scan("masks", num_classes=2)
    report.save("report.json", fail_on=None)
    assert json.loads(Path("report.json").read_text()) == report.to_dict(fail_on=None)
    Path("notes.json").write_text("[]")
    with pytest.raises(labelguard.UsageError, match="not a report of labelguard"):
        report.save("notes.json")
    with pytest.raises(labelguard.IncompleteError, match="there is no folder"):
        report.save(Path("nowhere") / "report.txt")


def test_what_a_remap_did_stands_in_its_receipt(inside: Path) -> None:
    report = labelguard.remap("masks", shift=1, num_classes=4)
    with pytest.raises(labelguard.UsageError, match=r"'report.json' was not written: what a remap did stands in the receipt"):
        report.save("report.json")
    assert not Path("report.json").exists()


# Devices, pipes and open streams


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_devices_are_written_to_as_they_stand(capsys: pytest.CaptureFixture[str]) -> None:
    assert scan_to(os.devnull) == 0 and Path(os.devnull).is_char_device()
    assert scan_to("/dev/full") == 3 and "no space left on device" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("command", ["--output /dev/stdout >> log", "--output /dev/fd/3 3>> log", "--output pipe & cat pipe >> log; wait"])
def test_open_streams_and_pipes_go_on_where_they_stand(inside: Path, command: str) -> None:
    os.mkfifo("pipe")
    (inside / "log").write_text("before\n")
    subprocess.run(["bash", "-c", f"{sys.executable} -m labelguard {' '.join(SCAN)} {command}"], check=True)
    log = (inside / "log").read_text()
    assert log.startswith("before\nmasks: 5 masks read") and "Clean" in log


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="needs a folder in /dev")
def test_a_file_below_dev_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = Path("/dev/shm") / f"labelguard-test-{os.getpid()}-{tmp_path.name}"
    kept.write_text("precious")
    try:
        assert scan_to(str(kept)) == 2 and kept.read_text() == "precious"
    finally:
        kept.unlink()
