"""A stage in a MONAI dictionary pipeline, and a guard around a MONAI data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import MaskRejectedError
from labelguard.stages import Resize
from tests.integrations.datasets import CLEAN, LABELS, WRONG

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
data = pytest.importorskip("monai.data", reason="MONAI is not installed")
transforms = pytest.importorskip("monai.transforms", reason="MONAI is not installed")



@pytest.fixture
def samples(tmp_path: Path) -> list[dict[str, str]]:
    for name, labels in {"a": LABELS, "b": WRONG, "c": LABELS}.items():
        Image.fromarray(labels).save(tmp_path / f"{name}.png")
    return [{"label": str(tmp_path / f"{name}.png")} for name in "abc"]


def load(**options: Any) -> Any:
    return transforms.LoadImaged(keys="label", dtype=np.int32, **options)


def stage(func: Any = CLEAN) -> Any:
    return transforms.Lambdad(keys="label", func=func)


def first_cause(error: BaseException) -> BaseException:
    return error if error.__cause__ is None else first_cause(error.__cause__)


def test_arrays() -> None:
    result = stage()({"label": LABELS})["label"]
    assert np.array_equal(np.asarray(result), LABELS + 1)


@pytest.mark.parametrize("channel", [False, True], ids=["as loaded", "channel first"])
def test_a_stage_in_a_dictionary_pipeline(samples: list[dict[str, str]], channel: bool) -> None:
    steps = [load(), *([transforms.EnsureChannelFirstd(keys="label")] if channel else []), stage()]
    result = transforms.Compose(steps)(samples[0])["label"]
    assert isinstance(result, data.MetaTensor) and Path(result.meta["filename_or_obj"]).name == "a.png"
    assert np.array_equal(result.numpy(), LABELS.T[None] + 1 if channel else LABELS.T + 1)  # MONAI loads width first


def test_what_monai_knows_of_space_ends_with_a_resize(samples: list[dict[str, str]]) -> None:
    result = transforms.Compose([load(), stage(Resize(2, 2))])(samples[0])["label"]
    assert result.shape == (2, 2) and "filename_or_obj" not in getattr(result, "meta", {})


def test_height_and_width_where_the_reader_keeps_their_order(samples: list[dict[str, str]]) -> None:
    result = transforms.Compose([load(reader="PILReader", reverse_indexing=False), stage(Resize(2, 3))])(samples[0])["label"]
    assert np.array_equal(np.asarray(result), Resize(2, 3)(LABELS))


@pytest.mark.parametrize(("steps", "number", "reason", "sentence"), [
    ([load(), stage()], 1, MaskRejectedError, "LG101 out-of-range: "),
    ([transforms.LoadImaged(keys="label"), stage()], 0, TypeError, "A mask must hold integers; this is monai.* of type float32"),
], ids=["refused", "floats"])
def test_what_monai_raises_has_the_reason_as_its_cause(samples: list[dict[str, str]], steps: Any, number: int, reason: Any,
                                                       sentence: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        transforms.Compose(steps)(samples[number])
    with pytest.raises(reason, match=sentence):
        raise first_cause(raised.value)


def test_a_guard_around_a_data_set(samples: list[dict[str, str]]) -> None:
    guarded_dataset = pytest.importorskip("labelguard.integrations.torch").GuardedDataset
    paths = [sample["label"] for sample in samples]
    guarded = guarded_dataset(data.Dataset(samples, load()), CLEAN, "skip", mask="label", name=paths)
    batch, = data.DataLoader(guarded, batch_size=3)
    assert np.array_equal(np.asarray(batch["label"]), np.stack([LABELS.T + 1] * 2))
    assert [sample.name for sample in guarded.rejections] == [paths[1]]
