"""Stages on torch tensors: what a stage takes, what it gives back, and what it leaves alone."""

from __future__ import annotations

import copy
import hashlib
import pickle
import sys
import types
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
def test_the_type_is_kept_where_it_holds_the_ids(dtype: Any) -> None:
    assert Remap(shift=1, num_classes=4)(torch.from_numpy(LABELS).to(dtype)).dtype == dtype


@pytest.mark.skipif(not hasattr(torch, "uint16"), reason="this PyTorch has no uint16")
def test_a_type_that_is_too_narrow_is_left() -> None:
    assert Remap(shift=300, num_classes=400)(torch.from_numpy(LABELS)).dtype == torch.uint16


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

class Wrapped(torch.Tensor):  # type: ignore[name-defined, misc]
    """A tensor that its library must wrap again, as torchvision does with those of tv_tensors."""


Wrapped.__module__ = "torchvision.tv_tensors._mask"


def test_a_tensor_of_torchvision_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    library = types.ModuleType("torchvision")
    library.tv_tensors = types.SimpleNamespace(wrap=lambda plain, like: plain.as_subclass(type(like)))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torchvision", library)
    given = torch.from_numpy(LABELS.copy()).as_subclass(Wrapped)
    result = Remap(shift=1, num_classes=4)(given)
    assert type(result) is Wrapped and result.tolist() == (LABELS + 1).tolist()


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
