from __future__ import annotations

from pathlib import Path
from typing import Any

import labelguard
from labelguard.checks import changed_file
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.receipt import ReceiptFacts
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import plan_scan
from labelguard.runs.remap import remap
from labelguard.runs.scan import Scan
from tests.checks.scenes import on_dataset
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
    data = DatasetFacts(receipt=ReceiptFacts(missing=("a", "b"), added=("c",)))
    assert [finding.message for finding in on_dataset(changed_file, data)] == [
        "2 files that the receipt names are missing: a and b.", "1 file is not in the receipt: c."]


def test_what_is_missing_is_not_told_before_all_files_were_looked_at(tmp_path: Path) -> None:
    out = written(tmp_path)
    (out / "2.png").unlink()
    scanning = Scan(plan_scan([out], ScanOptions(select="LG012")))
    assert [finding.message for finding in scanning.result().findings] == []
    for _ in scanning:
        pass
    assert [finding.files for finding in scanning.result().findings] == [("2.png",)]
