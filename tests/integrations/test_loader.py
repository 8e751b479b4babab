"""Stages and GuardedDataset in a DataLoader: in its own process, in workers that are forked, and in workers that are spawned."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from labelguard.errors import MaskRejectedError
from tests.integrations.datasets import BROKEN, CLEAN, LABELS, Drawn

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
GuardedDataset = pytest.importorskip("labelguard.integrations.torch", reason="PyTorch is not installed").GuardedDataset
data = torch.utils.data

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
alone: dict[str, Any] = {"num_workers": 0}
spawned = {"num_workers": 2, "multiprocessing_context": "spawn"}
forked = spawned if sys.platform == "win32" else {"num_workers": 2, "multiprocessing_context": "fork"}


def batches(loader: Any) -> list[list[int]]:
    """Which samples the batches of an epoch hold; their masks are looked at."""
    seen = []
    for images, masks in loader:
        assert images.dtype == torch.float32 and masks.dtype == torch.uint8 and masks.shape[1:] == LABELS.shape
        assert (masks.numpy() == LABELS + 1).all()
        seen.append(images[:, 0, 0, 0].int().tolist())
    return seen


@pytest.mark.parametrize("workers", [alone, forked, pytest.param(spawned, marks=pytest.mark.slow)], ids=["none", "fork", "spawn"])
def test_counts_come_home_from_the_workers_in_every_epoch(workers: dict[str, Any]) -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip", name=Drawn().name)
    loader = data.DataLoader(guarded, batch_size=3, persistent_workers=workers["num_workers"] > 0, **workers)
    for epoch in (1, 2, 3):
        assert batches(loader) == [[0, 2], [3], [6, 7]]
        assert guarded.rejections.indices == BROKEN and guarded.rejections.total == 3 * epoch
    assert {(sample.name, sample.times, sample.codes) for sample in guarded.rejections} == {
        (f"masks/{index}.png", 3, ("LG101",)) for index in BROKEN}


@pytest.mark.parametrize("workers", [alone, forked], ids=["none", "fork"])
def test_raise_reaches_the_training_loop_with_index_and_file(workers: dict[str, Any]) -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, name=Drawn().masks)
    # A loader builds the exception of a worker anew from its text alone, and falls back on RuntimeError where that cannot be done.
    with pytest.raises((MaskRejectedError, RuntimeError), match=r"Sample 1 \(masks/1.png\) is rejected\. LG101 out-of-range: "):
        batches(data.DataLoader(guarded, batch_size=2, **workers))
    assert 1 in guarded.rejections.indices


def test_a_refusal_in_a_worker_can_be_caught_as_what_it_is() -> None:
    with pytest.raises(MaskRejectedError, match="Sample 1 is rejected"):
        batches(data.DataLoader(GuardedDataset(Drawn(), CLEAN), batch_size=2, **forked))


def test_a_stage_in_the_data_set_itself_needs_nothing_else() -> None:
    assert batches(data.DataLoader(Drawn(broken=(), inner=CLEAN), batch_size=4, **forked)) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_replace_keeps_batches_whole() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "replace")
    assert batches(data.DataLoader(guarded, batch_size=4, **forked)) == [[0, 2, 2, 3], [6, 6, 6, 7]]
    assert guarded.rejections.indices == BROKEN


def test_skip_and_batches_of_one() -> None:
    assert batches(data.DataLoader(GuardedDataset(Drawn(), CLEAN, "skip"), batch_size=1)) == [[0], [2], [2], [3], [6], [6], [6], [7]]


def test_skip_without_batches() -> None:
    loader = data.DataLoader(GuardedDataset(Drawn(), CLEAN, "skip"), batch_size=None)
    assert [int(image[0, 0, 0]) for image, _ in loader] == [0, 2, 2, 3, 6, 6, 6, 7]


def test_samplers_and_subsets_and_shuffling() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip")
    assert batches(data.DataLoader(guarded, batch_sampler=[[7, 1], [4, 0]])) == [[7], [0]]
    assert batches(data.DataLoader(data.Subset(guarded, [7, 4, 0]), batch_size=3)) == [[7, 0]]
    shuffled, = batches(data.DataLoader(guarded, batch_size=8, shuffle=True))
    assert sorted(shuffled) == [0, 2, 3, 6, 7]
    joined = data.ConcatDataset([guarded, guarded])
    assert batches(data.DataLoader(joined, batch_size=8)) == [[0, 2, 2, 3, 6, 6, 6, 7]] * 2
    assert guarded.rejections.indices == BROKEN


def test_a_set_without_the_refused_is_one_line() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip")
    assert sum(len(batch) for batch in batches(data.DataLoader(guarded, batch_size=8))) == 5
    kept = data.Subset(guarded, sorted({*range(len(guarded))} - {*guarded.rejections.indices}))
    assert batches(data.DataLoader(kept, batch_size=2)) == [[0, 2], [3, 6], [7]]


def test_dictionaries_go_through_the_default_collate() -> None:
    samples = [{"image": np.zeros((3, 3, 4), np.float32), "label": LABELS, "path": f"{index}.png"} for index in range(3)]
    batch = next(iter(data.DataLoader(GuardedDataset(samples, CLEAN, mask="label"), batch_size=3)))
    assert batch["path"] == ["0.png", "1.png", "2.png"] and batch["label"].tolist() == [(LABELS + 1).tolist()] * 3
