"""What is promised of every stage, held against every stage there is."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import labelguard
from labelguard.errors import MaskRejectedError
from labelguard.facts.mask import Mask, Storage
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import ColorsToIds, Pipeline, RejectEmpty, Remap, Resize, Stage, Validate
from tests.checks.scenes import mask
from tests.stages.plain import TYPES

SPEC = LabelSpec(4, 255)
EXAMPLES: list[Stage] = [
    Validate(SPEC),
    Validate(LabelSpec(names=("sky", "road", "car", "pole"), colors=((0, 0, 0), (1, 2, 3), (4, 5, 6), (7, 8, 9))), ignore=("LG201",)),
    Remap(shift=1),
    Remap(shift=-1, merge={0: "last"}, num_classes=4, ignore_index=255),
    Remap(merge={(1, 2): "road", "3": "ignore"}, names=("sky", "road"), ignore_index=(254,), shift=0),
    Remap(table={0: 0, "1-3": 1}, num_classes=2),
    Resize(5, 9),
    Resize(2, 3, ties="center", keep={3: 0.25, 1: 1}, num_classes=4, ignore_index=(254, 255)),
    Resize(scale=0.5),
    RejectEmpty(),
    RejectEmpty(0.05, background=255, ignore_index=254),
    Pipeline([Validate(SPEC), Remap(shift=1, num_classes=5), Resize(3, 3)]),
    Pipeline([Pipeline([RejectEmpty()]), Resize(scale=2)]),
]
every_stage = pytest.mark.parametrize("stage", EXAMPLES, ids=lambda stage: f"{type(stage).__name__}-{EXAMPLES.index(stage)}")
LABELS = mask("0 0 0 1 1 1 2 2 / 0 0 0 1 1 1 2 2 / 0 3 0 1 1 1 2 2 / 0 3 0 1 1 2 2 2 / 0 3 0 0 1 2 2 2 / 3 3 0 0 0 2 2 2")
BINARY = mask("0 0 0 1 1 1 0 0 / 0 0 1 1 1 1 1 0 / 0 0 0 1 1 1 1 0 / 0 0 0 1 1 0 0 0")

VIEWS: dict[str, Callable[[Any], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every other pixel": lambda labels: labels.repeat(2, axis=0).repeat(2, axis=1)[::2, ::2],
    "flipped": lambda labels: np.ascontiguousarray(labels[::-1, ::-1])[::-1, ::-1],
    "transposed": lambda labels: np.ascontiguousarray(labels.T).T,
    "a band of a larger array": lambda labels: np.pad(labels, 3)[3:-3, 3:-3],
    "one channel of three": lambda labels: np.stack([labels, labels, labels], axis=-1)[..., 1],
    "broadcast": lambda labels: np.broadcast_to(labels, (2, *labels.shape))[1],
    "a channel in big-endian order": lambda labels: np.stack([labels] * 2, axis=-1).astype(labels.dtype.newbyteorder(">"))[..., 0],
}


def stages_of_the_package(of: type[Stage] = Stage) -> set[type[Stage]]:
    found = {each for each in of.__subclasses__() if each.__module__.startswith("labelguard.stages")}  # Probe has tests of its own
    return found.union(*map(stages_of_the_package, found)) if found else found


def rejection(stage: Stage, labels: Any) -> MaskRejectedError | None:
    try:
        stage.apply(Mask(labels))
    except MaskRejectedError as refused:
        return refused
    return None


def test_every_stage_has_an_example() -> None:
    assert {type(stage) for stage in EXAMPLES} == stages_of_the_package() - {ColorsToIds}  # which takes pictures, and has tests of its own


def test_every_stage_is_public() -> None:
    assert {stage.__name__ for stage in stages_of_the_package()} <= set(labelguard.__all__)


# --- a stage is a value -------------------------------------------------------------------------------------------------------------------

@every_stage
def test_it_survives_pickle_and_copies(stage: Stage) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(stage, protocol)) == stage
    for twin in (pickle.loads(pickle.dumps(stage)), copy.copy(stage), copy.deepcopy(stage)):
        assert twin == stage and hash(twin) == hash(stage) and repr(twin) == repr(stage)
        assert np.array_equal(twin(LABELS), stage(LABELS))


@pytest.mark.slow
def test_all_survive_the_way_into_other_processes() -> None:
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = joblib.Parallel()(joblib.delayed(stage.__call__)(LABELS) for stage in EXAMPLES)
    for stage, result in zip(EXAMPLES, there, strict=True):
        assert np.array_equal(result, stage(LABELS)) and result.dtype == stage(LABELS).dtype


@every_stage
def test_its_repr_builds_it_again(stage: Stage) -> None:
    names = {name: getattr(labelguard, name) for name in labelguard.__all__}
    twin = eval(repr(stage), names)
    assert twin == stage and repr(twin) == repr(stage)


@every_stage
def test_it_is_frozen(stage: Stage) -> None:
    for field in fields(stage):  # type: ignore[arg-type]
        with pytest.raises(FrozenInstanceError):
            setattr(stage, field.name, getattr(stage, field.name))


@every_stage
def test_what_it_was_made_of_can_change_without_it(stage: Stage) -> None:
    hash(stage)
    assert not any(isinstance(getattr(stage, field.name), (dict, list, set)) for field in fields(stage) if field.repr)  # type: ignore[arg-type]


def test_examples_differ() -> None:
    assert len(set(EXAMPLES)) == len(EXAMPLES)


def test_the_callers_dictionary_is_not_kept() -> None:
    merge, keep = {0: 1}, {0: 0.5}
    remap, resize = Remap(merge=merge), Resize(1, 1, keep=keep)
    merge[0], keep[0] = 7, 0.1
    assert remap == Remap(merge={0: 1}) and resize == Resize(1, 1, keep={0: 0.5})


# --- arrays in, arrays out ----------------------------------------------------------------------------------------------------------------

@every_stage
@pytest.mark.parametrize("dtype", TYPES)
def test_every_integer_type_gives_the_same_ids(stage: Stage, dtype: str) -> None:
    labels = BINARY if dtype == "?" else LABELS
    array = labels.astype(dtype)
    result = stage(array)
    assert isinstance(result, np.ndarray)
    assert np.array_equal(result, stage(labels.astype(np.int64)))
    kept = np.dtype(np.uint8) if dtype == "?" else array.dtype
    assert result.dtype == kept or not np.can_cast(result.dtype, kept)
    assert array.tobytes() == labels.astype(dtype).tobytes()


@every_stage
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int64"])
@pytest.mark.parametrize("view", VIEWS)
def test_any_strides_give_the_same_ids_and_leave_the_caller_alone(stage: Stage, dtype: str, view: str) -> None:
    array = VIEWS[view](LABELS.astype(dtype))
    before = array.tobytes()
    result = stage(array)
    assert np.array_equal(result, stage(LABELS.astype(dtype)))
    assert array.tobytes() == before
    assert result.flags.writeable and not np.may_share_memory(result, array)


@every_stage
def test_read_only_arrays_are_welcome_and_the_result_is_writable(stage: Stage) -> None:
    array = LABELS.copy()
    array.flags.writeable = False
    result = stage(array)
    result[...] = 0
    assert not array.flags.writeable and np.array_equal(array, LABELS)


@every_stage
def test_the_array_stays_writable_for_its_owner(stage: Stage) -> None:
    array = LABELS.copy()
    stage(array)
    assert array.flags.writeable


@pytest.mark.parametrize("dtype", ["?", "uint8", "int64"])
def test_no_stage_can_write_into_what_it_is_given(dtype: str) -> None:
    class Vandal(Stage):
        def findings(self, mask: Mask) -> tuple[Any, ...]:
            mask.labels[...] = 9
            return ()

        def apply(self, mask: Mask) -> Mask:
            self.findings(mask)
            return mask

    array = BINARY.astype(dtype)
    with pytest.raises(ValueError, match="read-only"):
        Vandal()(array)
    assert np.array_equal(array, BINARY)


@every_stage
def test_each_call_gives_memory_of_its_own(stage: Stage) -> None:
    first, second = stage(LABELS), stage(LABELS)
    assert not np.may_share_memory(first, second)
    first[...] = 0
    assert np.array_equal(second, stage(LABELS))


def test_a_stage_may_hand_on_memory_that_nobody_can_write_into() -> None:
    class Constant(Stage):
        def findings(self, mask: Mask) -> tuple[Any, ...]:  # noqa: ARG002
            return ()

        def apply(self, mask: Mask) -> Mask:  # noqa: ARG002
            return Mask(np.frombuffer(bytes(6), np.uint8).reshape(2, 3))

    result = Constant()(LABELS)
    result[...] = 1
    assert result.tolist() == [[1, 1, 1], [1, 1, 1]]


@every_stage
def test_one_pixel_is_a_mask(stage: Stage) -> None:
    result = stage(np.array([[1]], np.uint8))
    assert result.ndim == 2 and result.size >= 1


@every_stage
def test_name_and_storage_go_along(stage: Stage) -> None:
    stored = Storage("tiff", "grey", bits=16, codec="LZW")
    after = stage.apply(Mask(LABELS, "a/b.png", stored))
    assert (after.name, after.stored) == ("a/b.png", stored)


# --- PIL ----------------------------------------------------------------------------------------------------------------------------------

def palette_image(labels: Any) -> Image.Image:
    image = Image.fromarray(labels.astype(np.uint8)).convert("L")
    image = Image.frombytes("P", image.size, image.tobytes())
    image.putpalette([255 - i // 3 for i in range(768)])
    return image


IMAGES = {
    "P": palette_image(LABELS),
    "L": Image.fromarray(LABELS),
    "I;16": Image.fromarray(LABELS.astype(np.uint16)),
    "I": Image.fromarray(LABELS.astype(np.int32)),
}


@every_stage
@pytest.mark.parametrize("mode", IMAGES)
def test_images_give_their_ids(stage: Stage, mode: str) -> None:
    image = IMAGES[mode]
    assert image.mode == mode
    before = image.tobytes()
    result = stage(image)
    assert isinstance(result, np.ndarray) and result.flags.writeable
    assert np.array_equal(result, stage(LABELS))
    assert image.tobytes() == before


@every_stage
def test_big_endian_images_give_their_ids(stage: Stage) -> None:
    image = Image.frombytes("I;16B", LABELS.shape[::-1], LABELS.astype(">u2").tobytes())
    assert np.array_equal(stage(image), stage(LABELS))


@every_stage
def test_images_of_one_bit_hold_0_and_1(stage: Stage) -> None:
    image = Image.fromarray(BINARY.astype(bool))
    assert image.mode == "1"
    assert np.array_equal(stage(image), stage(BINARY))


# --- what is refused ----------------------------------------------------------------------------------------------------------------------

@every_stage
@pytest.mark.parametrize(("labels", "sentence"), [
    (LABELS.astype(np.float32), "A mask must hold integers; this is numpy.ndarray of type float32."),
    (LABELS.astype(np.float64), "A mask must hold integers; this is numpy.ndarray of type float64."),
    (LABELS.astype(complex), "A mask must hold integers; this is numpy.ndarray of type complex128."),
    (LABELS.astype(object), "A mask must hold integers; this is numpy.ndarray of type object."),
    (LABELS.astype("U1"), "A mask must hold integers; this is numpy.ndarray of type <U1."),
    (LABELS[0], "A mask must have the shape (H, W); this is numpy.ndarray of shape (8,)."),
    (LABELS[..., np.newaxis], "A mask must have the shape (H, W); this is numpy.ndarray of shape (6, 8, 1)."),
    (LABELS[np.newaxis], "A mask must have the shape (H, W); this is numpy.ndarray of shape (1, 6, 8)."),
    (LABELS[:0], "A mask must have the shape (H, W); this is numpy.ndarray of shape (0, 8)."),
    (LABELS[:, :0], "A mask must have the shape (H, W); this is numpy.ndarray of shape (6, 0)."),
    (LABELS.tolist(), "A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is builtins.list."),
    (None, "A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is builtins.NoneType."),
    ("a.png", "A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is builtins.str."),
    (3, "A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is builtins.int."),
    (np.uint8(3), "A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is numpy.uint8."),
    (Image.new("RGB", (3, 2)), "A mask must have the shape (H, W); this is PIL.Image.Image of shape (2, 3, 3)."),
    (Image.new("LA", (3, 2)), "A mask must have the shape (H, W); this is PIL.Image.Image of shape (2, 3, 2)."),
    (Image.new("F", (3, 2)), "A mask must hold integers; this is PIL.Image.Image of type float32."),
])
def test_what_is_no_mask_is_refused_in_words(stage: Stage, labels: Any, sentence: str) -> None:
    with pytest.raises(TypeError) as refused:
        stage(labels)
    assert str(refused.value) == sentence


# --- asked before it changes --------------------------------------------------------------------------------------------------------------

@every_stage
@given(ids=st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, 254, 255]), min_size=1, max_size=4, unique=True), seed=st.integers(0, 2 ** 16),
       dtype=st.sampled_from(["uint8", "uint16", "int16", "int64", ">u2"]))
def test_errors_are_found_if_and_only_if_apply_refuses(stage: Stage, ids: list[int], seed: int, dtype: str) -> None:
    labels = np.random.default_rng(seed).choice(ids, (5, 6)).astype(dtype)
    found = stage.findings(Mask(labels))
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    refused = rejection(stage, labels)
    assert bool(errors) == (refused is not None)
    if refused is not None:
        assert set(errors) <= set(refused.findings) <= set(found)
        assert refused.findings[0].severity is Severity.ERROR
        with pytest.raises(MaskRejectedError):
            stage(labels)


@every_stage
@pytest.mark.parametrize("dtype", TYPES[1:])
def test_asking_works_for_every_integer_type(stage: Stage, dtype: str) -> None:
    assert [finding.code for finding in stage.findings(Mask(LABELS.astype(dtype)))] == \
        [finding.code for finding in stage.findings(Mask(LABELS))]


@every_stage
def test_asking_changes_nothing(stage: Stage) -> None:
    labels = LABELS.copy()
    labels.flags.writeable = False
    assert stage.findings(Mask(labels)) == stage.findings(Mask(labels))
    assert np.array_equal(labels, LABELS)


def test_a_rejection_names_the_mask_and_survives_pickle() -> None:
    with pytest.raises(MaskRejectedError, match=r"^a/b\.png is rejected\. LG101 out-of-range: ") as refused:
        Validate(SPEC).apply(Mask(mask("0 9"), "a/b.png"))
    twin = pickle.loads(pickle.dumps(refused.value))
    assert (twin.findings, twin.name, str(twin)) == (refused.value.findings, "a/b.png", str(refused.value))
    assert twin.findings[0].path == "a/b.png"


def test_a_mask_without_a_name_has_no_path() -> None:
    with pytest.raises(MaskRejectedError, match=r"^A mask is rejected\. ") as refused:
        Validate(SPEC)(mask("0 9"))
    assert refused.value.findings[0].path is None
