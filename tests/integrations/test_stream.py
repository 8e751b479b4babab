"""GuardedIterable: streams, alone and in the workers of a loader."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import numpy as np
import pytest

from labelguard.errors import MaskRejectedError, UsageError
from tests.integrations.datasets import BROKEN, CLEAN, LABELS, Drawn, Stream

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
guard = pytest.importorskip("labelguard.integrations.torch", reason="PyTorch is not installed")
GuardedIterable, GuardedDataset = guard.GuardedIterable, guard.GuardedDataset

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
workers: dict[str, Any] = {"num_workers": 2, "multiprocessing_context": "spawn" if sys.platform == "win32" else "fork"}
KEPT = [0, 2, 3, 6, 7]


def which(samples: Any) -> list[int]:
    seen = []
    for sample in samples:
        planes, labels = (sample["image"], sample["label"]) if isinstance(sample, dict) else sample
        assert np.array_equal(labels, LABELS + 1)
        seen.append(int(planes.flat[0]))
    return seen


def test_masks_go_through_the_stage_and_the_rejected_are_left_out() -> None:
    guarded = GuardedIterable(Stream(), CLEAN, "skip")
    assert which(guarded) == which(guarded) == KEPT
    assert guarded.rejections.indices == BROKEN and guarded.rejections.total == 6
    assert str(guarded.rejections).splitlines()[0] == "Sample 1: LG101 (2 times)"


@pytest.mark.parametrize(("name", "shown"), [("__key__", "masks/1.png"), (lambda sample: sample["__key__"][6:], "1.png")])
def test_raise_names_the_sample(name: Any, shown: str) -> None:
    guarded = GuardedIterable(Stream(named=True), CLEAN, mask="label", name=name)
    with pytest.raises(MaskRejectedError, match=rf"^Sample 1 \({shown}\) is rejected\. LG101 out-of-range: .*9") as rejected:
        list(guarded)
    assert rejected.value.findings[0].path == shown and guarded.rejections.samples[0].name == shown


def test_without_names_a_sample_is_a_number_of_the_stream() -> None:
    with pytest.raises(MaskRejectedError, match=r"^Sample 1 is rejected\."):
        list(GuardedIterable(Stream(), CLEAN))


@pytest.mark.parametrize("options", [{"num_workers": 0}, workers], ids=["none", "fork"])
def test_counts_come_home_from_the_workers_in_every_epoch(options: dict[str, Any]) -> None:
    guarded = GuardedIterable(Stream(named=True), CLEAN, "skip", mask="label", name="__key__")
    loader = torch.utils.data.DataLoader(guarded, batch_size=3, persistent_workers=options["num_workers"] > 0, **options)
    for epoch in (1, 2):
        seen = [int(number) for batch in loader for number in batch["image"][:, 0, 0, 0]]
        assert sorted(seen) == KEPT
        assert {(sample.name, sample.times, sample.codes) for sample in guarded.rejections} == {
            (f"masks/{index}.png", epoch, ("LG101",)) for index in BROKEN}


def test_a_number_alone_is_told_with_its_worker() -> None:
    guarded = GuardedIterable(Stream(), CLEAN, "skip")
    for _ in torch.utils.data.DataLoader(guarded, batch_size=None, **workers):
        pass
    assert str(guarded.rejections) == "Sample 0 (of worker 1): LG101\nSample 2 (of worker 0): LG101\nSample 2 (of worker 1): LG101"


def test_more_than_there_is_room_for_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.stream, "_MOST_SAMPLES", 2)
    guarded = GuardedIterable(Stream(broken=range(1, 6)), CLEAN, "skip")
    assert which(guarded) == [0, 6, 7]
    found = guarded.rejections
    assert found.indices == (1, 2) and found.more == 3 and found.total == 5 and str(found).endswith("\n... and 3 more")


@pytest.mark.parametrize(("broken", "ends"), [(3, False), (4, True)])
def test_a_long_run_of_refusals_ends_the_stream(broken: int, ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.stream, "_MOST_IN_A_ROW", 3)
    guarded = GuardedIterable(Stream(broken=[0, *range(2, 2 + broken)]), CLEAN, "skip")
    if ends:
        with pytest.raises(MaskRejectedError, match=r"^Sample 5, like the 3 before it, is rejected\."):
            list(guarded)
    else:
        assert which(guarded) == [1, 5, 6, 7]


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"stage": None}, "stage is None; it must be a stage, such as Validate(spec)."),
    ({"on_reject": "replace"}, "on_reject is 'replace', but a stream cannot look for another sample: take 'skip'."),
    ({"on_reject": "drop"}, "on_reject is 'drop'; it must be one of raise, skip."),
    ({"mask": 1.0}, "mask is 1.0; it must be an index, a key or the name of an attribute."),
    ({"name": 1.0}, "name is 1.0; it must be an index, a key or the name of an attribute."),
    ({"dataset": Drawn()}, "Drawn is not a stream: GuardedDataset takes what has __len__ and __getitem__."),
    ({"dataset": 7}, "int is not a stream: GuardedDataset takes what has __len__ and __getitem__."),
])
def test_arguments_that_make_no_sense(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as wrong:
        GuardedIterable(**{"dataset": Stream(), "stage": CLEAN} | arguments)
    assert str(wrong.value) == sentence


def test_what_a_sample_lacks_is_a_fault_of_use() -> None:
    with pytest.raises(UsageError, match=r"^mask is 2, but a sample has 2 parts\.$"):
        list(GuardedIterable(Stream(), CLEAN, mask=2))
    with pytest.raises(UsageError, match=r"^name is 'path', but a sample has the keys 'image', 'label', '__key__'\.$"):
        list(GuardedIterable(Stream(named=True), CLEAN, mask="label", name="path"))


def test_a_mask_of_the_wrong_kind_is_no_refusal_but_its_sample_is_named() -> None:
    guarded = GuardedIterable(torch.utils.data.datapipes.iter.IterableWrapper([("image", LABELS.astype(float))]), CLEAN, "skip")
    with pytest.raises(TypeError, match="must hold integers") as wrong:
        list(guarded)
    assert wrong.value.__notes__ == ["This is sample 0."]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))], ids=["deepcopy", "pickle"])
def test_a_copy_goes_on_for_itself(copied: Any) -> None:
    guarded = GuardedIterable(Stream(), CLEAN, "skip")
    list(guarded)
    twin = copied(guarded)
    list(twin)
    assert twin.rejections.total == 6 and guarded.rejections.total == 3 and "on_reject='skip', mask=1)" in repr(twin)


def test_the_other_guard_says_which_one_takes_a_stream() -> None:
    with pytest.raises(UsageError, match=r"^Stream is not a map-style data set: .* GuardedIterable takes a stream\.$"):
        GuardedDataset(Stream(), CLEAN)


class Epochs(Stream):
    """A stream with what a training loop asks for."""

    epoch = 0
    n_shards = 4

    def __len__(self) -> int:
        return 8

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch = state["epoch"]

    def shuffle(self) -> Stream:
        return Stream()


def test_length_epoch_and_state_are_those_of_the_stream() -> None:
    guarded = GuardedIterable(Epochs(), CLEAN, "skip")
    guarded.set_epoch(3)
    assert (len(guarded), guarded.n_shards, guarded.state_dict()) == (8, 4, {"epoch": 3})
    again = pickle.loads(pickle.dumps(GuardedIterable(Epochs(), CLEAN)))
    again.load_state_dict(guarded.state_dict())
    assert again.dataset.epoch == 3 and len(torch.utils.data.DataLoader(guarded, batch_size=3)) == 3


def test_what_would_lose_the_guard_is_not_passed_on() -> None:
    with pytest.raises(AttributeError, match="'GuardedIterable' object has no attribute 'shuffle'"):
        GuardedIterable(Epochs(), CLEAN).shuffle()


def test_a_stream_without_these_has_none_of_them() -> None:
    guarded = GuardedIterable(Stream(), CLEAN, "skip")
    assert guarded and not hasattr(guarded, "set_epoch") and not hasattr(guarded, "state_dict") and which(list(guarded)) == KEPT
    with pytest.raises(TypeError, match="has no len"):
        len(guarded)
