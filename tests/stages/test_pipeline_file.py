from __future__ import annotations

import re
from dataclasses import MISSING
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.checks.registry import all_rules
from labelguard.errors import SpecError, UsageError
from labelguard.spec.declarations import read_preset
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import ColorsToIds, Pipeline, RejectEmpty, Remap, Resize, Stage, Validate
from labelguard.stages.arguments import keys_of, value_text
from labelguard.stages.pipeline_file import KINDS, find_pipeline, pipelines, read_pipeline, write_pipeline
from labelguard.stages.stage import Stage as Base

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pipelines.md"

# Every argument of every stage, at a value that is not its default.
FULL: dict[str, list[Stage]] = {
    "remap": [Remap(-1, {0: "last", "3,4": 1}, None, 3, (255, 254), ("a", 'b "quoted" \\ \t\x7f ü', "5")), Remap(table={0: 1, 255: 0}),
              Remap(table={})],
    "validate": [Validate(LabelSpec(2, (255, -1), ("", "b"), ((0, 0, 0), (255, 0, 9)), 1), ("LG1", "LG202"), ("off-by-one",)),
                 Validate(LabelSpec())],
    "resize": [Resize(256, 512, "center", {7: 0.25, 255: 1e-07}, None, 12, (255,)), Resize(scale=0.5), Resize(scale=2)],
    "reject-empty": [RejectEmpty(0.01, 3, (255,)), RejectEmpty()],
    "colors-to-ids": [ColorsToIds({"0,0,0": 1, "#ff0001": 255, "1,2,3": 1}, 3, (254, 255), ("a", "b", "c"))],
}

ON_MASKS = [rule.code for rule in all_rules() if rule.mask_check and not rule.needs_classes]

ids = st.integers(0, 400)
shares = st.floats(0, 1, exclude_min=True)
names = st.text(max_size=8)


@st.composite
def specs(draw: st.DrawFn) -> LabelSpec:
    ignore = tuple(draw(st.sets(st.integers(-1, 300), max_size=3)))
    classes = draw(st.none() | st.integers(1, 12))
    if classes is None:
        return LabelSpec(None, ignore)
    wanted = {"names": st.tuples(*[names] * classes), "colors": st.tuples(*[st.tuples(*[st.integers(0, 255)] * 3)] * classes),
              "background": st.none() | st.sampled_from([label for label in range(classes) if label not in ignore] or [None])}
    return LabelSpec(classes, ignore, **{key: draw(value) for key, value in wanted.items() if draw(st.booleans())})


@st.composite
def remaps(draw: st.DrawFn) -> Remap:
    spec = draw(specs())
    legal = [label for label in range(spec.num_classes or 300) if label not in spec.ignore_index] + list(spec.ignore_index)
    moves = draw(st.dictionaries(st.integers(-5, 400), st.sampled_from(legal), max_size=9))
    given = (spec.num_classes, spec.ignore_index, spec.names)
    return draw(st.sampled_from([Remap(0, (), moves, *given), Remap(draw(st.integers(-300, 300)), moves, None, *given)]))


@st.composite
def resizes(draw: st.DrawFn) -> Resize:
    more = {"ties": draw(st.sampled_from(["lowest", "center"])), "keep": draw(st.dictionaries(ids, shares, max_size=4)),
            "num_classes": draw(st.none() | ids.map(lambda label: label + 1)), "ignore_index": draw(st.sets(ids, max_size=3))}
    if draw(st.booleans()):
        return Resize(scale=draw(st.floats(1e-9, 999) | st.integers(1, 999)), **more)
    return Resize(draw(st.integers(1, 9999)), draw(st.integers(1, 9999)), **more)


RANDOM: dict[str, st.SearchStrategy[Stage]] = {
    "remap": remaps(), "resize": resizes(),
    "validate": st.builds(Validate, specs(), st.lists(st.sampled_from(ON_MASKS), max_size=3), st.just(()) | st.just(("junk-file",))),
    "reject-empty": st.builds(RejectEmpty, st.just(0) | shares, st.integers(-1, 300), st.sets(ids, max_size=3)),
    "colors-to-ids": st.builds(ColorsToIds, st.just("rgb-ids") | st.dictionaries(st.tuples(*[st.integers(0, 255)] * 3), ids, min_size=1),
                               st.none(), st.sets(ids, max_size=3)),
}


def read(text: str, folder: Path) -> Pipeline:
    path = folder / "street.toml"
    path.write_text(text, encoding="utf-8")
    return read_pipeline(path)


def refused(text: str, folder: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read(text, folder)
    sentence = str(caught.value)
    assert sentence.startswith(str(folder / "street.toml"))
    return sentence.removeprefix(f"{folder}/")


@given(stages=st.lists(st.one_of(*RANDOM.values()), min_size=1, max_size=4).filter(
    lambda stages: not any(stage.reads_colors for stage in stages[1:])))
def test_what_is_written_reads_back_equal(stages: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert read(write_pipeline(Pipeline(stages)), tmp_path_factory.mktemp("round")) == Pipeline(stages)


@pytest.mark.parametrize("kind", KINDS)
def test_every_argument_of_every_stage_goes_there_and_back(kind: str, tmp_path: Path) -> None:
    pipeline = Pipeline(FULL[kind])
    text = write_pipeline(pipeline)
    assert read(text, tmp_path) == pipeline
    written = set(re.findall(r"^(\w+) = |^\[stage\.(\w+)\]", text, re.MULTILINE))
    assert {plain or table for plain, table in written} >= set(keys_of(KINDS[kind]))


def test_every_stage_is_known_here() -> None:
    concrete = {cls for cls in Base.__subclasses__() if cls.__module__.startswith("labelguard.stages.")} - {Pipeline}
    assert set(KINDS.values()) == concrete and FULL.keys() == RANDOM.keys() == KINDS.keys()


def test_reads_a_file_as_people_write_it(tmp_path: Path) -> None:
    text = '''\ufeff
        name = "street"
        description = "ours"
        source = "us"

        [[stage]]
        kind = "validate"
        preset = "camvid"

        [[stage]]
        kind = "remap"
        shift = -1
        merge = {"0" = "last", "1,2,5" = 0, 30-33 = "ignore", car = "road"}
        num_classes = 3
        ignore_index = 255
        names = ["road", "car", "other"]

        [[stage]]
        kind = "remap"
        table = {0-2 = 1, 5 = "last"}
        num_classes = 4

        [[stage]]
        kind = "resize"
        height = 256
        width = 512
        [stage.keep]
        2 = 0.25

        [[stage]]
        kind = "reject-empty"
        '''
    assert read(text, tmp_path) == Pipeline([
        Validate(read_preset("camvid")),
        Remap(-1, {0: 2, (1, 2, 5): 0, "30-33": 255, "car": "road"}, None, 3, 255, ("road", "car", "other")),
        Remap(table={0: 1, 1: 1, 2: 1, 5: 3}, num_classes=4),
        Resize(256, 512, keep={2: 0.25}),
        RejectEmpty(),
    ])


def test_a_key_that_reads_as_an_id_is_an_id_even_where_a_class_has_that_name(tmp_path: Path) -> None:
    text = '[[stage]]\nkind = "remap"\nshift = -1\nnum_classes = 2\nnames = ["7", "b"]\nmerge = {7 = "b"}\n'
    assert read(text, tmp_path).stages[0].target(7) == 1


REMAP, RESIZE, CHECK = (f'[[stage]]\nkind = "reject-empty"\n[[stage]]\nkind = "{kind}"\n' for kind in ("remap", "resize", "validate"))


@pytest.mark.parametrize(("text", "sentence"), [
    ("stage = ", "cannot be read as a pipeline: Invalid value"),
    ("", "stage: there is none"),
    ("[stage]\nkind = 'remap'", "stage: begin every stage with [[stage]]"),
    ("stage = [1]", "stage: begin every stage with [[stage]]"),
    ("stages = []", "stages: unknown key; a pipeline file has name, description and source"),
    ("name = 1", "name: it must be a text, not 1."),
    ("[[stage]]\nshift = 1", "stage[0].kind: it is missing; kinds are remap, validate, resize, reject-empty and colors-to-ids."),
    ("[[stage]]\nkind = 'remapp'", 'stage[0].kind: there is no "remapp"'),
    ("[[stage]]\nkind = ['remap']", 'stage[0].kind: there is no ["remap"]'),
    (REMAP + "shfit = -1", "stage[1].shfit: unknown key; known are shift, merge, table"),
    (REMAP + "_moves = {}", "stage[1]._moves: unknown key"),
    (REMAP + "preset = 'voc'", "stage[1].preset: unknown key"),
    (REMAP + "'a key' = 1", 'stage[1]."a key": unknown key'),
    (REMAP + "shift = '-1'", 'stage[1].shift: it must be a whole number, not "-1".'),
    (REMAP + "shift = true", "stage[1].shift: it must be a whole number, not true."),
    (REMAP + "shift = 1.0", "stage[1].shift: it must be a whole number, not 1.0."),
    (REMAP + "shift = 1979-05-27", "stage[1].shift: it must be a whole number, not 1979-05-27."),
    (REMAP + "merge = 0", "stage[1].merge: it must be a table or a list, not 0."),
    (REMAP + "merge = [[0, 1, 2]]", "stage[1].merge[0]: it must be a list of 2, not [0, 1, 2]."),
    (REMAP + "merge = {0 = 1.5}", "stage[1].merge.0: it must be a whole number or a text, not 1.5."),
    (REMAP + "merge = {0 = {1 = 2}}", "stage[1].merge.0: it must be a whole number or a text, not {1 = 2}."),
    (REMAP + "num_classes = 3\nmerge = {1 = 2, 30-33 = 3}", "stage[1].merge.30-33: The target 3 is not a class (classes are 0-2)."),
    (REMAP + "num_classes = 3\nmerge = {'4,x' = 2}", "stage[1].merge.\"4,x\": '4,x' names no ids"),
    (REMAP + "merge = {0 = 'last'}", "stage[1].merge.0: 'last' cannot be resolved"),
    (REMAP + "merge = {0 = 'ignore'}", "stage[1].merge.0: The target 'ignore' needs one ignored id"),
    (REMAP + "merge = {1 = 2, 0-3 = 5}", "stage[1].merge: The merge sends 1 to 2 and to 5; give it one target."),
    (REMAP + "table = {0 = 0, 1 = -1}", "stage[1].table.1: The target -1 is not a class"),
    (REMAP + "table = {0 = 0}\nshift = 1", "stage[1].table: A table says where every id goes"),
    (REMAP + "num_classes = 0", "stage[1].num_classes: num_classes is 0"),
    (REMAP + "num_classes = 2\nnames = ['a']", "stage[1].num_classes: num_classes is 2, but there are 1 names"),
    (REMAP + "ignore_index = [255, 'x']", 'stage[1].ignore_index[1]: it must be a whole number, not "x".'),
    (RESIZE + "height = 256", "stage[1].width: width is missing"),
    (RESIZE + "height = 0\nwidth = 5", "stage[1].height: height is 0; it must be a number of pixels"),
    (RESIZE + "scale = nan", "stage[1].scale: scale is nan"),
    (RESIZE + "scale = 0.5\nheight = 3\nwidth = 3", "stage[1].scale: Give height and width, or scale, not both."),
    (RESIZE + "scale = 0.5\nties = 'middle'", 'stage[1].ties: it must be "lowest" or "center", not "middle".'),
    (RESIZE + "scale = 0.5\nkeep = {pole = 0.25}", 'stage[1].keep.pole: "pole" is not an id; write a whole number.'),
    (RESIZE + "scale = 0.5\nkeep = {7 = '1'}", 'stage[1].keep.7: it must be a number, not "1".'),
    (RESIZE + "scale = 0.5\nkeep = {7 = 2}", "stage[1].keep: keep has 7: 2; write an id and a share"),
    (CHECK, "stage[1].spec: it is missing; say what the ids mean in [stage.spec]"),
    (CHECK + "preset = 'coco2'", 'stage[1].preset: there is no preset "coco2"; there are ade20k'),
    (CHECK + "preset = ['voc']", 'stage[1].preset: there is no preset ["voc"]'),
    (CHECK + "preset = 'voc'\nspec = {num_classes = 2}", "stage[1].preset: give spec or preset, not both."),
    (CHECK + "spec = 'voc'", 'stage[1].spec: it must be a table, not "voc".'),
    (CHECK + "spec = {num_clases = 2}", "stage[1].spec.num_clases: unknown key; known are num_classes"),
    (CHECK + "spec = {num_classes = 'two'}", 'stage[1].spec.num_classes: it must be a whole number, not "two".'),
    (CHECK + "spec = {names = ['a', 1]}", "stage[1].spec.names[1]: it must be a text, not 1."),
    (CHECK + "spec = {num_classes = 2, colors = [[0, 0, 0], [1, 2]]}", "stage[1].spec.colors: (1, 2) is not a color; write three numbers"),
    (CHECK + "spec = {num_classes = 1, colors = [[0, 0, 300]]}", "stage[1].spec.colors: (0, 0, 300) is not a color"),
    (CHECK + "spec = {num_classes = 2, background = 2}", "stage[1].spec.background: background is 2, which is not a class"),
    (CHECK + "preset = 'voc'\nselect = ['LGX']", "stage[1].select: 'LGX' names no check"),
    (CHECK + "preset = 'voc'\nignore = 'LGX'", "stage[1].ignore: 'LGX' names no check"),
    (CHECK + "preset = 'voc'\nselect = ['LG999']", "stage[1].select: 'LG999' names no check"),
    ('[[stage]]\nkind = "reject-empty"\nmin_foreground = 1.5', "stage[0].min_foreground: min_foreground is 1.5"),
    ('[[stage]]\nkind = "reject-empty"\nbackground = "sky"', 'stage[0].background: it must be a whole number, not "sky".'),
])
def test_what_is_wrong_is_named_with_file_and_key(text: str, sentence: str, tmp_path: Path) -> None:
    start = "street.toml " if "cannot be read" in sentence else "street.toml: "
    assert refused(text, tmp_path).startswith(start + sentence)


VALUES = st.recursive(
    st.booleans() | st.integers(-3, 300) | st.floats(width=16) | st.sampled_from(["last", "ignore", "0", "1-3", "LG2", "center", "x", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["0", "1,2", "-1", "x", "num_classes"]), inner, max_size=3),
    max_leaves=6)


@given(kind=st.sampled_from([*KINDS]), data=st.data())
def test_any_value_is_read_or_is_one_sentence_with_its_place(kind: str, data: st.DataObject,
                                                             tmp_path_factory: pytest.TempPathFactory) -> None:
    keys = [*keys_of(KINDS[kind]), "preset"]
    values = data.draw(st.dictionaries(st.sampled_from(keys), VALUES, max_size=3))
    text = "".join(f"{key} = {value_text(value)}\n" for key, value in {"kind": kind, **values}.items())
    try:
        pipeline = read("[[stage]]\n" + text, folder := tmp_path_factory.mktemp("any"))
    except UsageError as problem:
        assert re.match(r".*/street\.toml: stage\[0\]\.\w.*: .+", str(problem), re.DOTALL)
    else:
        assert read(write_pipeline(pipeline), folder) == pipeline


def test_a_wrong_spec_is_a_spec_error(tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        read(CHECK + "spec = {num_classes = 0}", tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x = " + b"9" * 5000, b"x = " + b"[" * 100_000])
def test_bytes_that_are_no_toml_are_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "street.toml").write_bytes(content)
    with pytest.raises(UsageError, match=r"street\.toml cannot be read as a pipeline: "):
        read_pipeline(tmp_path / "street.toml")
    with pytest.raises(UsageError, match="cannot be read as a pipeline"):
        read_pipeline(tmp_path)


def test_what_a_file_cannot_hold_is_not_written() -> None:
    class Custom(RejectEmpty):
        pass

    with pytest.raises(UsageError, match="pipeline inside a pipeline"):
        write_pipeline(Pipeline([Pipeline([RejectEmpty()])]))
    with pytest.raises(UsageError, match=r"Custom\(.*cannot be written; a file can hold the stages remap, validate"):
        write_pipeline(Pipeline([Custom()]))


def test_finds_by_name_and_by_path(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[[stage]]\nkind = "reject-empty"\n')
    assert find_pipeline("voc-check") == pipelines()["voc-check"] and find_pipeline(own) == find_pipeline(str(own)) == own


def test_a_wrong_name_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="'voc' is neither a file nor a ready-made pipeline; ready-made are ade20k.* and voc-check"):
        find_pipeline("voc")


@pytest.mark.parametrize("kind", [*KINDS, "spec"])
def test_the_page_describes_every_key_and_no_other(kind: str) -> None:
    cls = KINDS.get(kind, LabelSpec)
    section = re.search(rf"^### `{kind}`\n(.*?)(?=^##)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section[1], re.MULTILINE))
    rows.pop("preset" if kind == "validate" else "", None)
    assert rows == {name: shown_default(field) for name, field in keys_of(cls).items()}


def shown_default(field: Any) -> str:
    if field.default is MISSING:
        return "must be given"
    return {None: "none", (): "none", "lowest": '`"lowest"`'}.get(field.default, f"`{field.default}`")
