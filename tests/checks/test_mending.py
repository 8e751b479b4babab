"""The commands of a fix, run as they are printed, give back what was there, in a folder that can take the place of the masks."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import labelguard
from labelguard.checks import _mending
from labelguard.checks._mending import mending
from labelguard.checks._selecting import file_choice
from labelguard.cli import main
from labelguard.explanations.decide import verdict_on
from labelguard.explanations.lengths import Told
from labelguard.facts.builder import DatasetBuilder
from labelguard.files.selection import Selection
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, dataset, facts_on_disk, png

K = 5
TRUTH = drawn_set(K, 24)
DECLARED = ["--num-classes", str(K), "--ignore-index", "255"]
Stored = Mapping[str, tuple[Labels, Labels]]  # by name: what is stored, and what it should be


def down(labels: Labels) -> Labels:
    return labels - labels.dtype.type(1)


def up(labels: Labels) -> Labels:
    return np.where(labels == 255, 255, labels + 1).astype(np.uint8)


def stored(name: Callable[[int], str], fault: Callable[[int], Callable[[Labels], Labels] | None]) -> Stored:
    """The set, each file under a name and with a fault of its own, or none."""
    faults = {number: fault(number) for number in range(len(TRUTH))}
    return {name(number): (TRUTH[number] if (change := faults[number]) is None else change(TRUTH[number]), TRUTH[number])
            for number in range(len(TRUTH))}


def run(*words: str) -> str:
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code in (0, 1), done.output
    return done.output


def write(files: Stored, root: str) -> None:
    for name, (labels, _) in files.items():
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(labels))


def printed(*words: str) -> list[list[str]]:
    """The commands of the worst finding of a scan, as a shell reads them."""
    findings = json.loads(run("scan", *words, *DECLARED, "--format", "json"))["findings"]
    assert findings[0]["severity"] == "error" and findings[0]["commands"], findings[0]
    assert all(shlex.join(command) in findings[0]["fix"] for command in findings[0]["commands"])
    return findings[0]["commands"]


def fix(*words: str) -> str:
    """What the worst finding of a scan says to do."""
    return str(json.loads(run("scan", *words, *DECLARED, "--format", "json"))["findings"][0]["fix"])


def mend(files: Stored, root: str = "masks", *options: str) -> list[list[str]]:
    """Write a set, scan it, follow what is printed and compare the result, file by file; gives the commands."""
    write(files, root)
    commands = printed(root, *options)
    for tool, *words in commands:
        assert tool == "labelguard"
        run(*words)
    out = root
    for _ in commands:
        out += "-remapped"
    assert {path.relative_to(out).as_posix() for path in Path(out).rglob("*.png")} == {*files}
    for name, (labels, truth) in files.items():
        assert (labelguard.read(Path(out, name)).labels == truth).all(), name
        if (labels == truth).all():
            assert Path(out, name).read_bytes() == Path(root, name).read_bytes()
    assert [finding.code for finding in labelguard.scan(out, num_classes=K, ignore_index=255).findings] == []
    return commands


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def in_halves(number: int) -> str:
    return f"{'ab'[number % 2]}/{number:03}.png"


def plainly(number: int) -> str:
    return f"{number:03}.png"


def of_second(change: Callable[[Labels], Labels]) -> Callable[[int], Callable[[Labels], Labels] | None]:
    return lambda number: change if number % 2 else None


def test_a_sub_folder_has_a_command_for_the_whole_set() -> None:
    command, = mend(stored(in_halves, of_second(up)))
    assert command[2:5] == ["masks", "--include", "/b/"]


def test_names_are_quoted_for_the_shell() -> None:
    command, = mend(stored(lambda number: f"{'a' if number % 2 == 0 else 'b [1] *'}/{number:03}.png", of_second(up)), "my masks")
    assert command[4] == "/b\\ \\[1\\]\\ \\*/"


def test_a_folder_of_that_name_elsewhere_is_left_alone() -> None:
    names = ["a/b", "b", "c"]
    mend(stored(lambda number: f"{names[number % 3]}/{number:03}.png", lambda number: up if number % 3 == 1 else None))


def test_files_that_only_their_ids_tell_are_told_by_these() -> None:
    command, = mend(stored(plainly, lambda number: down if number % 3 == 0 else None))
    assert "--holding" in command


def test_files_that_only_their_names_tell_are_told_by_these() -> None:
    wanted, unwanted = {"0_old.png": (1, 2), "1_old.png": (1, 3)}, {"0.png": (0, 1, 2, 3), "old.png": (2, 3)}
    found = file_choice(wanted, unwanted, ["0_older.png"], Selection())
    assert found is not None and found.arguments == ("--include", "*_old.png")


def test_names_one_by_one_are_the_last_resort() -> None:
    wanted, unwanted = {f"{number}.png": (1, 2) for number in (3, 5)}, {f"{number}.png": (1, 2) for number in (4, 6)}
    found = file_choice(wanted, unwanted, [], Selection())
    assert found is not None and found.arguments == ("--include", "/3.png", "--include", "/5.png")
    many, others = ({f"{number}.png": (1, 2) for number in range(first, 200, 2)} for first in (3, 4))
    assert file_choice(many, others, [], Selection()) is None
    found = file_choice(many, unwanted, [], Selection())
    assert found is not None and found.arguments == ("--exclude", "/4.png", "--exclude", "/6.png")


def test_masks_that_were_selected_are_selected_again() -> None:
    wanted, unwanted, others = {"a/0_ids.png": (1, 2)}, {"b/0_ids.png": (1, 2)}, ["a/0_color.png"]
    found = file_choice(wanted, unwanted, others, Selection("*_ids.png"))
    assert found is not None and found.arguments == ("--include", "*_ids.png", "--exclude", "/b/")
    found = file_choice(wanted, {}, others, Selection(files_from="list.txt"))
    assert found is not None and found.arguments == ("--files-from", "list.txt")
    found = file_choice(wanted, {}, others, Selection(files_from="-"))
    assert found is not None and found.arguments == ("--include", "/a/0_ids.png")  # the standard input is read only once


def test_two_faults_have_a_command_each_and_the_last_one_writes_the_whole_set() -> None:
    _, second = mend(stored(lambda number: f"{'abc'[number % 3]}/{number:03}.png", lambda number: (None, up, down)[number % 3]))
    assert second[2] == "masks-remapped" and second[-1] == "--again"


def test_three_faults_have_three_commands_each_of_which_reads_what_the_one_before_wrote() -> None:
    def brighter(labels: Labels) -> Labels:
        return np.where(labels == 255, 255, 20 * labels).astype(np.uint8)
    commands = mend(stored(lambda number: f"{'abc'[number % 3]}/{number:03}.png", lambda number: (brighter, up, down)[number % 3]))
    assert [command[2] for command in commands] == ["masks", "masks-remapped", "masks-remapped-remapped"]


def test_what_was_not_looked_at_is_not_moved() -> None:
    """Beside each mask lies one for the eye, which the scan was told to leave out."""
    write({f"{number:03}_color.png": (7 * labels, labels) for number, labels in enumerate(TRUTH)}, "masks")
    write(stored(lambda number: f"{number:03}_ids.png", lambda _: down), "masks")
    command, = printed("masks", "--include", "*_ids.png")
    run(*command[1:])
    for number, labels in enumerate(TRUTH):
        name = f"{number:03}_color.png"
        assert Path("masks-remapped", name).read_bytes() == Path("masks", name).read_bytes()
        assert (labelguard.read(f"masks-remapped/{number:03}_ids.png").labels == labels).all()


def test_each_of_several_paths_has_a_command() -> None:
    write(stored(in_halves, lambda _: down), "sets")
    commands = printed("sets/a", "sets/b")
    for command in commands:
        run(*command[1:])
    assert [command[2] for command in commands] == ["sets/a", "sets/b"]
    for number, labels in enumerate(TRUTH):
        assert (labelguard.read(f"sets/{'ab'[number % 2]}-remapped/{number:03}.png").labels == labels).all()


def test_of_several_paths_only_those_concerned_have_a_command() -> None:
    write(stored(in_halves, of_second(up)), "sets")
    assert [command[2] for command in printed("sets/a", "sets/b")] == ["sets/b"]


def test_several_paths_with_a_fault_each_have_a_command_each() -> None:
    write(stored(in_halves, lambda number: (down, up)[number % 2]), "sets")
    assert "One command for each path" in fix("sets/a", "sets/b")


def test_of_several_paths_with_several_faults_the_last_command_for_each_writes_all_of_it() -> None:
    def in_quarters(number: int) -> str:
        return f"{'ab'[number % 2]}/{'xy'[number // 2 % 2]}/{number:03}.png"
    write(stored(in_quarters, lambda number: (down, up)[number // 2 % 2]), "sets")
    assert "The last one for each path writes all of it" in fix("sets/a", "sets/b")


@pytest.mark.parametrize(("paths", "commands"), [(4, 4), (5, 0)])
def test_four_commands_are_printed_at_most(paths: int, commands: int) -> None:
    spec = LabelSpec(K, 255)
    data, facts = DatasetBuilder("sets"), facts_on_disk(down(np.vstack(TRUTH)), spec)
    for number in range(20):
        data.add(f"{number % paths}/{number:03}", facts)
    found = mending(replace(data.build(), sources=tuple(str(path) for path in range(paths))), spec)
    assert len(found.commands) == commands and ("Scan the folder of these files by itself" in str(found)) is (commands == 0)


@pytest.mark.parametrize("paths", [("sets", "sets/b"), ("sets/b", "sets"), ("sets", "sets"), ("sets", "sets/")])
def test_a_path_below_another_or_named_twice_has_no_command_of_its_own(paths: tuple[str, str]) -> None:
    write(stored(in_halves, of_second(up)), "sets")
    command, = printed(*paths)
    assert command[2].rstrip("/") == "sets"


def test_a_file_alone_is_written_beside_its_folder() -> None:
    rows = np.vstack(TRUTH)  # one large mask in which all classes are
    write({"only.png": (down(rows), rows)}, "data/masks")
    command, = printed("data/masks/only.png")
    run(*command[1:])
    assert (labelguard.read("data/only-remapped/only.png").labels == rows).all()


def test_a_folder_that_was_remapped_wrongly_is_remapped_again() -> None:
    write(stored(plainly, lambda _: lambda labels: labels), "masks")
    run("remap", "masks", "--shift", "-1", "--merge", "0:255", "--merge", "255:254", "--num-classes", "300")
    command, = printed("masks-remapped")
    run(*command[1:])
    assert command[-1] == "--again"
    assert (labelguard.read("masks-remapped-remapped/000.png").labels == TRUTH[0]).all()


def test_masks_that_were_smoothed_get_no_command() -> None:
    data, spec = dataset([down(labels) for labels in TRUTH], LabelSpec(K, 255)), LabelSpec(K, 255)
    assert mending(data, spec).commands
    assert "smoothed" in str(mending(replace(data, smoothed=frozenset({"000"})), spec))


def test_a_ready_made_pipeline_is_named_where_it_does_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = LabelSpec(K, 255)
    data = dataset([down(labels) for labels in TRUTH], spec)
    verdict = verdict_on(data, spec)
    assert verdict is not None
    part, explanation = verdict.told[0]
    account = replace(verdict.accounts[0], told=(Told(part, replace(explanation, pipeline="some-pipeline")),))
    monkeypatch.setattr(_mending, "verdict_on", lambda *_: replace(verdict, accounts=(account, *verdict.accounts[1:])))
    assert str(mending(data, spec)) == "labelguard run some-pipeline masks"
    for other in (replace(data, selected=("--include", "*")), replace(data, sources=("a", "b"))):
        assert "some-pipeline" not in str(mending(other, spec))


def test_why_there_is_no_command_is_said() -> None:
    spec = LabelSpec(3)
    either = dataset([labels * 255 for labels in drawn_set(3, 4, void=None)], spec)  # 0, 255 and 254: shifted, or multiplied
    assert "Settle this before anything is moved: What does " in str(mending(either, spec))


def test_files_that_could_belong_to_either_part_are_named() -> None:
    spec = LabelSpec(5, 255)
    doubtful = dataset([up(labels) if number % 5 == 0 else labels for number, labels in enumerate(drawn_set(5, 16))], spec)
    assert str(mending(doubtful, spec)).startswith("By ids alone it is open whether 005 has this fault too")
