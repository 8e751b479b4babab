"""Finding: its files are a count, the first of them, and an iterator over all."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterator
from dataclasses import replace

import pytest

from labelguard.finding import FileList, Finding, Severity

NAMES = tuple(f"{number}.png" for number in range(1500))


class Query(Collection[str]):
    """Names that are made when they are asked for."""

    def __len__(self) -> int:
        return len(NAMES)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __contains__(self, name: object) -> bool:
        return name in NAMES


@pytest.mark.parametrize("source", [NAMES, list(NAMES), Query(), FileList(NAMES)])
def test_a_file_list_knows_all_names_and_has_the_first_at_hand(source: Collection[str]) -> None:
    files = FileList(source)
    assert len(files) == 1500 and tuple(files) == NAMES == tuple(files)
    assert files.first == NAMES[:1000] == files.first
    assert "1499.png" in files and "1500.png" not in files


def test_file_lists_are_equal_and_hashed_by_content() -> None:
    files = FileList(NAMES)
    assert files == FileList(Query()) == NAMES and files == list(NAMES) and hash(files) == hash(NAMES)
    assert files != FileList(NAMES[:-1]) and files != FileList(NAMES[::-1]) and files != "0.png" and not FileList()
    assert pickle.loads(pickle.dumps(files)) == files


def test_a_file_list_shows_how_many_and_a_few() -> None:
    assert repr(FileList(NAMES)) == "FileList(1,500: '0.png', '1.png', '2.png', ...)"
    assert repr(FileList(NAMES[:1])) == "FileList(1: '0.png')" and repr(FileList()) == "FileList()"


def test_a_finding_takes_any_collection_of_names() -> None:
    finding = Finding("LG000", "name", Severity.NOTE, "message", files=NAMES)  # type: ignore[arg-type]
    assert isinstance(finding.files, FileList) and finding.concerns is finding.files and finding == replace(finding)
    assert hash(finding) == hash(replace(finding, files=FileList(Query()))) and pickle.loads(pickle.dumps(finding)) == finding
    assert replace(finding, path="a.png").concerns == ("a.png",)
