from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import UsageError
from labelguard.stages import Remap
from labelguard.stages.map_file import HEADERS, read_map

EXPECTED = {7: 0, 8: 1, "9-10": "ignore", "1,2,5": "last", "traffic light": "pole", -1: 255}


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("name", "text"), [
    ("map.csv", '# ours\nfrom,to\n7,0\n 8 , 1  # sidewalk\n\n9-10,ignore\n"1,2,5", last\ntraffic light,pole\n-1,255\n7,0\n'),
    ("map.CSV", '\ufeff7,0\r\n8,1\r\n9-10,ignore\r\n"1,2,5",last\r\n"traffic light","pole"\r\n-1,255'),
    ("map.json", '{"7": 0, "8": "1", "9-10": "ignore", "1,2,5": "last", "traffic light": "pole", "-1": 255}'),
    ("map.json", '[[7, 0], ["8", 1], ["9-10", "ignore"], ["1,2,5", "last"], ["traffic light", "pole"], [-1, 255], [7, "0"]]'),
    ("map.toml", '7 = 0\n8 = 1\n9-10 = "ignore"\n"1,2,5" = "last"\n"traffic light" = "pole"\n-1 = 255\n'),
    ("map.toml", '[table]\n7 = 0\n8 = 1\n"9-10" = "ignore"\n"1,2,5" = "last"\n"traffic light" = "pole"\n-1 = 255\n'),
])
def test_the_same_map_in_every_form(name: str, text: str, tmp_path: Path) -> None:
    assert read_map(write(tmp_path, name, text)) == EXPECTED


@pytest.mark.parametrize("header", HEADERS)
def test_known_headers_are_skipped_once(header: tuple[str, ...], tmp_path: Path) -> None:
    assert read_map(write(tmp_path, "map.csv", f"{','.join(header).upper()}\n1,2\n")) == {1: 2}
    assert read_map(write(tmp_path, "map.csv", f"1,2\n{','.join(header)}\n")) == {1: 2, header[0]: header[1]}


def test_an_unknown_header_is_not_dropped_but_refused_by_the_stage(tmp_path: Path) -> None:
    table = read_map(write(tmp_path, "map.csv", "foo,bar\n1,2\n"))
    with pytest.raises(UsageError, match="'bar' is not a target"):
        Remap(table=table)


def test_the_stage_resolves_what_is_read(tmp_path: Path) -> None:
    table = read_map(write(tmp_path, "map.csv", '0-2,road\n"3,4",last\n5,ignore\n'))
    stage = Remap(table=table, num_classes=2, ignore_index=255, names=("road", "car"))
    assert [stage.target(label) for label in (*range(7), 255)] == [0, 0, 0, 1, 1, 255, None, 255]


@given(table=st.dictionaries(st.integers(-500, 70000), st.integers(-500, 70000), min_size=1))
def test_any_table_of_ids_is_read_from_every_form(table: dict[int, int], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("maps")
    rows = {str(source): target for source, target in table.items()}
    assert table == read_map(write(folder, "a.csv", "".join(f"{source},{target}\n" for source, target in rows.items())))
    assert table == read_map(write(folder, "a.json", json.dumps(rows)))
    assert table == read_map(write(folder, "b.json", json.dumps([*table.items()])))
    assert table == read_map(write(folder, "a.toml", "".join(f"{source} = {target}\n" for source, target in rows.items())))


@pytest.mark.parametrize(("name", "text", "sentence"), [
    ("map.txt", "7,0", " is not a map file: its name must end in .csv, .json, .toml."),
    ("map.csv", "# nothing\nfrom,to\n", " is empty; write which id goes where, such as a line 7,0."),
    ("map.json", "{}", ' is empty; write which id goes where, such as {"7": 0} or [[7, 0]].'),
    ("map.toml", "[table]", " is empty; write which id goes where, such as a line 7 = 0."),
    ("map.csv", "7,0\n\n1,2,5,0\n", ": line 3: '1,2,5,0' holds 4 values; write a source, a comma and a target, and quotes around"),
    ("map.csv", "7;0\n", ": line 1: '7;0' holds 1 value; write a source, a comma"),
    ("map.csv", "7,\n", ': line 1: "" is not an id'),
    ("map.csv", "7.0,0\n", ': line 1: "7.0" is not an id; write a whole number, a class name, last or ignore.'),
    ("map.csv", '"7,0\n', ": line 1: unexpected end of data."),
    ("map.csv", "7,0\n# and\n07,1\n", ": line 3: 7 goes to 1, but line 1 sends it to 0; give it one target."),
    ("map.csv", "road,0\nroad,1\n", ": line 2: road goes to 1, but line 1 sends it to 0; give it one target."),
    ("map.json", '{"7": 0, "7": 1}', ': key "7": 7 goes to 1, but key "7" sends it to 0; give it one target.'),
    ("map.json", '{"7": 0, "07": 1}', ': key "07": 7 goes to 1, but key "7" sends it to 0'),
    ("map.json", '{"7": null}', ': key "7": null is not an id'),
    ("map.json", '{"7": true}', ': key "7": true is not an id'),
    ("map.json", '{"7": 1.0}', ': key "7": 1.0 is not an id'),
    ("map.json", '{"table": {"7": 1}}', ": key table: its target is a table"),
    ("map.json", "[[7, 0], [8]]", ": [1]: [8] is not a pair; write [source, target], such as [7, 0]."),
    ("map.json", "[[[7], 0]]", ": [0]: [7] is not an id"),
    ("map.json", "7", ': 7 is not a map; write {"7": 0} or [[7, 0]].'),
    ("map.json", "{", " cannot be read as a map: Expecting property name"),
    ("map.toml", "7 = 0\n7 = 1", " cannot be read as a map: Cannot overwrite a value"),
    ("map.toml", "7 = 0\n'07' = 1", ": key 07: 7 goes to 1, but key 7 sends it to 0; give it one target."),
    ("map.toml", "1.5 = 0", ": key 1: its target is a table; write an id, a class name, last or ignore. (A key with dots needs quotes.)"),
    ("map.toml", "7 = 1.5", ": key 7: 1.5 is not an id"),
    ("map.toml", "7 = 1979-05-27", ': key 7: "1979-05-27" is not an id'),
    ("map.toml", "6 = 0\n[table]\n7 = 0", ": key 6: it stands outside of [table]"),
    ("map.toml", "[table]\n7 = ''", ': key table.7: "" is not an id'),
])
def test_what_is_wrong_is_named_with_file_and_line(name: str, text: str, sentence: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(UsageError) as caught:
        read_map(path)
    assert str(caught.value).startswith(f"{path}{sentence}")


def test_a_missing_file_and_other_bytes_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_bytes(b"\xff\xfe7,0")
    for name in ("map.csv", "none.json"):
        with pytest.raises(UsageError, match=rf"{name} cannot be read as a map: "):
            read_map(tmp_path / name)
