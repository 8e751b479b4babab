"""GuardedDataset without a loader: samples, refusals, names and counts."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import joblib
import numpy as np
import pytest

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.stages import RejectEmpty
from tests.integrations.datasets import BROKEN, CLEAN, LABELS, WRONG, Drawn, Frozen, Pair, Plain, Record

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
guard = pytest.importorskip("labelguard.integrations.torch", reason="PyTorch is not installed")
GuardedDataset = guard.GuardedDataset


def which(sample: tuple[Any, Any]) -> int:
    return int(sample[0].flat[0])


# --- where the mask is --------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("make", "place", "read"), [
    (lambda labels: ("image", labels), 1, lambda sample: sample[1]),
    (lambda labels: ("image", labels), -1, lambda sample: sample[1]),
    (lambda labels: ["image", labels, "path"], 1, lambda sample: sample[1]),
    (lambda labels: Pair("image", labels), 1, lambda sample: sample.label),
    (lambda labels: Pair("image", labels), "label", lambda sample: sample.label),
    (lambda labels: {"image": 1, "label": labels, "path": "a"}, "label", lambda sample: sample["label"]),
    (lambda labels: {0: "image", 1: labels}, 1, lambda sample: sample[1]),
    (lambda labels: OrderedDict(label=labels, image=1), "label", lambda sample: sample["label"]),
    (Record, "label", lambda sample: sample.label),
    (Frozen, "label", lambda sample: sample.label),
    (Plain, "label", lambda sample: sample.label),
], ids=["tuple", "tuple from its end", "list", "named tuple", "its attribute", "dictionary", "whole numbers as keys", "ordered dictionary",
        "dataclass", "frozen dataclass", "object"])
def test_a_sample_keeps_its_kind_and_only_its_mask_is_new(make: Any, place: Any, read: Any) -> None:
    given = make(LABELS.copy())
    before = read(given)
    sample = GuardedDataset([given], CLEAN, mask=place)[0]
    assert type(sample) is type(given) and sample is not given
    assert np.array_equal(read(sample), LABELS + 1) and not np.shares_memory(read(sample), before)
    assert read(given) is before and np.array_equal(before, LABELS)
    assert not isinstance(given, dict) or list(sample) == list(given)


@pytest.mark.parametrize(("sample", "place", "sentence"), [
    ({"image": 1, "label": LABELS}, 1, "mask is 1, but a sample has the keys 'image', 'label'."),
    (("image", LABELS), 2, "mask is 2, but a sample has 2 parts."),
    (("image", LABELS), "label", "mask is 'label', but a sample is tuple, which has no such attribute."),
    (LABELS, 1, "mask is 1, but a sample is ndarray, which is not a tuple, a list or a dictionary."),
    (None, 1, "mask is 1, but a sample is NoneType, which is not a tuple, a list or a dictionary."),
])
def test_a_mask_that_is_elsewhere_is_a_fault_of_use(sample: Any, place: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as wrong:
        GuardedDataset([sample], CLEAN, mask=place)[0]
    assert str(wrong.value) == sentence


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"stage": print}, "stage is <built-in function print>; it must be a stage, such as Validate(spec), or None."),
    ({"on_reject": "drop"}, "on_reject is 'drop'; it must be one of raise, skip, replace."),
    ({"mask": True}, "mask is True; it must be an index, a key or the name of an attribute."),
    ({"mask": 1.0}, "mask is 1.0; it must be an index, a key or the name of an attribute."),
    ({"name": ["a", "b"]}, "There are 2 names for 8 samples."),
    ({"name": ["a"]}, "There is 1 name for 8 samples."),
    ({"dataset": iter([])}, "list_iterator is not a map-style data set: it needs __len__ and __getitem__. GuardedIterable "
                                  "takes a stream."),
])
def test_arguments_that_make_no_sense(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as wrong:
        GuardedDataset(**{"dataset": Drawn(), "stage": CLEAN} | arguments)
    assert str(wrong.value) == sentence


def test_a_stream_is_no_map() -> None:
    class Stream(torch.utils.data.IterableDataset):
        def __len__(self) -> int:
            return 3

        def __iter__(self) -> Any:
            return iter(Drawn())

    with pytest.raises(UsageError, match="Stream is not a map-style data set"):
        GuardedDataset(Stream(), CLEAN)


# --- refusals -----------------------------------------------------------------------------------------------------------------------------

def test_raise_names_the_index_and_keeps_the_findings() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN)
    assert len(guarded) == 8 and which(guarded[0]) == 0
    with pytest.raises(MaskRejectedError, match=r"^Sample 4 is rejected\. LG101 out-of-range: .*9") as refused:
        guarded[4]
    assert refused.value.name == "Sample 4"
    assert [finding.code for finding in refused.value.findings] == ["LG101"]


@pytest.mark.parametrize("name", [Drawn().masks, Drawn().name, tuple(Drawn().masks)], ids=["list", "method", "tuple"])
def test_raise_names_the_file_where_it_is_known(name: Any) -> None:
    with pytest.raises(MaskRejectedError, match=r"^Sample 4 \(masks/4.png\) is rejected") as refused:
        GuardedDataset(Drawn(), CLEAN, name=name)[4]
    assert refused.value.findings[0].path == "masks/4.png"


def test_an_index_from_the_end_is_counted_where_it_lies() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, name=Drawn().masks)
    with pytest.raises(MaskRejectedError, match=r"^Sample 5 \(masks/5.png\)"):
        guarded[-3]
    assert guarded.rejections.indices == (5,)


def test_replace_takes_the_next_that_passes_and_begins_anew_after_the_last() -> None:
    guarded = GuardedDataset(Drawn(broken=(1, 4, 5, 7)), CLEAN, "replace")
    assert [which(guarded[index]) for index in range(8)] == [0, 2, 2, 3, 6, 6, 6, 0]
    assert [which(sample) for sample in guarded.__getitems__([7, 4, 0])] == [0, 6, 0]


def test_skip_leaves_out_of_a_batch_what_is_refused() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip")
    assert [which(sample) for sample in guarded.__getitems__([0, 1, 2, 3])] == [0, 2, 3]
    assert [which(sample) for sample in guarded.__getitems__([7, 5, 6])] == [7, 6]


def test_skip_never_gives_an_empty_batch() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip")
    assert [which(sample) for sample in guarded.__getitems__([4, 5, 1])] == [6]
    assert which(guarded[1]) == 2
    assert guarded.__getitems__([]) == []


@pytest.mark.parametrize("on_reject", ["skip", "replace"])
def test_when_all_are_refused_there_is_an_end(on_reject: str) -> None:
    guarded = GuardedDataset(Drawn(broken=range(8)), CLEAN, on_reject)
    with pytest.raises(MaskRejectedError, match=r"^Sample 6, like the 7 after it, is rejected\. LG101 "):
        guarded.__getitems__([6])
    assert guarded.rejections.indices == tuple(range(8)) and guarded.rejections.total == 8
    with pytest.raises(MaskRejectedError, match=r"^Sample 0 is rejected"):
        GuardedDataset(Drawn(1, broken=[0]), CLEAN, on_reject)[0]


def test_a_long_run_of_refusals_is_no_reason_to_read_the_whole_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.dataset, "_MOST_TRIES", 3)
    guarded = GuardedDataset(Drawn(50, broken=range(40)), CLEAN, "replace")
    with pytest.raises(MaskRejectedError, match=r"^Sample 0, like the 3 after it, is rejected"):
        guarded[0]
    assert which(guarded[37]) == 40


def test_a_stage_inside_the_data_set_is_guarded_too() -> None:
    guarded = GuardedDataset(Drawn(inner=CLEAN), None, "skip", name=Drawn().masks)
    samples = guarded.__getitems__(range(8))
    assert [which(sample) for sample in samples] == [0, 2, 3, 6, 7] and np.array_equal(samples[0][1], LABELS + 1)
    assert guarded.rejections.indices == BROKEN


def test_a_refusal_that_a_pipeline_has_wrapped_is_a_refusal() -> None:
    def wrapping(labels: Any) -> Any:
        try:
            return CLEAN(labels)
        except MaskRejectedError as rejected:
            raise RuntimeError("applying transform") from rejected

    guarded = GuardedDataset(Drawn(inner=wrapping), None, "skip", name=Drawn().masks)
    assert [which(sample) for sample in guarded.__getitems__(range(8))] == [0, 2, 3, 6, 7]
    assert guarded.rejections.indices == BROKEN

    def failing(_: Any) -> Any:
        raise RuntimeError("another fault")

    with pytest.raises(RuntimeError, match="another fault"):
        GuardedDataset(Drawn(inner=failing), None, "skip")[0]


def test_a_mask_of_the_wrong_kind_is_no_refusal_but_its_sample_is_named() -> None:
    guarded = GuardedDataset([("image", LABELS.astype(float))], CLEAN, "skip", name=["a.png"])
    with pytest.raises(TypeError, match="must hold integers") as wrong:
        guarded[0]
    assert wrong.value.__notes__ == ["This is sample 0 (a.png)."]
    assert not guarded.rejections


def test_the_end_of_a_set_ends_a_loop() -> None:
    assert [which(sample) for sample in GuardedDataset(Drawn(broken=()), CLEAN)] == list(range(8))


# --- counts -------------------------------------------------------------------------------------------------------------------------------

def test_rejections_say_which_how_often_and_why() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip", name=Drawn().masks)
    assert not guarded.rejections and str(guarded.rejections) == "No sample was rejected."
    guarded.__getitems__(range(8))
    guarded.__getitems__([0, 1])
    found = guarded.rejections
    assert found.total == 4 and found.indices == BROKEN and len(found) == 3
    assert [(sample.name, sample.times, sample.codes) for sample in found] == [
        ("masks/1.png", 2, ("LG101",)), ("masks/4.png", 1, ("LG101",)), ("masks/5.png", 1, ("LG101",))]
    assert str(found) == "Sample 1 (masks/1.png): LG101 (2 times)\nSample 4 (masks/4.png): LG101\nSample 5 (masks/5.png): LG101"


def test_only_errors_are_reasons() -> None:
    guarded = GuardedDataset([(0, np.zeros((2, 2), np.uint8))], RejectEmpty(), "skip")
    with pytest.raises(MaskRejectedError):
        guarded[0]
    assert guarded.rejections.samples[0].codes == ("LG201",)


def test_the_findings_of_a_reading_are_a_moment_and_not_a_view() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "skip")
    early = guarded.rejections
    guarded[1]
    assert early.total == 0 and guarded.rejections.total == 1


def test_an_empty_set_is_a_set() -> None:
    guarded = GuardedDataset([], CLEAN)
    assert len(guarded) == 0 and not guarded.rejections


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))], ids=["deepcopy", "pickle"])
def test_a_copy_goes_on_for_itself(copied: Any) -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "replace", name=Drawn().name)
    guarded[1]
    twin = copied(guarded)
    assert which(twin[4]) == 6
    assert twin.rejections.indices == (1, 4, 5) and guarded.rejections.indices == (1,)
    assert repr(twin)[:10] == repr(guarded)[:10] and "on_reject='replace', mask=1, name=..." in repr(guarded)


@pytest.mark.slow
def test_it_works_in_the_processes_of_joblib() -> None:
    guarded = GuardedDataset(Drawn(), CLEAN, "replace")
    with joblib.parallel_config(backend="loky", n_jobs=2):
        samples = joblib.Parallel()(joblib.delayed(guarded.__getitem__)(index) for index in (0, 1, 7))
    assert [which(sample) for sample in samples] == [0, 2, 7]


def test_reading_costs_the_caller_nothing_of_his_own() -> None:
    held = ("image", LABELS.copy()), ("image", WRONG.copy())
    before = [labels.tobytes() for _, labels in held]
    guarded = GuardedDataset(held, CLEAN, "replace")
    guarded[0][1][:] = 77
    guarded[1][1][:] = 77
    assert [labels.tobytes() for _, labels in held] == before
