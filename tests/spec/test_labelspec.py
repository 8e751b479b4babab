from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from labelguard.errors import SpecError
from labelguard.spec.declarations import find_spec_file, merge_specs, presets, read_preset, read_spec
from labelguard.spec.labelspec import LabelSpec


def test_names_give_the_class_count_and_ignore_ids_are_no_classes() -> None:
    spec = LabelSpec(names=("sky", "road", "car"), ignore_index=255)
    assert (spec.num_classes, spec.last, spec.ignore_index) == (3, 2, (255,))
    assert [spec.is_class(i) for i in (-1, 0, 2, 3, 255)] == [False, True, True, False, False]
    assert spec.is_legal(255) and spec.name_of(1) == "1 (road)" and spec.name_of(255) == "255"


def test_an_ignored_id_below_the_class_count_is_no_class() -> None:
    assert not LabelSpec(12, 11).is_class(11) and LabelSpec(12, 11).is_legal(11)


def test_is_frozen_hashable_and_picklable() -> None:
    spec = LabelSpec(2, (255, -1), ("a", "b"), [[0, 0, 0], (1, 2, 3)])
    assert pickle.loads(pickle.dumps(spec)) == spec and hash(spec) == hash(LabelSpec(2, (-1, 255), ("a", "b"), ((0, 0, 0), (1, 2, 3))))


def test_its_fields_cannot_be_set() -> None:
    with pytest.raises(FrozenInstanceError):
        LabelSpec(2).num_classes = 3


def test_a_changed_copy_is_checked_and_brought_to_one_form() -> None:
    spec = LabelSpec(names=["a", "b"], ignore_index=255)
    assert replace(spec, ignore_index=[7, 0]) == LabelSpec(2, (0, 7), ("a", "b"))
    with pytest.raises(SpecError, match="num_classes is 3, but there are 2 names"):
        replace(spec, num_classes=3)


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(2, 255, ["a", "b"], [[0, 0, 0], [1, 2, 3]], background=1)])
def test_its_repr_builds_it_again(spec: Any) -> None:
    assert eval(repr(spec)) == spec


@pytest.mark.parametrize(("names", "background"), [((), 0), (("sky",), None), (("person", "Background"), 1), (("unlabeled", "a"), 0)])
def test_background_is_the_class_named_so(names: Any, background: Any) -> None:
    assert LabelSpec(names=names).background_id == background


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"num_classes": 0}, "num_classes is 0"),
    ({"num_classes": "12"}, "num_classes is '12'"),
    ({"num_classes": True}, "num_classes is True"),
    ({"num_classes": 3, "names": ("a", "b")}, "num_classes is 3, but there are 2 names"),
    ({"num_classes": 2, "ignore_index": (2.5,)}, "ignore_index is 2.5"),
    ({"num_classes": 1, "colors": [(0, 0, 256)]}, "is not a color"),
    ({"num_classes": 2, "background": 2}, "background is 2"),
    ({"names": "sky"}, "names is 'sky'; it must be a list"),
])
def test_what_makes_no_sense_is_refused_with_the_value(arguments: Any, sentence: Any) -> None:
    with pytest.raises(SpecError, match=sentence):
        LabelSpec(**arguments)


def test_the_last_class_is_not_guessed() -> None:
    with pytest.raises(SpecError, match="--num-classes"):
        _ = LabelSpec().last


def test_reads_the_nearest_file(tmp_path: Path) -> None:
    (tmp_path / "labelguard.toml").write_text('num_classes = 2\nignore_index = 255\nnames = ["a", "b"]\n')
    (tmp_path / "deep" / "er").mkdir(parents=True)
    file = find_spec_file(tmp_path / "deep" / "er")
    assert file == tmp_path / "labelguard.toml" and read_spec(file) == LabelSpec(2, 255, ("a", "b"))


@pytest.mark.parametrize(("text", "sentence"), [
    ("num_clases = 2", "unknown key 'num_clases'; known are background, colors"),
    ("num_classes = 'two'", "num_classes is 'two'"),
    ("names = 'a b'", "'names' must be a list"),
    ("names = [1]", "'names' must be a list of texts"),
    ("ignore_index = 'x'", "'ignore_index' must be a whole number"),
    ("num_classes = ", "cannot be read"),
])
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, text: Any, sentence: Any) -> None:
    (tmp_path / "labelguard.toml").write_text(text)
    with pytest.raises(SpecError, match=f"labelguard.toml.*{sentence}"):
        read_spec(tmp_path / "labelguard.toml")


def test_flags_win_and_names_that_no_longer_fit_are_dropped() -> None:
    base = LabelSpec(2, 255, ("background", "b"), background=1)
    assert merge_specs(base, ignore_index=(0,)) == LabelSpec(2, 0, ("background", "b"), background=1)
    assert merge_specs(base, num_classes=3) == LabelSpec(3, 255, background=1)
    assert merge_specs(base, classes=LabelSpec(names=("x", "y", "z"))) == LabelSpec(3, 255, ("x", "y", "z"), background=1)
    with pytest.raises(SpecError, match="num_classes is 4, but there are 1 names"):
        merge_specs(base, num_classes=4, classes=LabelSpec(names=("x",)))


def test_colors_of_a_preset_are_dropped_where_the_class_count_differs() -> None:
    voc = read_preset("voc")
    assert len(voc.colors) == voc.num_classes == 21
    assert merge_specs(voc, num_classes=21).colors == voc.colors
    assert merge_specs(voc, num_classes=20).colors == ()


def test_classes_of_a_file_replace_names_and_colors_and_keep_what_it_does_not_say() -> None:
    base = LabelSpec(2, 255, ("a", "b"), [[0, 0, 0], [1, 1, 1]])
    assert merge_specs(base, classes=LabelSpec(names=("x", "y"))) == LabelSpec(2, 255, ("x", "y"))
    listed = LabelSpec(3, 7, ("x", "y", "z"), [[5, 5, 5]] * 3)
    assert merge_specs(base, classes=listed) == listed
    assert merge_specs(base, classes=listed, ignore_index=9) == replace(listed, ignore_index=9)


@pytest.mark.parametrize("name", presets())
def test_presets_are_whole_and_say_where_they_are_from(name: Any) -> None:
    spec = read_preset(name)
    assert spec.declared and len(spec.names) == spec.num_classes
    assert 'source = "' in presets()[name].read_text()


def test_an_unknown_preset_lists_those_there_are() -> None:
    with pytest.raises(SpecError, match="no preset 'coco2'; the presets are .*voc"):
        read_preset("coco2")
