"""LG308: masks that break off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labelguard import scan
from labelguard.checks import cut_off as check
from tests.checks.scenes import on_dataset
from tests.drawn import folder
from tests.facts.test_cut_off import posts
from tests.facts.test_row_order import scene


def test_a_few_files_of_a_set_are_named_with_their_places(tmp_path: Path) -> None:
    whole = {f"{seed:02}.png": scene((60, 100), seed) for seed in range(10)}
    cut = {f"c{number}.png": posts(left=3, right=2 - number % 2, row=20 + number) for number in range(3)}
    finding, = scan(folder(tmp_path, whole | cut), select="LG308").findings
    assert finding.files == ("c0.png", "c1.png", "c2.png") and "in 3 of 13 files" in finding.message
    assert finding.evidence[0].startswith("c0.png from row 20, column 50, c1.png from row 21")


def test_many_places_are_cut(tmp_path: Path) -> None:
    finding, = scan(folder(tmp_path, {f"{n}.png": posts(left=2, right=2, row=20 + n) for n in range(7)}), select="LG308").findings
    assert finding.evidence[0].endswith(", and 2 more files")


def test_one_that_is_not_sure_by_itself_says_nothing(tmp_path: Path) -> None:
    assert not scan(folder(tmp_path, {"a.png": posts(left=2, right=1), "b.png": scene((60, 100), 0)}), select="LG308").findings


@pytest.mark.parametrize(("rows", "others", "found"), [
    ((20, 20), 2, True), ((20, 21), 2, False), ((20, 20), 1, False)], ids=["one place", "two places", "most of them"])
def test_several_at_one_place_are_sure(tmp_path: Path, rows: tuple[int, ...], others: int, found: bool) -> None:
    masks = {f"c{number}.png": posts(left=2, right=1, row=row) for number, row in enumerate(rows)}
    masks |= {f"{seed}.png": scene((60, 100), seed) for seed in range(others)}
    assert bool(scan(folder(tmp_path, masks), select="LG308").findings) is found


def test_it_leaves_alone(tmp_path: Path) -> None:
    padded = {f"{seed}.png": np.pad(scene((50, 100), seed), ((0, 10), (0, 0))) for seed in range(8)}
    assert not scan(folder(tmp_path, padded), select="LG308").findings
    assert on_dataset(check, []) == []
