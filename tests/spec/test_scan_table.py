"""The tables [scan] and [[accept]] of a labelguard.toml: what is wrong in them is one sentence with file, table and key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labelguard import LabelSpec, SpecError, read_preset, read_spec
from labelguard.spec.declarations import read_scan_table


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "labelguard.toml"


def test_values_are_as_the_options_take_them_and_paths_as_seen_from_here(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[scan]\nmasks = {train = "a", val = "v"}\nimages = {train = "b", val = "/c"}\nboxes = ["d.json"]\nselect = "LG1"\n'
                    'ignore = ["LG2", "LG3"]\nbatch_size = 4\ncrop = [2, 3]\ninstances = true\n'
                    '[[accept]]\ncode = "LG101"\nreason = "r"\npath = ["x/", "y"]\nids = 3\n')
    table = read_scan_table(file)
    assert table.values == {
        "masks": ("train=a", "val=v"), "images": ("train=b", f"val={os.path.relpath('/c')}"), "boxes": ("d.json",), "select": ("LG1",),
        "ignore": ("LG2", "LG3"), "batch_size": 4, "crop": "2x3", "instances": True}
    accepted, = table.accept
    assert (accepted.code, accepted.path, accepted.ids, accepted.where) == ("LG101", ("x/", "y"), (3,), f"{file}: [[accept]] 1")
    (file.parent / "below").mkdir()
    monkeypatch.chdir(file.parent / "below")
    assert read_scan_table(file).values["masks"] == ("train=../a", "val=../v")


WRONG = [
    ("[scan]\nselct = 'LG1'", r"\[scan\]: unknown key 'selct'; known are .* Did you mean 'select'\?"),
    ("[scan]\nnum_classes = 3", r"\[scan\]: unknown key 'num_classes'; .* It belongs above the first table\."),
    ("scan = 5", r"'scan' is 5; it must be a table, \[scan\]"),
    ("[[scan]]\nselect = 'LG1'", r"'scan' is .*; it must be a table"),
    *((f"[scan]\n{key} = {value}", rf"\[scan\]: '{key}' is .*; it must be ") for key, value in (
        ("select", "5"), ("select", "[]"), ("ignore", "['a', 5]"), ("masks", "true"), ("masks", "{}"), ("masks", "{'a/b' = 'c'}"),
        ("images", "['']"), ("include", "''"), ("fail_on", "'note'"), ("fail_on", "['error']"), ("batch_size", "0"), ("batch_size", "true"),
        ("masks", '"a\\u0000"'),
        ("crop", "[2]"), ("crop", "[2, 0]"), ("instances", "1"), ("baseline", "[]"), ("files_from", "'-'"), ("boxes", "3"))),
    ("[scan]\nmasks = 'm'\nimages = {train = 'i'}", r"\[scan\]: 'images' is a table of splits, and 'masks' is not"),
    ("accept = 5", r"\[\[accept\]\] is 5; it must be a list of tables"),
    ("[[accept]]\ncode = 'LG1'\nreason = 'x'\n[[accept]]\ncode = 'LG101'", r"\[\[accept\]\] 2: 'reason' is missing"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_a_sentence(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    with pytest.raises(SpecError, match=rf"labelguard\.toml: {words}") as problem:
        read_scan_table(file)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(("text", "spec"), [
    ("num_classes = 3\n[scan]\nselect = 5\n[[accept]]\nx = 1", LabelSpec(3)),  # other commands look at what ids mean, and no further
    ("[scan]\npreset = 'voc'", read_preset("voc")),
    ("ignore_index = [7]\nnum_classes = 3\nbackground = 1\n[scan]\npreset = 'voc'", LabelSpec(3, 7, background=1)),
])
def test_what_ids_mean_is_read_by_every_command(file: Path, text: str, spec: LabelSpec) -> None:
    file.write_text(text)
    assert read_spec(file) == spec


@pytest.mark.parametrize(("text", "words"), [
    ("preset = 'voc'", r"'preset' belongs into the table \[scan\]"), ("[scan]\npreset = 5", r"\[scan\]: 'preset' is 5"),
    ("[scan]\npreset = 'cityscape'", r"\[scan\]: There is no preset 'cityscape'.* Did you mean 'cityscapes'\?"),
    ("[scna]\nx = 1", "Did you mean 'scan'"),
    ("select = 'LG1'\n[scan]", r"'select' belongs into the table \[scan\]"),
])
def test_a_preset_or_key_in_the_wrong_place_is_a_sentence(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    with pytest.raises(SpecError, match=words):
        read_spec(file)
