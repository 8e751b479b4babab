"""Wrong arguments end in a sentence that names the argument and its value; right ones in plain Python numbers."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelguard
from labelguard import LabelSpec, Probe, RejectEmpty, Remap, Resize, ScanOptions, UsageError
from labelguard.lossprobe import ImportPath, Settings
from labelguard.runs.write_plan import WriteOptions
from labelguard.spec.argument_checks import as_int, as_number
from tests.drawn import bands, folder

LOSS = "torch.nn:CrossEntropyLoss"
PRESET = r"; it must be a LabelSpec: give labelguard.read_preset\('camvid'\)"


def _call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Callable[[], Any]:
    return lambda: function(*arguments, **keywords)


@pytest.mark.parametrize(("call", "says"), [
    (_call(labelguard.scan, ["a", "b"]), r"paths is \['a', 'b'\]; it must be a path.* one by one"),
    (_call(labelguard.scan, 3), "paths is 3; it must be a path"),
    (_call(labelguard.scan, "m", images=["x"]), r"images is \['x'\]; it must be a path"),
    (_call(labelguard.scan, "m", boxes=3), "boxes is 3; it must be a path"),
    (_call(labelguard.scan, "m", spec="camvid"), f"spec is 'camvid'{PRESET}"),
    (_call(labelguard.scan, "m", spec={"num_classes": 3}), r"spec is \{'num_classes': 3\}.* make one with labelguard.LabelSpec"),
    (_call(labelguard.scan, "m", options={"batch_size": 4}), r"options is \{'batch_size': 4\}; it must be a ScanOptions: .*batch_size=4"),
    (_call(labelguard.scan, "m", crop=64), r"crop is 64; it must be height and width in pixels, such as \(512, 512\)"),
    (_call(labelguard.scan, "m", crop="64x64"), "crop is '64x64'; it must be height and width"),
    (_call(labelguard.scan, "m", crop=(64, 0)), r"crop is \(64, 0\)"),
    (_call(labelguard.scan, "m", select=3), "select is 3; it must be codes"),
    (_call(labelguard.scan, "m", select=None), "select is None; it must be codes"),
    (_call(labelguard.scan, "m", ignore=[3]), r"ignore is \[3\]; it must be codes"),
    (_call(labelguard.scan, "m", ignore_index="255"), "ignore_index is '255'; it must be a whole number"),
    (_call(labelguard.scan, "m", num_classes="3"), "num_classes is '3'; it must be a whole number"),
    (_call(labelguard.scan, "m", batch_size=2.5), "batch_size is 2.5; it must be a whole number, at least 1"),
    (_call(labelguard.scan, "m", jobs="a"), "jobs is 'a'; it must be a whole number, at least 1"),
    (_call(labelguard.scan_splits, {1: "a", 2: "b"}), r"splits is \{1: 'a', 2: 'b'\}; it must be a dictionary of names and folders"),
    (_call(labelguard.scan_splits, ("a", "b")), r"splits is \('a', 'b'\); it must be a dictionary"),
    (_call(labelguard.scan_splits, {"a": 1, "b": "b"}), r"splits\['a'\] is 1; it must be a path"),
    (_call(labelguard.scan_splits, {"a": "a", "b": "b"}, images="x"), "images is 'x'; it must be a dictionary"),
    (_call(labelguard.remap, ["m"], shift=-1), r"source is \['m'\]; it must be a path"),
    (_call(labelguard.remap, "m", 3, shift=-1), "out is 3; it must be a path"),
    (_call(labelguard.remap, "m", shift="-1"), "shift is '-1'; it must be a whole number"),
    (_call(labelguard.remap, "m", shift=1.5), "shift is 1.5; it must be a whole number"),
    (_call(labelguard.remap, "m", shift=1, names=3), "names is 3; it must be a list of texts"),
    (_call(labelguard.resize, "m", 256), "out is 256; it must be a path.* height=256, width=512"),
    (_call(labelguard.run, [Resize(6, 8)], "m"), r"pipeline is \[Resize\(.*\]; it must be a stage, such as labelguard.Pipeline"),
    (_call(labelguard.run, 3, "m"), "pipeline is 3; it must be a stage"),
    (_call(labelguard.read_spec, 3), "path is 3; it must be a path"),
    (_call(labelguard.read, None), "path is None; it must be a path"),
    (_call(labelguard.scan, "a\0b"), r"paths is 'a\\x00b'; no path holds a NUL"),
    (_call(labelguard.read_preset, ["voc"]), r"no preset \['voc'\]"),
    (_call(labelguard.init, 3), "source is 3; it must be a path"),
    (_call(labelguard.rules, 3), "codes is 3; it must be codes"),
    (_call(labelguard.probe, ["m"], loss=LOSS), r"paths is \['m'\]; it must be a path"),
    (_call(labelguard.probe, "m", loss=3), "loss: 3 is not an import path; write a text such as 'torch.nn:CrossEntropyLoss'"),
    (_call(labelguard.probe, "m", loss=[LOSS, len]), "loss: <built-in function len> is not an import path"),
    (_call(labelguard.probe, "m", loss=LOSS, loss_args=[255]), r"loss_args is \[255\]; it must be a dictionary"),
    (_call(labelguard.probe, "m", loss=LOSS, spec="camvid"), f"spec is 'camvid'{PRESET}"),
    (_call(labelguard.probe, "m", loss=LOSS, timeout="x"), "timeout is 'x'; it must be a number of seconds above 0"),
    (_call(labelguard.probe, "m", loss=LOSS, timeout=0), "timeout is 0; it must be a number of seconds above 0"),
    (_call(labelguard.probe, "m", loss=LOSS, batch_size="8"), "batch_size is '8'; it must be a whole number, at least 1"),
    (_call(labelguard.probe, "m", loss=LOSS, max_memory="8GB"), "max_memory is '8GB'; it must be a number of bytes above 0"),
    (_call(labelguard.probe, "m", loss=LOSS, max_restarts=-1), "max_restarts is -1; it must be a whole number, at least 0"),
    (_call(labelguard.probe, "m", loss=LOSS, python=3), "python is 3; it must be a path"),
    (_call(Probe, LOSS, LabelSpec(2), 255), "arguments is 255; it must be a dictionary"),
    (_call(labelguard.scan), "paths: there is none; name the masks"),
    (_call(labelguard.probe, "m", loss=LOSS, device=0), "device is 0; it must be one of auto, cuda, cpu"),
])
def test_a_wrong_type_is_refused_with_its_name_and_value(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()


@pytest.mark.parametrize("merge", [{0: 1.5}, {0: None}, {1.5: 0}])
def test_a_wrong_merge_is_refused_where_the_class_count_is_inferred_too(tmp_path: Path, merge: Any) -> None:
    with pytest.raises(UsageError, match="is not a target|names no ids"):
        labelguard.remap(folder(tmp_path / "m", {"a.png": bands(0, 1, 2)}), shift=1, merge=merge)


@pytest.mark.parametrize(("given", "says"), [
    ({"jobs": 0}, "jobs is 0"), ({"jobs": 2.5}, "jobs is 2.5"), ({"jobs": -3}, "jobs is -3"), ({"jobs": "a"}, "jobs is 'a'"),
    ({"jobs": True}, "jobs is True"), ({"backend": "dask"}, "backend is 'dask'; it must be one of threading, loky"),
    ({"backend": ["loky"]}, r"backend is \['loky'\]"),
])
@pytest.mark.parametrize("options", [WriteOptions, ScanOptions])
def test_workers_are_checked_in_the_same_way_everywhere(options: Any, given: dict[str, Any], says: str) -> None:
    assert options(jobs=1, backend="loky").jobs == 1
    with pytest.raises(UsageError, match=says):
        options(**given)


@pytest.mark.parametrize(("call", "says"), [
    (_call(labelguard.remap, "m", merg={0: 1}), r"^remap\(\) has no argument 'merg'; did you mean 'merge'\? Its arguments are source, out"),
    (_call(labelguard.resize, "m", heigth=3), r"^resize\(\) has no argument 'heigth'; did you mean 'height'\?"),
    (_call(labelguard.run, "p", "m", resum=True), r"^run\(\) has no argument 'resum'; did you mean 'resume'\?"),
    (_call(labelguard.scan, "m", image="x"), r"^scan\(\) has no argument 'image'; did you mean 'images'\? .* are images, boxes, options"),
    (_call(labelguard.scan, "m", zzz=1), r"^scan\(\) has no argument 'zzz'\. Its arguments are .*max_memory, accept, baseline\.$"),
    (_call(labelguard.scan, "m", preset="camvid"), r"'preset'; give spec=labelguard.read_preset\('camvid'\)\."),
    (_call(labelguard.scan, "m", classes="c.txt"), r"'classes'; give num_classes=N, or .*labelguard.LabelSpec\(names="),
    (_call(labelguard.scan_splits, {}, numclasses=1), r"^scan_splits\(\) has no argument 'numclasses'; did you mean 'num_classes'\?"),
    (_call(ScanOptions, image="x"), r"^ScanOptions\(\) has no argument 'image'"),
])
def test_a_slip_in_a_name_is_answered_with_the_names_there_are(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        call()


@pytest.mark.parametrize(("made", "plain"), [
    (LabelSpec(np.int64(2), np.array([255]), colors=np.array([[1, 2, 3], [4, 5, 6]]), background=np.uint8(1)),
     LabelSpec(2, 255, colors=[(1, 2, 3), (4, 5, 6)], background=1)),
    (Remap(np.int8(-1), {np.int64(0): np.uint8(11), (np.int64(13), 14): 3}, num_classes=np.int64(12), ignore_index=np.int16(255)),
     Remap(-1, {0: 11, (13, 14): 3}, num_classes=12, ignore_index=255)),
    (Remap(table={np.uint8(7): np.int64(1)}, num_classes=2), Remap(table={7: 1}, num_classes=2)),
    (Resize(np.int64(3), np.uint8(4), keep={np.int64(1): np.float64(0.5)}), Resize(3, 4, keep={1: 0.5})),
    (Resize(scale=np.float64(0.5)), Resize(scale=0.5)),
    (RejectEmpty(np.float64(0.25), np.int64(0), np.int64(255)), RejectEmpty(0.25, 0, 255)),
    (ScanOptions(ignore_index=np.int64(255), num_classes=np.int64(3), crop=np.array([4, 6]), batch_size=np.int64(2), jobs=np.int64(1)),
     ScanOptions(ignore_index=255, num_classes=3, crop=(4, 6), batch_size=2, jobs=1)),
    (Settings(batch_size=np.int64(4), timeout=np.float64(1.5)), Settings(batch_size=4, timeout=1.5)),
])
def test_numbers_of_numpy_are_taken_and_kept_as_plain_ones(made: Any, plain: Any) -> None:
    assert made == plain and repr(made) == repr(plain)
    assert pickle.dumps(made) == pickle.dumps(plain)


@pytest.mark.parametrize(("value", "whole", "number"), [
    (3, 3, 3), (np.uint8(3), 3, 3), (True, None, None), (np.True_, None, None), (1.5, None, 1.5), (np.float32(0.5), None, 0.5),
    (float("nan"), None, None), (float("inf"), None, None), ("3", None, None), (None, None, None), (np.array([3]), None, None),
])
def test_what_is_a_number(value: object, whole: int | None, number: float | None) -> None:
    assert as_int(value) == whole and as_number(value) == number
    assert type(as_int(value)) in (int, type(None)) and type(as_number(value)) in (int, float, type(None))


def test_codes_of_rules_may_stand_in_a_list() -> None:
    assert labelguard.rules(["LG101", "LG102"]) == labelguard.rules("LG101", "LG102") == labelguard.rules("LG101,LG102")


def test_stages_and_functions_take_what_read_gives(tmp_path: Path) -> None:
    folder(tmp_path, {"a.png": bands(0, 1, 2)})
    mask = labelguard.read(tmp_path / "a.png")
    moved = Remap(1, num_classes=4)(mask)
    assert isinstance(moved, np.ndarray) and np.array_equal(moved, mask.labels + 1)
    assert np.array_equal(labelguard.functional.remap(mask, 1, num_classes=4)[0], moved)
    assert labelguard.functional.resize(mask, scale=2).shape == tuple(2 * side for side in mask.labels.shape)
    assert not labelguard.functional.is_empty(mask) and labelguard.functional.validate(mask, LabelSpec(3)) == ()
    with pytest.raises(labelguard.MaskRejectedError, match=r"a\.png"):
        labelguard.Pipeline([Remap(1, num_classes=3)])(mask)


def test_arguments_of_the_loss_are_a_dictionary() -> None:
    with pytest.raises(UsageError, match="arguments is 255; it must be a dictionary"):
        ImportPath(LOSS, 255)  # type: ignore[arg-type]
    assert labelguard.ImportPath is ImportPath
