"""Which id each color gets, from every file and preset that says so; two meanings of one color are an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard import LabelSpec, SpecError, read_classes
from labelguard.spec.class_files.color_rows import parsed_color
from labelguard.spec.color_table import find_colors
from labelguard.stages.colors_to_ids import ColorsToIds
from tests.drawn import examples

SKY, ROAD, VOID = (70, 130, 180), (128, 64, 128), (224, 224, 192)
IDS = {SKY: 0, ROAD: 1}


def table(tmp_path: Path, name: str, text: str) -> Any:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return find_colors(tmp_path / name)


def refusal(tmp_path: Path, name: str, text: str) -> str:
    with pytest.raises(SpecError) as refused:
        table(tmp_path, name, text)
    assert str(refused.value).startswith(f"{tmp_path / name}")
    return str(refused.value)


@pytest.mark.parametrize(("name", "text"), [
    ("labelmap.txt", "# label:color_rgb:parts:actions\nsky:70,130,180::\nroad:128,64,128::\n"),
    ("label_colors.txt", "70 130 180 sky\n128 64 128 road\n"),
    ("names.txt", "sky 70 130 180\nroad 128 64 128\n"),
    ("classes.csv", "name,r,g,b\nsky,70,130,180\nroad,128,64,128\n"),
    ("classes.csv", "id,name,red,green,blue\n1,road,128,64,128\n0,sky,70,130,180\n"),
    ("table.csv", "r,g,b,id\n70,130,180,0\n128,64,128,1\n"),
    ("table.csv", "color;id\n#4682b4;0\n(128, 64, 128);1\n"),
    ("table.json", '{"70,130,180": 0, "#804080": 1}'),
    ("table.csv", "r,g,b,class\n128,64,128,1\n70,130,180,0\n"),
    ("table.csv", "label,red,green,blue\nsky,70,130,180\nroad,128,64,128\n"),
    ("table.json", '{"1": [128, 64, 128], "0": [70, 130, 180]}'),
    ("table.json", "[[[70, 130, 180], 0], [[128, 64, 128], 1]]"),
    ("table.json", '[{"color": "#4682b4", "id": 0}, {"color": [128, 64, 128], "id": 1}]'),
    ("coco.json", '{"categories": [{"id": 0, "name": "sky", "color": [70, 130, 180]}, '
                  '{"id": 1, "name": "road", "color": [128, 64, 128]}]}'),
    ("config.json", '{"id2label": {"0": "sky", "1": "road"}, "id2color": {"0": [70, 130, 180], "1": [128, 64, 128]}}'),
    ("config.json", '{"id2label": {"0": "sky", "1": "road"}, "palette": [[70, 130, 180], [128, 64, 128]]}'),
    ("cvat.json", '[{"name": "sky", "id": 9, "color": "#4682b4", "attributes": []}, '
                  '{"name": "road", "id": 3, "color": "#804080", "attributes": []}]'),
    ("data.py", "METAINFO = dict(classes=('sky', 'road'), palette=[[70, 130, 180], [128, 64, 128]])"),
    ("labelguard.toml", 'names = ["sky", "road"]\ncolors = [[70, 130, 180], [128, 64, 128]]\n'),
    ("table.toml", '"70,130,180" = 0\n"#804080" = 1\n'),
])
def test_every_kind_of_file_gives_the_ids_of_its_colors(tmp_path: Path, name: str, text: str) -> None:
    ids, spec = table(tmp_path, name, text).resolved(LabelSpec(), name)
    assert ids == IDS and spec.num_classes == 2 and spec.ignore_index == ()


def test_colors_give_the_ids_that_classes_give(tmp_path: Path) -> None:
    found = table(tmp_path, "labelmap.txt", "sky:70,130,180::\n__ignore__:224,224,192::\nroad:128,64,128::\n")
    ids, spec = found.resolved(LabelSpec(), "labelmap.txt")
    assert ids == {**IDS, VOID: 255} and (spec.num_classes, spec.ignore_index) == (2, (255,))
    assert read_classes(tmp_path / "labelmap.txt").names == spec.names == ("sky", "road")
    assert found.resolved(LabelSpec(ignore_index=9), "")[0][VOID] == 9


@pytest.mark.parametrize(("name", "text", "words"), [
    ("labelmap.txt", "sky:70,130,180::\nroad:70,130,180::\n", "'sky' (0) and 'road' (1) have the same color, 70,130,180"),
    ("labelmap.txt", "sky:70,130,180::\n__ignore__:70,130,180::\n", "'sky' (0) has the color of what is ignored"),
    ("labelguard.toml", "num_classes = 2\ncolors = [[1, 2, 3], [1, 2, 3]]\n", "class 0 and class 1 have the same color"),
    ("labelguard.toml", 'names = ["a"]\n', "declares no colors"),
    ("names.txt", "sky\nroad\n", "declares no colors"),
    ("ids.txt", "0 70 130 180\n1 128 64 128\n", "its lines are four numbers, and do not say which is the id"),
    ("t.csv", "color,id\n#010203,1\n#010203,2\n", "the color 1,2,3 is given the ids 1 and 2"),
    ("t.csv", "color,id\n#010203\n", "row 2 has 1 cells"),
    ("t.csv", "color,id\nred,1\n", "row 2: 'red' is not a color"),
    ("t.csv", "r,g,b,id\n1,2,300,1\n", "row 2: [1, 2, 300] is not a color"),
    ("t.csv", "color,id\n#010203,70000\n", "70000 is no id"),
    ("t.json", '{"1,2,3": 1.5}', "1.5 is not an id"),
    ("t.json", '{"1,2,3": {}}', "a table where its id should stand"),
    ("t.json", "{", "it is not JSON"),
    ("t.json", '{"1,2,3": 1, "4,5,6": 0, "1,2,3": 2}', "the key '1,2,3' stands twice"),
    ("t.toml", "a = [", "cannot be read as colors"),
])
def test_what_says_no_one_id_for_a_color_is_refused(tmp_path: Path, name: str, text: str, words: str) -> None:
    assert words in refusal(tmp_path, name, text)


def test_several_colors_may_become_one_class(tmp_path: Path) -> None:
    ids, _ = table(tmp_path, "t.csv", "color,id,name\n#000001,0,road\n#000002,0,lane\n").resolved(LabelSpec(), "t.csv")
    assert ids == {(0, 0, 1): 0, (0, 0, 2): 0}


def test_names_of_a_table_are_kept_where_every_class_has_one(tmp_path: Path) -> None:
    rows = "color,id,name\n#000001,1,road\n#000002,0,sky\n#000003,255,void\n"
    assert table(tmp_path, "t.csv", rows).resolved(LabelSpec(), "")[1] == LabelSpec(2, 255, ("sky", "road"))
    assert table(tmp_path, "t.csv", rows.replace("sky", "")).resolved(LabelSpec(), "")[1] == LabelSpec(2, 255)


def test_255_is_void_where_it_is_called_so_and_else_asked_about(tmp_path: Path) -> None:
    rows = "color,id,name\n#000001,0,a\n#000002,255,"
    assert table(tmp_path, "t.csv", rows + "void\n").resolved(LabelSpec(), "t.csv")[1] == LabelSpec(1, 255, ("a",))
    open_ = table(tmp_path, "t.csv", rows + "b\n")
    with pytest.raises(SpecError, match=r"t\.csv gives a color the id 255: say whether it is ignored \(--ignore-index 255\)"):
        open_.resolved(LabelSpec(), "t.csv")
    assert open_.resolved(LabelSpec(ignore_index=255), "")[1].num_classes == 1
    assert open_.resolved(LabelSpec(256), "")[1].num_classes == 256


def test_what_is_declared_besides_wins_and_is_held_against_the_ids(tmp_path: Path) -> None:
    found = table(tmp_path, "t.csv", "color,id\n#000001,4\n")
    assert found.resolved(LabelSpec(5), "t.csv")[1].num_classes == 5
    with pytest.raises(SpecError, match=r"gives the color 0,0,1 the id 4, which is neither a class nor ignored \(classes are 0-3\)"):
        found.resolved(LabelSpec(4), "t.csv")
    with pytest.raises(SpecError, match="several labels are"):
        find_colors("voc").resolved(LabelSpec(ignore_index=(253, 254)), "voc")


def test_classes_in_another_order_than_they_are_declared_in_are_refused(tmp_path: Path) -> None:
    found = table(tmp_path, "labelmap.txt", "sky:70,130,180::\nroad:128,64,128::\ncar:1,2,3::\n")
    with pytest.raises(SpecError, match=r"gives 'sky' the id 0, and the names that are declared give it 1\. Put the classes into"):
        found.resolved(LabelSpec(names=("road", "Sky", "car")), "labelmap.txt")
    for names in (("sky", "Road", "car"), ("sky", "street", "car"), ("sky", "road", "sky")):  # the same, in other words, and twice
        assert found.resolved(LabelSpec(names=names), "labelmap.txt")[1].names == names
    with pytest.raises(SpecError, match="The preset camvid gives"):
        ColorsToIds("camvid", names=find_colors("camvid").spec.names[::-1])


# --- presets ------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "colors", "void"), [
    ("voc", 21, 1), ("camvid", 11, 1), ("cityscapes-train", 19, 10), ("cityscapes", 29, 0), ("ade20k", 148, 0)])
def test_presets_with_colors(name: str, colors: int, void: int) -> None:
    found = find_colors(name)
    assert (len(found.ids), len(found.void)) == (colors, void)


def test_colors_that_classes_of_a_preset_share_are_told() -> None:
    pole = (153, 153, 153)
    assert find_colors("cityscapes").ids[pole] == 17 and any("polegroup" in remark for remark in find_colors("cityscapes").remarks)
    assert find_colors("cityscapes-train").ids[pole] == 5 and find_colors("cityscapes-train").remarks
    ade = find_colors("ade20k")
    assert (140, 140, 140) not in ade.ids and "road" in ade.remarks[0] and "skyscraper" in ade.remarks[0]


def test_what_is_neither_a_file_nor_a_preset_with_colors_is_refused() -> None:
    with pytest.raises(SpecError, match="'nope' is neither a file nor a preset with colors; presets with colors are ade20k, camvid"):
        find_colors("nope")
    with pytest.raises(SpecError, match="The preset coco has no colors"):
        find_colors("coco")


@pytest.mark.parametrize("text", ["1,2,3", "(1, 2, 3)", "[1 2 3]", "#010203", "010203", [1, 2, 3], (1, 2, 3)])
def test_colors_are_read_as_people_write_them(text: Any) -> None:
    assert parsed_color(text) == (1, 2, 3)


LEAF = st.sampled_from(["1,2,3", "#010203", "road", "id", "color", "name", [1, 2, 3], [1, 2, 300], 0, 1, -1, 70000, 1.5, None, True])
ANY = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
    st.sampled_from(["1,2,3", "#010203", "0", "1", "id", "color", "name", "names", "colors", "id2label", "palette", "categories"]), inner,
    max_size=4), max_leaves=8)
ROWS = st.lists(st.lists(st.sampled_from(["r", "g", "b", "id", "color", "name", "1", "2", "255", "300", "#010203", "x", ""]), max_size=5))


@examples(30)
@given(content=ANY | ROWS.map(lambda rows: "\n".join(map(",".join, rows))),
       suffix=st.sampled_from([".json", ".csv", ".txt", ".toml", ".yaml"]))
def test_any_content_is_a_table_or_a_sentence(content: Any, suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    try:
        ids, spec = find_colors(path).resolved(LabelSpec(), "it")
    except SpecError as problem:
        assert str(problem)
    else:
        assert ids and all(spec.is_legal(label) for label in ids.values())


def test_a_deep_file_is_refused(tmp_path: Path) -> None:
    assert "nested too deeply" in refusal(tmp_path, "t.json", "[" * 100_000 + json.dumps(1))
