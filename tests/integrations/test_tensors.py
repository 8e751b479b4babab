"""Stages on torch tensors: what a stage takes, what it gives back, and what it leaves alone."""

from __future__ import annotations

import copy
import hashlib
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from PIL import Image

from labelguard.errors import MaskRejectedError
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, RejectEmpty, Remap, Resize, Stage, Validate
from tests.integrations.datasets import LABELS, SPEC

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from tests.integrations import torchvision_like  # noqa: E402

STAGES: list[Stage] = [
    Validate(SPEC),
    Remap(shift=-1, merge={0: "last"}, num_classes=3),
    Resize(2, 3, num_classes=3),
    Resize(scale=2, ties="center", keep={2: 0.25}),
    RejectEmpty(),
    Pipeline([Validate(SPEC), Remap(merge={2: 1}, num_classes=3), Resize(2, 2)]),
]
every_stage = pytest.mark.parametrize("stage", STAGES, ids=lambda stage: type(stage).__name__)
TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
if hasattr(torch, "uint16"):
    TYPES.append(torch.uint16)
every_type = pytest.mark.parametrize("dtype", TYPES, ids=str)


def digest(tensor: Any) -> str:
    return hashlib.sha256(tensor.numpy().tobytes()).hexdigest()


@every_type
@every_stage
def test_a_tensor_gives_what_its_array_gives(stage: Stage, dtype: Any) -> None:
    given = torch.from_numpy(LABELS.copy()).to(dtype)
    before = digest(given)
    result = stage(given)
    expected = stage(given.numpy().copy())
    assert type(result) is torch.Tensor and np.array_equal(result.numpy(), expected) and result.numpy().dtype == expected.dtype
    assert not np.shares_memory(result.numpy(), given.numpy())
    result.fill_(7)
    assert digest(given) == before


@every_type
def test_the_type_is_kept_where_it_holds_all_that_the_stage_can_give(dtype: Any) -> None:
    expected = torch.uint8 if dtype == torch.int8 else dtype  # four classes are bytes, and not all bytes are int8
    assert Remap(shift=1, num_classes=4)(torch.from_numpy(LABELS).to(dtype)).dtype == expected


@pytest.mark.parametrize(("stage", "given", "expected"), [
    (Remap(merge={1: 300}, num_classes=400), np.uint8, np.uint16),
    (Remap(merge={1: 300}, num_classes=400), np.int32, np.int32),
    (Remap(merge={1: 2}, num_classes=4, ignore_index=-1), np.uint8, np.int8),
    (Pipeline([Remap(merge={1: 300}, num_classes=400), Remap(shift=-1, merge={0: 0})]), np.uint8, np.uint16),
    (Pipeline([Remap(merge={1: 3}, num_classes=4), Remap(shift=200)]), np.int8, np.uint8),
    (Validate(LabelSpec(400)), np.uint8, np.uint8),
])
def test_the_type_of_a_result_never_depends_on_what_a_mask_holds(stage: Stage, given: Any, expected: Any) -> None:
    masks = [stage(np.full((2, 2), label, given)) for label in (0, 1)]
    assert [mask.dtype for mask in masks] == [expected, expected]
    if expected in (np.uint8, np.int32):
        assert torch.utils.data.default_collate(masks).shape == (2, 2, 2)


@every_stage
@pytest.mark.parametrize("view", [
    lambda tensor: tensor.T.contiguous().T,
    lambda tensor: tensor.repeat_interleave(2, 0).repeat_interleave(2, 1)[::2, ::2],
    lambda tensor: torch.stack([tensor] * 3, dim=-1)[..., 1],
    lambda tensor: tensor.expand(2, *tensor.shape)[1],
    lambda tensor: torch.nn.functional.pad(tensor, (1, 2, 3, 4))[3:-4, 1:-2],
], ids=["transposed", "every other pixel", "one channel of three", "expanded", "a band of a larger one"])
def test_strides_do_not_matter(stage: Stage, view: Any) -> None:
    given = view(torch.from_numpy(LABELS.copy()))
    before = given.tolist()
    result = stage(given)
    assert torch.equal(result, stage(torch.from_numpy(LABELS)))
    result.fill_(7)
    assert given.tolist() == before


@every_stage
def test_pil_images_and_arrays_go_through_the_default_collate(stage: Stage) -> None:
    palette = Image.fromarray(LABELS)
    palette.putpalette(bytes(range(255, 255 - 9, -1)))
    masks = [stage(each) for each in (LABELS, Image.fromarray(LABELS), palette)]
    batch = torch.utils.data.default_collate(masks)
    assert batch.shape == (3, *masks[0].shape) and all(torch.equal(batch[0], other) for other in batch[1:])


@every_stage
def test_stages_survive_what_loaders_and_launchers_do_to_them(stage: Stage) -> None:
    given = torch.from_numpy(LABELS)
    for twin in (pickle.loads(pickle.dumps(stage)), copy.deepcopy(stage), copy.copy(stage)):
        assert twin == stage and torch.equal(twin(given), stage(given))


def test_stages_and_tensors_go_through_joblib() -> None:
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = joblib.Parallel()(joblib.delayed(stage.__call__)(torch.from_numpy(LABELS)) for stage in STAGES)
    assert all(torch.equal(result, stage(torch.from_numpy(LABELS))) for result, stage in zip(there, STAGES, strict=True))


# --- what is refused ----------------------------------------------------------------------------------------------------------------------

def test_tensors_elsewhere_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^A mask must be a CPU tensor; this one is on meta\. Put stages into the loader, before the tra"):
        Validate(SPEC)(torch.zeros(2, 2, dtype=torch.uint8, device="meta"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
def test_cuda_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^A mask must be a CPU tensor; this one is on cuda:0\. "):
        Validate(SPEC)(torch.zeros(2, 2, dtype=torch.uint8, device="cuda"))


@pytest.mark.parametrize(("tensor", "sentence"), [
    (torch.zeros(2, 2), "A mask must hold integers; this is torch.Tensor of type float32."),
    (torch.zeros(3, 2, 2, dtype=torch.uint8), "A mask must have the shape (H, W); this is torch.Tensor of shape (3, 2, 2)."),
    (torch.zeros(0, 2, dtype=torch.uint8), "A mask must have the shape (H, W); this is torch.Tensor of shape (0, 2)."),
    (torch.tensor(1), "A mask must have the shape (H, W); this is torch.Tensor of shape ()."),
])
def test_what_is_no_mask_is_refused(tensor: Any, sentence: str) -> None:
    with pytest.raises(TypeError) as wrong:
        Validate(SPEC)(tensor)
    assert str(wrong.value) == sentence


def test_illegal_ids_of_a_long_tensor_are_found() -> None:
    with pytest.raises(MaskRejectedError, match="LG101"):
        Validate(LabelSpec(3))(torch.tensor([[0, -1], [1, 2]]))


def test_ids_that_shrinking_would_hide_are_found_before() -> None:
    given = torch.zeros(8, 8, dtype=torch.int64)
    given[3, 3] = 255
    assert Pipeline([Resize(2, 2), Validate(SPEC, select=("LG101",))])(given).unique().tolist() == [0]
    with pytest.raises(MaskRejectedError, match="255"):
        Pipeline([Validate(SPEC, select=("LG101",)), Resize(2, 2)])(given)


# --- the tensors of other libraries -------------------------------------------------------------------------------------------------------

@pytest.fixture
def torchvision(monkeypatch: pytest.MonkeyPatch) -> None:
    torchvision_like.install(monkeypatch)


def compose(transforms: list[Any], *inputs: Any) -> Any:
    return torchvision_like.Compose(transforms)(*inputs)


def tv_mask() -> Any:
    return torchvision_like.as_mask(LABELS)


SHIFT = Remap(shift=1, num_classes=4)
IMAGE = torch.zeros(3, *LABELS.shape)


def test_a_tensor_of_torchvision_stays_one(torchvision: None) -> None:
    result = SHIFT(tv_mask())
    assert type(result) is torchvision_like.Mask and result.tolist() == (LABELS + 1).tolist()


def test_a_stage_is_a_joint_transform_of_torchvision(torchvision: None) -> None:
    image, mask = compose([SHIFT, Resize(2, 3)], IMAGE, tv_mask())
    assert image is IMAGE and type(mask) is torchvision_like.Mask and torch.equal(mask, Resize(2, 3)(SHIFT(tv_mask())))


def test_the_masks_of_a_sample_are_what_torchvision_calls_masks(torchvision: None) -> None:
    boxes, weights = torch.zeros(1, 4), torch.ones(3, 4, dtype=torch.uint8)
    image, first, more, last = compose([SHIFT], IMAGE, tv_mask(), boxes, tv_mask())
    assert image is IMAGE and more is boxes and all(torch.equal(mask, SHIFT(tv_mask())) for mask in (first, last))
    mask, other = compose([SHIFT], tv_mask(), weights)
    assert torch.equal(mask, SHIFT(tv_mask())) and other is weights
    sample = {"image": IMAGE, "target": tv_mask()}
    result = compose([SHIFT], sample)
    assert torch.equal(result["target"], SHIFT(tv_mask())) and result["image"] is IMAGE and torch.equal(sample["target"], tv_mask())
    assert torch.equal(compose([SHIFT], (IMAGE, tv_mask()))[1], SHIFT(tv_mask()))


@pytest.mark.parametrize("kind", [torch.from_numpy, Image.fromarray, np.array])
def test_of_an_image_and_a_mask_of_no_particular_kind_the_second_is_the_mask(kind: Any) -> None:
    image, mask = compose([SHIFT], IMAGE, kind(LABELS))
    assert image is IMAGE and np.array_equal(mask, LABELS + 1)
    with pytest.raises(MaskRejectedError, match="LG101"):
        compose([Validate(LabelSpec(2))], IMAGE, kind(LABELS))


@pytest.mark.parametrize(("inputs", "sentence"), [
    ((IMAGE, LABELS, LABELS), "No mask is among torch.Tensor, numpy.ndarray, numpy.ndarray: give one mask, an image and its mask, or "
                              "inputs with a tv_tensors.Mask among them."),
    (({"mask": LABELS},), "A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is builtins.dict. Give "
                          "the stage the mask alone, as in stage(sample['mask']), or let GuardedDataset find it."),
])
def test_inputs_without_a_mask_are_refused(inputs: Any, sentence: str) -> None:
    with pytest.raises(TypeError) as wrong:
        SHIFT(*inputs)
    assert str(wrong.value) == sentence


def test_a_refusal_names_the_file_that_an_image_was_opened_from(tmp_path: Path) -> None:
    Image.fromarray(LABELS).save(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image, pytest.raises(MaskRejectedError) as rejected:
        Validate(LabelSpec(2))(image)
    assert rejected.value.name == rejected.value.findings[0].path == str(tmp_path / "a.png")


class Own(torch.Tensor):  # type: ignore[name-defined, misc]
    """A tensor of nobody in particular."""


@pytest.mark.parametrize("given", [
    torch.from_numpy(LABELS.copy()).as_subclass(Own), torch.nn.Parameter(torch.from_numpy(LABELS.copy()), requires_grad=False),
], ids=["a subclass", "a parameter"])
def test_other_kinds_of_tensors_give_plain_ones(given: Any) -> None:
    assert Remap(shift=1, num_classes=4)(given).tolist() == (LABELS + 1).tolist()


def test_one_channel_stays_one_channel() -> None:
    result = Resize(2, 3)(torch.from_numpy(LABELS)[None])
    assert result.shape == (1, 2, 3) and torch.equal(result[0], Resize(2, 3)(torch.from_numpy(LABELS)))
