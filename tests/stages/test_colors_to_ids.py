"""ColorsToIds: each pixel gets the id of its color, and no color is passed over."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import labelguard
from labelguard import ColorsToIds, LabelSpec, MaskRejectedError, Pipeline, Remap, Resize, Stage, UsageError, functional
from labelguard.stages.pipeline_file import read_pipeline, write_pipeline
from tests.drawn import examples

TABLE = {"0,0,0": 0, (128, 64, 128): 1, "#f423e8": 2, "1,2,3": 255}
STAGE = ColorsToIds(TABLE, ignore_index=255)
ROAD, WALK = (128, 64, 128), (244, 35, 232)
PICTURE = np.array([[(0, 0, 0), ROAD, WALK], [(1, 2, 3), ROAD, (0, 0, 0)]], np.uint8)
IDS = [[0, 1, 2], [255, 1, 0]]

channel = st.sampled_from([0, 1, 127, 128, 255])
colors = st.tuples(channel, channel, channel)


def refusal(stage: Stage, picture: Any) -> labelguard.Finding:
    with pytest.raises(MaskRejectedError) as refused:
        stage(picture)
    finding, = refused.value.findings
    return finding


@examples(60)
@given(table=st.dictionaries(colors, st.integers(0, 300), min_size=1, max_size=8), pixels=st.lists(colors, min_size=12, max_size=12))
def test_it_is_a_look_up_of_each_pixel(table: dict[Any, int], pixels: list[Any]) -> None:
    stage, picture = ColorsToIds(table), np.array(pixels, np.uint8).reshape(3, 4, 3)
    expected = [[table.get(tuple(color)) for color in row] for row in picture.tolist()]
    unknown = [(y, x) for y, row in enumerate(expected) for x, label in enumerate(row) if label is None]
    if unknown:
        finding = refusal(stage, picture)
        assert (finding.code, finding.first, finding.pixels) == ("LG003", unknown[0], len(unknown))
    else:
        assert stage(picture).tolist() == expected


@pytest.mark.parametrize("given_picture", [
    PICTURE, np.dstack([PICTURE, np.full((2, 3), 255, np.uint8)]), np.asfortranarray(PICTURE), PICTURE.repeat(2, 1)[:, ::2],
    Image.fromarray(PICTURE), Image.fromarray(PICTURE).convert("RGBA"), Image.fromarray(PICTURE).quantize(4),
])
def test_pictures_of_every_kind_give_the_same_ids(given_picture: Any) -> None:
    ids = STAGE(given_picture)
    assert ids.tolist() == IDS and ids.dtype == np.uint8 and ids.flags.writeable


def test_tensors_are_taken_either_way_round() -> None:
    torch = pytest.importorskip("torch")
    for tensor in (torch.from_numpy(PICTURE), torch.from_numpy(PICTURE).permute(2, 0, 1)):
        assert STAGE(tensor).tolist() == IDS and isinstance(STAGE(tensor), torch.Tensor)


def test_the_functional_twin_gives_the_same() -> None:
    assert functional.colors_to_ids(PICTURE, TABLE, ignore_index=255).tolist() == IDS


@pytest.mark.parametrize("given_picture", [np.array(IDS, np.uint8), PICTURE.astype(np.int64), PICTURE[..., :2], PICTURE[:0], [1],
                                           Image.new("I", (2, 2))])
def test_what_is_no_picture_is_refused(given_picture: Any) -> None:
    with pytest.raises(TypeError, match=r"[Cc]olors"):
        STAGE(given_picture)


def test_it_is_a_value() -> None:
    assert pickle.loads(pickle.dumps(STAGE)) == STAGE and hash(STAGE) == hash(pickle.loads(pickle.dumps(STAGE)))
    for stage in (STAGE, ColorsToIds("voc"), ColorsToIds("rgb-ids")):
        assert eval(repr(stage), {"ColorsToIds": ColorsToIds}) == stage


def test_a_preset_brings_its_void_label_and_its_names() -> None:
    stage = ColorsToIds("camvid")
    assert stage.spec == LabelSpec(11, 11, stage.names) and stage.names[0] == "sky"
    assert stage(np.array([[(0, 0, 0), (128, 128, 128)]], np.uint8)).tolist() == [[11, 0]]
    assert ColorsToIds("voc", ignore_index=200)(np.array([[(224, 224, 192)]], np.uint8)).tolist() == [[200]]


def test_ids_of_sixteen_bits_need_sixteen() -> None:
    assert ColorsToIds({"0,0,0": 255})(PICTURE[:1, :1]).dtype == np.uint8
    assert ColorsToIds({"0,0,0": 256})(PICTURE[:1, :1]).dtype == np.uint16


def test_packed_ids_are_red_and_green_and_blue() -> None:
    ids = ColorsToIds("rgb-ids")(np.array([[(1, 0, 0), (0, 1, 0), (0, 0, 1), (255, 255, 255)]], np.uint8))
    assert ids.tolist() == [[1, 256, 65536, (1 << 24) - 1]] and ids.dtype == np.int32


def test_a_pipeline_may_begin_with_colors_and_only_begin() -> None:
    assert Pipeline([STAGE, Remap(1, num_classes=4, ignore_index=255), Resize(scale=1)])(PICTURE).tolist() == [[1, 2, 3], [255, 2, 1]]
    with pytest.raises(UsageError, match="put it first"):
        Pipeline([Resize(scale=1), STAGE])


def test_a_pipeline_file_holds_it(tmp_path: Any) -> None:
    pipeline = Pipeline([STAGE, Remap(1, num_classes=4, ignore_index=255)])
    (tmp_path / "p.toml").write_text(write_pipeline(pipeline))
    assert read_pipeline(tmp_path / "p.toml") == pipeline
    (tmp_path / "p.toml").write_text('[[stage]]\nkind = "colors-to-ids"\ncolors = "voc"\n')
    assert read_pipeline(tmp_path / "p.toml") == Pipeline([ColorsToIds("voc")])


# --- what is refused ----------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("color", "words"), [
    ((129, 64, 127), "; the nearest in the table is 128,64,128, 1 away"),
    ((140, 52, 128), "; the nearest in the table is 128,64,128, 12 away"),
    ((186, 50, 180), ": a mixture of 128,64,128 and 244,35,232, as smoothing leaves it"),
    ((232, 35, 244), "; the nearest in the table is 244,35,232, 12 away"),
    ((3, 2, 1), "; the nearest in the table is 1,2,3, 2 away"),
    ((9, 200, 9), "; the nearest in the table is 128,64,128, 136 away"),
])
def test_an_unknown_color_is_told_with_what_it_may_be(color: tuple[int, ...], words: str) -> None:
    picture = PICTURE.copy()
    picture[1, 2] = color
    finding = refusal(STAGE, picture)
    assert (finding.first, finding.pixels, finding.box) == ((1, 2), 1, (1, 2, 2, 3))
    assert finding.evidence == (f"{','.join(map(str, color))} on 1 pixel, first at row 1, column 2{words}",)


def test_exchanged_channels_are_told() -> None:
    finding = refusal(ColorsToIds({"10,20,200": 1}), np.array([[(200, 20, 10)]], np.uint8))
    assert finding.evidence[0].endswith(": 10,20,200, which is in the table, with red and blue exchanged")


def test_what_is_not_opaque_is_refused() -> None:
    picture = np.dstack([PICTURE, np.array([[255, 255, 255], [255, 254, 255]], np.uint8)])
    finding = refusal(STAGE, picture)
    assert finding.message.startswith("1 color is transparent") and finding.first == (1, 1)
    assert "128,64,128 with alpha 254" in finding.evidence[0]
    assert refusal(ColorsToIds("rgb-ids"), picture).first == (1, 1)


def test_a_color_of_two_classes_of_a_preset_is_refused_with_both_names() -> None:
    finding = refusal(ColorsToIds("ade20k"), np.array([[(140, 140, 140)]], np.uint8))
    assert "the color of 6 (road) and 48 (skyscraper)" in finding.evidence[0]


@pytest.mark.parametrize(("arguments", "words"), [
    (({"0,0,0": 1, (0, 0, 0): 2},), "The color 0,0,0 has two ids, 1 and 2"),
    (({},), "colors is empty"),
    (({"red": 1},), "'red' is not a color"),
    (({"0,0,256": 1},), "is not a color"),
    (({"0,0,0": -1},), "must be a whole number, at least 0"),
    (({"0,0,0": 1.5},), "must be a whole number"),
    (({"0,0,0": 3}, 3), "The color 0,0,0 has the id 3, which is neither a class"),
    ((7,), "does not say which id a color has"),
    (("nope",), "the name of a preset"),
    (("coco",), "has no colors"),
])
def test_tables_that_make_no_sense_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ColorsToIds(*arguments)
