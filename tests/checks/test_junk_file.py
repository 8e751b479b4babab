"""LG010: hidden and junk files."""

from __future__ import annotations

from pathlib import Path

from labelguard import scan
from labelguard.checks import junk_file as check
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Severity
from tests.checks.scenes import mask, on_dataset, png

MASK = png(mask("0 1"))


def test_what_was_left_out_is_listed() -> None:
    finding, = on_dataset(check, DatasetFacts(skipped=(".DS_Store", "._a.png")))
    assert finding.message == "2 hidden or junk entries among the masks, left out here: .DS_Store and ._a.png."
    assert finding.files == (".DS_Store", "._a.png")
    assert finding.severity is Severity.NOTE


def test_one_entry_reads_well_and_many_are_cut() -> None:
    finding, = on_dataset(check, DatasetFacts(skipped=("Thumbs.db",)))
    assert finding.message == "1 hidden or junk entry among the masks, left out here: Thumbs.db."
    finding, = on_dataset(check, DatasetFacts(skipped=tuple(f".{i}" for i in range(9))))
    assert finding.message.endswith(": .0, .1, .2, .3 and 5 more.")
    assert len(finding.files) == 9


def test_a_scan_leaves_junk_out_and_says_so(tmp_path: Path) -> None:
    for name in ("a.png", "._a.png", ".DS_Store", "b.png.part", "__MACOSX/a.png", ".ipynb_checkpoints/a.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(MASK)
    report = scan(tmp_path, select=["LG010"], jobs=1)
    assert [name for _, name in report.listing.files] == ["a.png"]
    assert set(report.findings[0].files) == {"._a.png", ".DS_Store", "b.png.part", "__MACOSX/", ".ipynb_checkpoints/"}


def test_it_leaves_a_clean_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(MASK)
    (tmp_path / "README.md").write_text("Masks.")
    assert scan(tmp_path, select=["LG010"], jobs=1).findings == ()
