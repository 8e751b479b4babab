from __future__ import annotations

from pathlib import Path
from typing import Any

import labelguard
from labelguard.checks.changed_file import strays
from labelguard.runs.remap import remap
from tests.drawn import bands, folder, write_png


def written(tmp_path: Path, count: int = 3) -> Path:
    source = folder(tmp_path / "masks", {f"{number}.png": bands(1, 2) for number in range(count)})
    remap(source, tmp_path / "out", shift=-1, num_classes=2)
    return tmp_path / "out"


def codes(root: Path) -> list[Any]:
    return [(finding.code, finding.concerns) for finding in labelguard.scan(root, select=["LG012"]).findings]


def test_a_folder_as_it_was_written_is_left_alone(tmp_path: Path) -> None:
    assert codes(written(tmp_path)) == []


def test_a_folder_without_a_receipt_is_left_alone(tmp_path: Path) -> None:
    assert codes(folder(tmp_path, {"a.png": bands(0, 1)})) == []


def test_a_file_that_was_changed_is_named(tmp_path: Path) -> None:
    out = written(tmp_path)
    write_png(out / "1.png", bands(0, 1, 1))
    assert codes(out) == [("LG012", ("1.png",))]


def test_files_that_are_gone_and_files_that_came_are_named(tmp_path: Path) -> None:
    out = written(tmp_path)
    (out / "2.png").rename(out / "new.png")
    assert codes(out) == [("LG012", ("2.png",)), ("LG012", ("new.png",))]


def test_the_sentences_agree_with_the_number() -> None:
    assert [finding.message for finding in strays({"a", "b"}, {"c"})] == [
        "2 files that the receipt names are missing: a and b.", "1 file is not in the receipt: c."]
