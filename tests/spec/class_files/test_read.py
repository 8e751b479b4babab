"""Class lists of the usual tools, each as the tool writes it, and what is none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelguard
from labelguard.errors import SpecError
from labelguard.spec.labelspec import LabelSpec

ROAD, CAR = (128, 64, 128), (0, 0, 142)
PLAIN = LabelSpec(names=["background", "road", "traffic light"])
COLORED = LabelSpec(names=["background", "road", "car"], colors=[(0, 0, 0), ROAD, CAR])

CVAT = "# label:color_rgb:parts:actions\nbackground:0,0,0::\nroad:128,64,128::\ncar:0,0,142::\n"
CVAT_LABELS = [{"name": name, "id": key, "color": color, "attributes": []}
               for key, name, color in ((70233, "background", "#000000"), (70234, "road", "#804080"), (70235, "car", "#00008e"))]
MMSEG = '''import torch
from mmseg.registry import DATASETS

@DATASETS.register_module()
class StreetDataset(BaseSegDataset):
    METAINFO = dict(
        classes=("background", "road", "car"),
        palette=[[0, 0, 0], [128, 64, 128], [0, 0, 142]])

    def __init__(self, img_suffix=".jpg", **kwargs) -> None:
        super().__init__(img_suffix=img_suffix, **kwargs)
'''


def write(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode())
    return path


@pytest.mark.parametrize(("name", "content", "spec"), [
    ("classes.txt", "background\nroad\n\n# a remark\ntraffic light \n", PLAIN),
    ("classes.names", b"\xef\xbb\xbfbackground\r\nroad\r\ntraffic light\r\n", PLAIN),
    ("labels.txt", "__ignore__\n_background_\nroad\n", LabelSpec(names=["_background_", "road"], ignore_index=255)),
    ("labelmap.txt", CVAT, COLORED), ("labelmap.txt", CVAT.split("\n", 1)[1], COLORED),
    ("labelmap.txt", "# label:color_rgb:parts:actions\nbackground:0,0,0::\nroad:::\n", LabelSpec(names=["background", "road"])),
    ("ids.txt", "0: background\n1: road\n2: traffic light\n", PLAIN), ("ids.txt", "2\ttraffic light\n0\tbackground\n1\troad\n", PLAIN),
    ("label_colors.txt", "0 0 0\tbackground\n128 64 128\troad\n0 0 142\tcar\n", COLORED),
    ("palette.txt", "background 0 0 0\nroad 128 64 128\ncar 0 0 142\n", COLORED),
    ("plain.txt", "car\n2 wheeler\nhgv\n", LabelSpec(names=["car", "2 wheeler", "hgv"])),
    ("ade.txt", "building, edifice\ntelevision receiver; tv set\n", LabelSpec(names=["building, edifice", "television receiver; tv set"])),
    ("_classes.csv", "Pixel Value, Class\n0, background\n1, road\n2, traffic light\n", PLAIN),
    ("class_dict.csv", "name,r,g,b\nbackground,0,0,0\nroad,128,64,128\ncar,0,0,142\n", COLORED),
    ("classes.tsv", "id\tname\n1\troad\n2\ttraffic light\n", PLAIN),
    ("names.json", ["background", "road", "traffic light"], PLAIN),
    ("config.json", {"model_type": "segformer", "id2label": {"0": "background", "1": "road", "2": "traffic light"}}, PLAIN),
    ("id2label.json", {"0": "background", "1": "road", "2": "traffic light"}, PLAIN),
    ("label2id.json", {"background": 0, "road": 1, "traffic light": 2}, PLAIN),
    ("dataset.json", {"labels": {"0": "background", "1": "road", "2": "traffic light"}, "numTraining": 3}, PLAIN),
    ("dataset.json", {"labels": {"background": 0, "road": 1, "ignore": 2}}, LabelSpec(names=["background", "road"], ignore_index=2)),
    ("coco.json", {"images": [], "categories": [{"id": 1, "name": "road", "isthing": 0}, {"id": 2, "name": "traffic light"}]}, PLAIN),
    ("panoptic.json", [{"id": 0, "name": "background", "color": [0, 0, 0]}, {"id": 1, "name": "road", "color": list(ROAD)},
                       {"id": 2, "name": "car", "color": list(CAR)}], COLORED),
    ("gap.json", {"categories": [{"id": 3, "name": "c"}, {"id": 1, "name": "a"}]},
     LabelSpec(names=["unused-0", "a", "unused-2", "c"])),
    ("labels.json", CVAT_LABELS, COLORED),
    ("data.yaml", "path: x\ntrain: images\nnc: 3\nnames:\n  0: background\n  1: road\n  2: traffic light\n", PLAIN),
    ("data.yml", "names: [background, road, traffic light]\n", PLAIN),
    ("street.py", MMSEG, COLORED),
    ("street.py", "CLASSES: list = ['background', 'road', 'car']\nPALETTE = [[0,0,0],[128,64,128],[0,0,142]]", COLORED),
])
def test_what_the_usual_tools_write_is_read(tmp_path: Path, name: str, content: Any, spec: LabelSpec) -> None:
    assert labelguard.read_classes(write(tmp_path, name, content)) == spec


@pytest.mark.parametrize(("name", "content", "sentence"), [
    ("a.txt", "", "names no classes"), ("a.txt", "# only a remark", "names no classes"),
    ("a.txt", "background\n{'road': 1}\n", "line 2, '{'road': 1}', is not a class name"),
    ("a.txt", "names:\n  - road\n", "line 1, 'names:', is not a class name"),
    ("a.txt", "road\n<html>\n", "line 2"), ("a.txt", "road\nx\x1b[31m\n", "line 2"), ("a.txt", "r" * 101, "line 1"),
    ("a.txt", "0: background\n1: road\ncar\n", "line 3, 'car', is not like the other lines, such as '0: background'"),
    ("a.txt", "0 a\n0 b\n", "the id 0 is both 'a' and 'b'"), ("a.txt", "a 0 0 0\nb 1 2 256\n", "is not a color"),
    ("a.txt", b"\xff\xfe\x00r\x00", "not a text in UTF-8"), ("a.txt", b"\x89PNG\r\n\x1a\n", "not a text in UTF-8"),
    ("a.txt", "# label:color_rgb:parts:actions\nroad\n", "line 2, 'road', is not 'name:red,green,blue:parts:actions'"),
    ("a.txt", "background, car, road\n", "line 1, 'background, car, road', is a list with commas; write one name on each line"),
    ("a.txt", "0\n85\n170\n255\n", "its lines are numbers"),
    ("a.csv", "x,y\n1,2\n", "names no column 'name' or 'class'"), ("a.csv", "id,name\n0\n", "row 2 has 1 cells"),
    ("a.csv", "id,name\nx,road\n", "'x' is not an id"), ("a.csv", "name,r,g,b\nroad,0,,0\n", "is not a color"),
    ("a.json", "", "is not JSON"), ("a.json", "nope", "is not JSON"), ("a.json", {}, "holds no classes"),
    ("a.json", [], "names no classes"),
    ("a.json", "3", "holds no classes"), ("a.json", [1, 2], "name 1 is 1, which is not a class name"),
    ("a.json", ["a", ""], "name 2 is ''"),
    ("a.json", {"shapes": [], "version": "5.0"}, "the key 'shapes' says nothing of classes"),
    ("a.json", {"categories": [{"id": 1}]}, "entry 1 has no 'name'"),
    ("a.json", {"0": "a", "1": 5}, "the key '0' says nothing of classes"), ("a.json", {"a": -1}, "'a' has the id -1"),
    ("a.json", {"0": "a", "65536": "b"}, "'b' has the id 65536"), ("a.json", {"0": "a", "255": "b"}, "codes of colors or grey values"),
    ("a.json", {"labels": {"background": 0, "whole": [1, 2]}}, "'whole' is a region of several ids"),
    ("a.json", "[" * 100_000, "nested too deeply"), ("a.yaml", "names: {0: a, 0.5: b}", "0.5 is not an id"),
    ("a.yaml", "a: [", "is not YAML"), ("a.yaml", "names: [a]\nnc: 2\n", "'nc' is 2, but there are 1 names"),
    ("a.json", '{"0": "a", "1": "b", "1": "c"}', "the key '1' stands twice in one mapping, with different values"),
    ("a.yaml", "names:\n  0: a\n  1: b\n  1: c\n", "the key '1' stands twice in one mapping, with different values"),
    ("a.yaml", "names: !!python/object/apply:os.system ['true']", "is not YAML"),
    ("a.py", "x = 1", "neither METAINFO nor CLASSES"), ("a.py", "def", "line 1 is not Python"),
    ("a.py", "CLASSES = open('x').read()", "neither METAINFO nor CLASSES"),
    ("a.py", "class A:\n  CLASSES = ['a']\nclass B:\n  CLASSES = ['b']\n", "several class lists, in A, B"),
    ("a.py", "CLASSES = ['a']\nPALETTE = [[0,0,0],[1,1,1]]", "there are 1 names and 2 colors"),
])
def test_what_is_none_of_them_is_refused_with_its_place(tmp_path: Path, name: str, content: Any, sentence: str) -> None:
    with pytest.raises(SpecError) as problem:
        labelguard.read_classes(write(tmp_path, name, content))
    assert str(problem.value).startswith(f"{tmp_path / name} cannot be read as classes: ") and sentence in str(problem.value)


@pytest.mark.parametrize(("name", "content"), [
    ("a.json", '{"0": "a", "1": "b", "1": "b"}'),
    ("a.yaml", "base: &base {x: 1}\nnames:\n  0: a\n  1: b\n  1: b\nother: {<<: *base, x: 2}\n")])
def test_a_key_that_stands_twice_with_one_value_says_the_same_twice(tmp_path: Path, name: str, content: str) -> None:
    assert labelguard.read_classes(write(tmp_path, name, content)).names == ("a", "b")


def test_a_place_that_holds_no_file_is_named(tmp_path: Path) -> None:
    for place, reason in ((tmp_path / "none.txt", "no such file"), (tmp_path, "not a file")):
        with pytest.raises(SpecError, match=reason):
            labelguard.read_classes(place)


def test_the_number_of_missing_ids_is_what_tells_codes_from_classes(tmp_path: Path) -> None:
    assert labelguard.read_classes(write(tmp_path, "a.json", {"0": "a", "19": "b"})).num_classes == 20
    with pytest.raises(SpecError, match="codes of colors"):
        labelguard.read_classes(write(tmp_path, "a.json", {"0": "a", "20": "b"}))


def test_a_very_large_file_is_not_read_for_its_classes(tmp_path: Path) -> None:
    with (tmp_path / "instances.json").open("wb") as file:
        file.truncate((32 << 20) + 1)
    with pytest.raises(SpecError, match="more than 32 MiB; keep the part that names the classes in a file of its own"):
        labelguard.read_classes(tmp_path / "instances.json")


NAMES = st.lists(st.text("abcdefghijklmnopqrstuvwxyz -_'", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=30)


@given(NAMES)
def test_plain_names_come_back_as_they_are(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("names")
    assert labelguard.read_classes(write(folder, "names.txt", "\n".join(names))).names == tuple(names)
    assert labelguard.read_classes(write(folder, "names.json", names)).names == tuple(names)


KEYS = st.sampled_from(["names", "labels", "categories", "id2label", "id", "name", "color", "nc", "0", "1", "x"])
ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
                   lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
                   max_leaves=12)


@given(ANY)
def test_any_json_is_classes_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    try:
        spec = labelguard.read_classes(write(tmp_path_factory.mktemp("any"), "any.json", value))
    except SpecError as problem:
        assert "cannot be read as classes" in str(problem)
    else:
        assert spec.num_classes == len(spec.names)


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode), st.sampled_from([".txt", ".csv", ".yaml", ".py", ".json", ""]))
def test_any_bytes_are_classes_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str) -> None:
    try:
        assert labelguard.read_classes(write(tmp_path_factory.mktemp("any"), f"any{suffix}", content)).names
    except SpecError as problem:
        assert "cannot be read as classes" in str(problem)
