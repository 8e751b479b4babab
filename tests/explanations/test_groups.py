"""Groups: files that have something in common besides their ids."""

from __future__ import annotations

from array import array

import pytest

from labelguard.explanations.groups import groupings
from labelguard.facts.record import FileRecord


def record(path: str, shape: tuple[int, int] = (4, 4), encoding: str = "png") -> FileRecord:
    return FileRecord(path, shape, (0,), array("q", [16]), encoding, True)


def test_folders_names_sizes_and_storage_tell_files_apart() -> None:
    records = [record("a/x_1.png"), record("a/y_2.png", (8, 8)), record("b/x_3.png"), record("b/y_4.png", (8, 8), "palette")]
    found = {grouping.kind: grouping.names for grouping in groupings(records)}
    assert found["folder"] == ("a", "b") and found["prefix"] == ("x_", "y_") and found["storage"] == ("png", "palette")
    assert "size" not in found  # just the files of each prefix once more


@pytest.mark.parametrize(("folders", "told"), [(64, True), (65, False)])
def test_folders_of_which_each_is_a_scene_tell_nothing(folders: int, told: bool) -> None:
    assert any(grouping.kind == "folder" for grouping in groupings([record(f"{n}/x.png") for n in range(folders)])) == told
