"""Finding: its files are a count and an iterator; the sentence of its fix and the commands in it come from the same arguments."""

from __future__ import annotations

import pickle
import shlex
from collections.abc import Collection, Iterator
from dataclasses import replace

import pytest

from labelguard.checks.empty_mask import rule
from labelguard.finding import FileList, Finding, Fix, Severity

REMAP = ("labelguard", "remap", "my masks", "--merge", "0:1")
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
    assert all(pickle.loads(pickle.dumps(files, protocol)) == files for protocol in range(pickle.HIGHEST_PROTOCOL + 1))


def test_a_file_list_shows_how_many_and_a_few() -> None:
    assert repr(FileList(NAMES)) == "FileList(1,500: '0.png', '1.png', '2.png', ...)"
    assert repr(FileList(NAMES[:1])) == "FileList(1: '0.png')" and repr(FileList()) == "FileList()"


def test_a_finding_takes_any_collection_of_names() -> None:
    finding = Finding("LG000", "name", Severity.NOTE, "message", files=NAMES)  # type: ignore[arg-type]
    assert isinstance(finding.files, FileList) and finding.concerns is finding.files and finding == replace(finding)
    assert hash(finding) == hash(replace(finding, files=FileList(Query()))) and pickle.loads(pickle.dumps(finding)) == finding
    assert replace(finding, path="a.png").concerns == ("a.png",)


def test_a_command_is_quoted_for_a_shell() -> None:
    fix = Fix.command(*REMAP)
    assert str(fix) == "labelguard remap 'my masks' --merge 0:1"
    assert shlex.split(str(fix)) == list(REMAP)
    assert fix.commands == (REMAP,) and fix.is_command and fix.safe


def test_a_command_that_assumes_something_is_not_safe() -> None:
    fix = Fix.command(*REMAP, safe=False)
    assert fix.is_command and not fix.safe and fix != Fix.command(*REMAP)


def test_advice_holds_commands_and_is_never_safe() -> None:
    fix = Fix.advice("If 0 is void: ", Fix.command(*REMAP), ". If not: ", ("labelguard", "scan", "."), ".")
    assert str(fix) == "If 0 is void: labelguard remap 'my masks' --merge 0:1. If not: labelguard scan .."
    assert fix.commands == (REMAP, ("labelguard", "scan", ".")) and not fix.safe and not fix.is_command


def test_two_commands_without_a_word_between_are_not_one_command() -> None:
    assert not Fix.advice(REMAP, REMAP).is_command


def test_nothing_to_do_is_false() -> None:
    assert not Fix() and not Fix.advice("") and not Fix.of("") and str(Fix()) == ""
    assert not Fix().is_command and Fix.advice("Look.")


def test_a_plain_sentence_is_advice() -> None:
    finding = rule.finding("Nothing here.", fix="Look at it.")
    assert finding.fix == Fix.advice("Look at it.") and finding.fix.commands == ()
    assert rule.finding("Nothing here.", fix=finding.fix).fix is finding.fix


def test_it_is_a_value() -> None:
    fix = Fix.advice("Either ", REMAP)
    assert pickle.loads(pickle.dumps(fix)) == fix and hash(fix) == hash(Fix.advice("Either ", Fix.command(*REMAP)))
