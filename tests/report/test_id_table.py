"""Ids out of range are told once for the set; every file keeps its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import labelguard
from tests.drawn import bands, folder


def drawn(root: Path, strays: dict[int, list[int]]) -> Path:
    masks: dict[str, object] = {}
    for number in range(6):
        masks[f"{number}.png"] = labels = bands(0, 1, 2)
        for place, label in enumerate(strays.get(number, [])):
            labels[5 + place, 7] = label
    return folder(root, masks)


def test_several_files_share_one_table(tmp_path: Path) -> None:
    report = labelguard.scan(drawn(tmp_path, {0: [9], 2: [9, 77], 5: [9]}), num_classes=3, select="LG101")
    text = str(report)
    assert "  2 ids in 3 of 6 files: not classes (0-2).\n" in text
    assert "  - 9: 0.04 % of all pixels, in 3 files\n  - 77: 0.01 % of all pixels, in 1 file\n" in text
    assert "    2.png (row 5, column 7)\n" in text and text.count("not classes") == 1
    assert [(finding.path, finding.first) for finding in report.findings] == [("0.png", (5, 7)), ("2.png", (5, 7)), ("5.png", (5, 7))]


def test_a_single_file_is_told_as_such(tmp_path: Path) -> None:
    text = str(labelguard.scan(drawn(tmp_path, {2: [9, 77]}), num_classes=3, select="LG101"))
    assert "  2.png (row 5, column 7)\n    Ids 9 and 77 on 2 pixels: not classes (0-2).\n" in text


def test_many_ids_are_cut(tmp_path: Path) -> None:
    text = str(labelguard.scan(drawn(tmp_path, {0: [*range(50, 55)], 1: [*np.arange(60, 64)]}), num_classes=3, select="LG101"))
    assert "  9 ids in 2 of 6 files" in text and "- and 1 more id\n" in text
    assert "more id" not in str(labelguard.scan(drawn(tmp_path / "8", {0: [*range(50, 54)], 1: [*range(60, 64)]}), num_classes=3,
                                                select="LG101"))
