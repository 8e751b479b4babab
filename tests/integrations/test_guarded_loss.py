"""GuardedLoss on the CPU; `deferred` makes it read its reports one call later, as on CUDA."""

from __future__ import annotations

import copy
import functools
import pickle
import threading
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import MaskRejectedError, UsageError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
loss_module = pytest.importorskip("labelguard.integrations.torch.loss", reason="PyTorch is not installed")
from labelguard.integrations.torch import GuardedDataset, GuardedLoss  # noqa: E402
from labelguard.integrations.torch.batch_labels import BatchLabels, pixel_records  # noqa: E402

CLASSES, SHAPE = 4, (3, 5, 7)
cross_entropy = torch.nn.functional.cross_entropy


def drawn(seed: int = 0, ignored: int | None = 255) -> tuple[Any, Any]:
    """Logits and legal labels, some of them ignored."""
    source = torch.Generator().manual_seed(seed)
    target = torch.randint(0, CLASSES, SHAPE, generator=source)
    if ignored is not None:
        target[:, 1, 2:4] = ignored
    return torch.randn(SHAPE[0], CLASSES, *SHAPE[1:], generator=source), target


def with_bad(target: Any, *places: tuple[int, int, int, int]) -> Any:
    target = target.clone()
    for sample, row, column, label in places:
        target[sample, row, column] = label
    return target


def value_and_gradient(loss: Any, logits: Any, target: Any, *args: Any) -> tuple[Any, Any]:
    logits = logits.clone().requires_grad_()
    value = loss(logits, target, *args)
    value.sum().backward()
    return value.detach(), logits.grad


def same_bits(a: tuple[Any, Any], b: tuple[Any, Any]) -> bool:
    return all(torch.equal(x, y) and x.dtype == y.dtype for x, y in zip(a, b, strict=True))


def ce(ignored: int = 255, **options: Any) -> Any:
    return torch.nn.CrossEntropyLoss(ignore_index=ignored, **options)


class PlainDice(torch.nn.Module):
    """A loss that skips nothing, and fails on any id that is not a class."""

    def forward(self, logits: Any, target: Any) -> Any:
        truth = torch.nn.functional.one_hot(target, CLASSES).movedim(-1, 1)
        return 1 - 2 * (logits.softmax(1) * truth).sum() / (1 + truth.sum())


@pytest.fixture(params=[False, True], ids=["at once", "deferred"])
def deferred(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(loss_module, "reads_later", lambda _: request.param)
    return bool(request.param)


@pytest.fixture
def only_deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss_module, "reads_later", lambda _: True)


# --- legal masks --------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("loss", [ce(), ce(reduction="none"), ce(reduction="sum", label_smoothing=0.1), ce(weight=torch.rand(CLASSES)),
                                  functools.partial(cross_entropy, ignore_index=255)],
                         ids=["mean", "none", "smoothed sum", "weights", "function"])
def test_legal_masks_leave_loss_and_gradient_as_they_are_to_the_bit(loss: Any, deferred: bool) -> None:
    guarded, (logits, target) = GuardedLoss(loss, CLASSES), drawn()
    assert same_bits(value_and_gradient(guarded, logits, target), value_and_gradient(loss, logits, target))
    guarded.check()
    assert guarded.bad_pixels == guarded.bad_masks == 0


def test_a_loss_that_skips_nothing_keeps_its_bits_too(deferred: bool) -> None:
    logits, target = drawn(ignored=None)
    assert same_bits(value_and_gradient(GuardedLoss(PlainDice(), CLASSES), logits, target), value_and_gradient(PlainDice(), logits, target))


def test_autocast_changes_nothing(deferred: bool) -> None:
    logits, target = drawn()
    model = torch.nn.Conv2d(CLASSES, CLASSES, 1)
    values = []
    for loss in (ce(), GuardedLoss(ce(), CLASSES)):
        model.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            value = loss(model(logits), target)
        value.backward()
        values.append((value.detach(), model.weight.grad.clone()))
    assert same_bits(*values)


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int32", "int64"])
def test_any_integer_type_will_do_and_the_target_is_not_changed(kind: str, deferred: bool) -> None:
    logits, target = drawn(ignored=None)
    given = with_bad(target, (1, 2, 3, 100)).to(getattr(torch, kind))
    before = given.clone()
    guarded = GuardedLoss(ce(-100), CLASSES, on_bad="ignore")
    assert same_bits(value_and_gradient(guarded, logits, given), value_and_gradient(ce(-100), logits, with_bad(target, (1, 2, 3, -100))))
    assert torch.equal(given, before) and given.dtype == before.dtype


def test_255_in_bytes_is_no_ignored_label_where_that_is_minus_100() -> None:
    logits, target = drawn()
    with pytest.raises(MaskRejectedError, match=r"Sample 0 holds 255 at row 1, column 2, the first of 2 pixels that are neither a class "
                                                r"\(0-3\) nor ignored \(-100\)\."):
        GuardedLoss(torch.nn.CrossEntropyLoss(), CLASSES)(logits, target.to(torch.uint8))


def test_a_channel_of_one_stays_and_its_places_are_named(deferred: bool) -> None:
    seen: list[Any] = []
    guarded = GuardedLoss(lambda _, target: seen.append(target), CLASSES, ignore_index=255)
    guarded(None, drawn()[1][:, None])
    assert seen[0].shape == (3, 1, 5, 7)
    with pytest.raises(MaskRejectedError, match="Sample 2 holds 9 at row 4, column 6, which is neither"):
        guarded(None, with_bad(drawn()[1], (2, 4, 6, 9))[:, None])
        guarded.check()


def test_strides_do_not_matter(deferred: bool) -> None:
    guarded = GuardedLoss(ce(), CLASSES)
    logits, target = drawn()
    with pytest.raises(MaskRejectedError, match="Sample 1 holds 9 at row 3, column 4, the first of 2 "):
        guarded(logits.transpose(2, 3), with_bad(target, (1, 4, 3, 9), (1, 3, 5, 8)).transpose(1, 2))
        guarded.check()


def test_what_else_the_loss_takes_is_handed_on(deferred: bool) -> None:
    def weighted(logits: Any, target: Any, weight: Any, *, power: float) -> Any:
        return (cross_entropy(logits, target, ignore_index=255, reduction="none") * weight ** power).sum()

    logits, target = drawn()
    weight = torch.rand(SHAPE)
    guarded = GuardedLoss(weighted, CLASSES, ignore_index=255)
    assert torch.equal(guarded(logits, target, weight, power=2.0), weighted(logits, target, weight, power=2.0))
    assert torch.equal(guarded(logits, target=target, weight=weight, power=2.0), weighted(logits, target, weight, power=2.0))


def test_an_ignore_id_among_the_classes_is_legal(deferred: bool) -> None:
    logits, target = drawn(ignored=0)
    guarded = GuardedLoss(ce(0), CLASSES)
    assert torch.equal(guarded(logits, target), ce(0)(logits, target))
    guarded.check()


def test_a_batch_of_nothing_is_left_to_the_loss(deferred: bool) -> None:
    guarded = GuardedLoss(ce(reduction="sum"), CLASSES)
    assert guarded(torch.empty(0, CLASSES, 5, 7), torch.empty(0, 5, 7, dtype=torch.int64)) == 0
    guarded.check()


# --- bad labels ---------------------------------------------------------------------------------------------------------------------------

@given(places=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 6),
                                 st.sampled_from([-1, CLASSES, 254, 256, -2 ** 63, 2 ** 63 - 1])), max_size=12))
def test_bad_labels_are_ignored_pixels_and_all_are_named(places: list[tuple[int, int, int, int]]) -> None:
    logits, target = drawn()
    given = with_bad(target, *places)
    guarded = GuardedLoss(ce(), CLASSES, on_bad="ignore")
    skipped = with_bad(target, *((*place[:3], 255) for place in places))
    assert same_bits(value_and_gradient(guarded, logits, given), value_and_gradient(ce(), logits, skipped))
    assert (guarded.bad_pixels, guarded.bad_masks) == (len({p[:3] for p in places}), len({p[0] for p in places}))
    if places:
        with pytest.raises(MaskRejectedError) as rejected:
            GuardedLoss(ce(), CLASSES)(logits, given)
        array = given.numpy()
        expected = []
        for sample in sorted({place[0] for place in places}):
            bad = np.argwhere(array[sample] != target.numpy()[sample])
            row, column = bad[0].tolist()
            expected.append(((row, column), len(bad), (int(array[sample, row, column]),)))
        assert [(found.first, found.pixels, found.ids) for found in rejected.value.findings] == expected
        assert all(found.code == "LG101" for found in rejected.value.findings)


def test_the_cpu_raises_at_once_and_the_loss_is_not_called() -> None:
    calls: list[Any] = []
    guarded = GuardedLoss(lambda *given: calls.append(given), CLASSES)
    with pytest.raises(MaskRejectedError):
        guarded(None, with_bad(drawn()[1], (0, 0, 0, 9)))
    assert not calls


def test_the_sentence_names_step_sample_name_value_and_place() -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    guarded(logits, target)
    with pytest.raises(MaskRejectedError) as rejected:
        guarded(logits, with_bad(target, (1, 4, 5, 9), (2, 0, 3, -1), (2, 3, 0, 17)), names=["a.png", "b.png", "c.png"])
    assert str(rejected.value) == (
        "The batch of step 1 is rejected. LG101 out-of-range: Sample 1 (b.png) holds 9 at row 4, column 5, which is neither a class (0-3) "
        "nor ignored (255). LG101 out-of-range: Sample 2 (c.png) holds -1 at row 0, column 3, the first of 2 pixels that are neither a "
        "class (0-3) nor ignored (255).")
    assert [found.path for found in rejected.value.findings] == ["b.png", "c.png"]
    assert "labelguard scan MASKS --num-classes 4 --ignore-index 255" in str(rejected.value.findings[0].fix)


def test_names_may_be_a_tensor_of_indices(deferred: bool) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    with pytest.raises(MaskRejectedError, match=r"Sample 1 \(41\) holds 9"):
        guarded(logits, with_bad(target, (1, 0, 0, 9)), names=torch.tensor([40, 41, 42]))
        guarded.check()


def test_a_deferred_report_is_raised_by_the_next_call_once(only_deferred: None) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    bad = with_bad(target, (1, 2, 3, 9))
    assert same_bits(value_and_gradient(guarded, logits, bad), value_and_gradient(ce(), logits, with_bad(target, (1, 2, 3, 255))))
    assert guarded.bad_pixels == 0
    with pytest.raises(MaskRejectedError, match="The batch of step 0 is rejected"):
        guarded(logits, target)
    guarded(logits, target)
    guarded.check()
    assert guarded.bad_pixels == guarded.bad_masks == 1


def test_check_raises_what_the_last_call_saw(only_deferred: None) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    guarded(logits, with_bad(target, (1, 2, 3, 9)))
    with pytest.raises(MaskRejectedError, match="Sample 1 holds 9 at row 2, column 3"):
        guarded.check()
    guarded.check()


def bare_dice(logits: Any, target: Any) -> Any:
    """A ratio of what there is of class 1: 0/0 where that is nowhere in the labels, nor in what is predicted for them."""
    there = (target == 1).float()
    return 1 - (logits.softmax(1)[:, 1] * there).sum() / there.sum()


@pytest.mark.parametrize(("loss", "everywhere"), [(bare_dice, False), (ce(), True), (ce(reduction="none"), True), (ce(-100), True)],
                         ids=["0/0 over stand-ins", "mean over no pixels", "no reduction", "the id that it skips itself"])
def test_nan_of_a_stand_in_never_reaches_the_network(loss: Any, everywhere: bool, only_deferred: None) -> None:
    network, bad = torch.nn.Conv2d(2, CLASSES, 1), torch.full(SHAPE, 9)
    if not everywhere:
        bad[:, 2:] = 0
    before = [parameter.clone() for parameter in network.parameters()]
    optimizer = torch.optim.SGD(network.parameters(), 1.0)
    guarded = GuardedLoss(loss, CLASSES)
    value = guarded(network(torch.randn(3, 2, 5, 7)), bad)
    value.sum().backward()
    assert not value.any() and all(not parameter.grad.any() for parameter in network.parameters())
    optimizer.step()
    assert all(torch.equal(one, other) for one, other in zip(before, network.parameters(), strict=True))
    with pytest.raises(MaskRejectedError):
        guarded.check()


@pytest.mark.parametrize("row", [[0, 1], [0, 9]], ids=["legal", "bad"])
def test_a_loss_may_write_into_its_logits(row: list[int], only_deferred: None) -> None:
    def in_place(logits: Any, target: Any) -> Any:
        return cross_entropy(logits.sub_(1).mul_(2), target, ignore_index=255)

    target, results = torch.tensor(row).expand(1, 3, 2), []
    guarded = GuardedLoss(in_place, CLASSES, ignore_index=255, on_bad="ignore")
    for loss, labels in ((guarded, target), (in_place, torch.where(target == 9, 255, target))):
        leaf = torch.arange(24.0).reshape(1, 4, 3, 2).requires_grad_()
        value = loss(leaf * 1, labels)
        value.backward()
        results.append((value.detach(), leaf.grad))
    assert same_bits(*results)


def test_a_batch_that_is_void_by_itself_is_left_to_the_loss(deferred: bool) -> None:
    value, gradient = value_and_gradient(GuardedLoss(ce(), CLASSES), drawn()[0], torch.full(SHAPE, 255))
    assert value.isnan() and torch.equal(gradient.isnan(), value_and_gradient(ce(), drawn()[0], torch.full(SHAPE, 255))[1].isnan())


def test_one_good_pixel_is_learned_from_beside_bad_ones() -> None:
    logits, target = drawn()[0], torch.full(SHAPE, 9)
    target[1, 2, 3] = 2
    skipped = torch.where(target == 9, 255, target)
    guarded = GuardedLoss(ce(), CLASSES, on_bad="ignore")
    assert same_bits(value_and_gradient(guarded, logits, target), value_and_gradient(ce(), logits, skipped))


def test_all_that_the_network_gives_is_cut_off_and_all_that_the_loss_returns_is_zero(only_deferred: None) -> None:
    def parts(outputs: Any, target: Any, *, scale: Any) -> dict[str, Any]:
        main = bare_dice(outputs["main"], target)
        return {"loss": main + bare_dice(outputs["aux"][0], target) * scale, "parts": (main, "a word")}

    given = [torch.randn(3, CLASSES, 5, 7, requires_grad=True) for _ in range(2)]
    scale = torch.ones((), requires_grad=True)
    result = GuardedLoss(parts, CLASSES)({"main": given[0], "aux": [given[1]]}, torch.full(SHAPE, 9), scale=scale)
    result["loss"].backward()
    assert result["loss"] == 0 and result["parts"][0] == 0 and result["parts"][1] == "a word"
    assert not any(tensor.grad.any() for tensor in (*given, scale))


def test_a_loss_that_skips_nothing_learns_nothing_from_a_bad_batch(only_deferred: None) -> None:
    guarded, (logits, target) = GuardedLoss(PlainDice(), CLASSES), drawn(ignored=None)
    value, gradient = value_and_gradient(guarded, logits, with_bad(target, (1, 2, 3, 9)))
    assert value == 0 and not gradient.any()
    with pytest.raises(MaskRejectedError, match=r"which is not a class \(0-3\)\."):
        guarded.check()


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("ignored", [None, 255])
def test_the_look_at_the_labels_never_needs_a_value(dtype: Any, ignored: int | None) -> None:
    labels = torch.empty(2, 4, 6, dtype=dtype, device="meta")  # has no values: .item(), nonzero and branches fail on it
    target = BatchLabels.of(labels, None, CLASSES, ignored)
    bad = target.where_bad()
    records = pixel_records(bad, target.values)
    assert records.shape == (2, 3) and records.dtype == torch.int64
    clean = target.without(bad)
    assert clean.values.dtype == dtype and clean.leaves_something(records).shape == ()


# --- on_bad -------------------------------------------------------------------------------------------------------------------------------

def test_count_warns_once_and_counts(deferred: bool) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES, on_bad="count"), drawn()
    bad = with_bad(target, (0, 0, 0, 9), (2, 1, 1, 8), (2, 1, 4, 8))
    with pytest.warns(UserWarning, match=r"^Step 0: Sample 0 holds 9 at row 0, column 0, .* replaced by 255") as caught:
        for _ in range(3):
            guarded(logits, bad)
        guarded.check()
    assert len(caught) == 1 and (guarded.bad_pixels, guarded.bad_masks) == (9, 6)


def test_ignore_is_silent_and_counts(deferred: bool) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES, on_bad="ignore"), drawn()
    with warnings.catch_warnings(action="error"):
        guarded(logits, with_bad(target, (0, 0, 0, 9)))
        guarded.check()
    assert (guarded.bad_pixels, guarded.bad_masks) == (1, 1)


# --- which id is ignored ------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("loss", "skipped"), [
    (torch.nn.CrossEntropyLoss(), -100), (ce(255), 255), (cross_entropy, -100), (functools.partial(cross_entropy, ignore_index=7), 7),
    (PlainDice(), None), (lambda *_: 0, None),
], ids=["module", "module with an id", "function", "partial", "module that skips nothing", "function that skips nothing"])
def test_the_loss_says_itself_what_it_skips(loss: Any, skipped: int | None) -> None:
    assert GuardedLoss(loss, CLASSES).ignore_index == skipped


@pytest.mark.parametrize(("arguments", "sentence"), [
    ((None, 3), "loss is None; it must be a loss"),
    ((PlainDice(), 0), "num_classes is 0; it must be a whole number, at least 1."),
    ((PlainDice(), True), "num_classes is True"),
    ((PlainDice(), 3, "255"), "ignore_index is '255'"),
    ((PlainDice(), 3, 255, "skip"), "on_bad is 'skip'; it must be one of raise, ignore, count."),
    ((PlainDice(), 3, None, "count"), "on_bad is 'count', but no ignore_index is known"),
    ((torch.nn.CrossEntropyLoss(), 3, 255), "ignore_index is 255, but the loss skips -100: 255 would crash it"),
    ((cross_entropy, 3, 255), "ignore_index is 255, but the loss skips -100"),
])
def test_arguments_that_make_no_sense(arguments: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as problem:
        GuardedLoss(*arguments)
    assert sentence in str(problem.value)


@pytest.mark.parametrize(("target", "sentence"), [
    (np.zeros(SHAPE, np.int64), "target is ndarray; it must be a tensor of labels."),
    (torch.zeros(SHAPE, dtype=torch.complex64), "target is complex64; labels are integers, or floats with whole values."),
    (torch.zeros(5, 7, dtype=torch.int64), "target has the shape (5, 7) beside logits of the shape (3, 4, 5, 7); it must be (N, H, W) or "
                                           "(N, 1, H, W), with a D before the H for volumes, or have a plane for each of the 4 classes"),
    (torch.zeros(3, 5, 5, 7, dtype=torch.int64), "target has the shape (3, 5, 5, 7)"),
    (torch.zeros(3, 1, 1, 5, 5, 7, dtype=torch.int64), "target has the shape (3, 1, 1, 5, 5, 7)"),
])
def test_a_target_that_is_no_batch_of_masks(target: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as problem:
        GuardedLoss(ce(), CLASSES)(drawn()[0], target)
    assert sentence in str(problem.value)


def test_other_faults_of_use(only_deferred: None) -> None:
    logits, target = drawn()
    with pytest.raises(UsageError, match=r"^There are 2 names for 3 masks\.$"):
        GuardedLoss(ce(), CLASSES)(logits, target, names=["a", "b"])
    with pytest.raises(UsageError, match=r"^num_classes is 5, but the logits have 4 channels\.$"):
        GuardedLoss(ce(), 5)(logits, target)
    with pytest.raises(UsageError, match="The loss returns a float and skips no id"):
        GuardedLoss(lambda logits, _: float(logits.sum()), CLASSES)(logits, target)
    with pytest.raises(UsageError, match=r"^logits is int64: the logits come first, the labels second\."):
        GuardedLoss(ce(), CLASSES)(target, logits)


# --- a module like others -----------------------------------------------------------------------------------------------------------------

def test_it_has_no_state_of_its_own() -> None:
    guarded = GuardedLoss(ce(weight=torch.ones(CLASSES)), CLASSES)
    assert list(guarded.state_dict()) == ["loss.weight"] and not list(guarded.parameters())
    guarded.load_state_dict(guarded.state_dict())
    assert guarded.to(torch.float64).loss.weight.dtype == torch.float64
    assert not guarded.eval().training and guarded.train().training


@pytest.mark.parametrize("again", [copy.deepcopy, lambda guarded: pickle.loads(pickle.dumps(guarded))], ids=["deepcopy", "pickle"])
def test_a_copy_keeps_the_counts_and_reports_only_what_it_sees(again: Any, only_deferred: None) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    bad = with_bad(target, (0, 0, 0, 9))
    guarded(logits, bad)
    with pytest.raises(MaskRejectedError):
        guarded.check()
    guarded(logits, bad)
    other = again(guarded)
    other.check()
    assert other.bad_pixels == 1 and other.ignore_index == 255
    assert torch.equal(other(logits, target), guarded.loss(logits, target))
    with pytest.raises(MaskRejectedError):
        guarded.check()


def test_eval_is_guarded_as_well() -> None:
    logits, target = drawn()
    with torch.no_grad(), pytest.raises(MaskRejectedError):
        GuardedLoss(ce(), CLASSES).eval()(logits, with_bad(target, (0, 0, 0, 9)))


def test_the_replicas_of_a_data_parallel_count_together() -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES, on_bad="ignore"), drawn()
    replicas = [guarded._replicate_for_data_parallel() for _ in range(8)]
    for replica in replicas:
        replica.loss = guarded.loss  # as `torch.nn.parallel.replicate` does
    threads = [threading.Thread(target=lambda replica=replica: [replica(logits, with_bad(target, (0, 0, 0, 9))) for _ in range(25)])
               for replica in replicas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    guarded.check()
    assert guarded.bad_pixels == guarded.bad_masks == 200 and replicas[0].bad_pixels == 200


class LostDevice:
    """The event of a device that has failed meanwhile."""

    def query(self) -> bool:
        raise RuntimeError("CUDA error: device-side assert triggered")

    synchronize = query


@pytest.mark.parametrize("wait", [False, True], ids=["next call", "check"])
def test_bad_labels_are_named_though_the_device_is_lost(wait: bool, only_deferred: None) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    guarded(logits, target)
    guarded(logits, with_bad(target, (1, 2, 3, 9)))
    for check in guarded._ledger._pending:
        check.event = LostDevice()
    with pytest.raises(MaskRejectedError, match="The batch of step 1 is rejected.*Sample 1 holds 9 at row 2, column 3") as rejected:
        guarded.check() if wait else guarded(logits, target)
    assert "device-side assert" in str(rejected.value.__cause__)
    guarded.check()


@pytest.mark.parametrize(("arrived", "note"), [
    (0, "GuardedLoss: the device was lost before it reported on the labels of the steps 0 to 1. 'labelguard scan' looks at all masks"),
    (1, "GuardedLoss: the device was lost before it reported on the labels of the steps 1 to 1."),
    (2, "GuardedLoss: the labels of all steps that the device reported on were legal, or replaced before the loss saw them."),
])
def test_a_lost_device_says_what_it_did_not_report(arrived: int, note: str, only_deferred: None) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    for step in range(2):
        guarded(logits, target)
        guarded._ledger._pending[step].event = SimpleNamespace(query=lambda: False)
        if step >= arrived:
            guarded._ledger._pending[step].records.fill_(-1)  # as they are before the device has filled them in
    guarded._ledger._pending[0].event = LostDevice()
    with pytest.raises(RuntimeError, match="device-side assert") as lost:
        guarded(logits, target)
    assert lost.value.__notes__[0].startswith(note)


class Wrapper(torch.nn.Module):
    """A loss that says nothing of what the losses inside of it skip."""

    def __init__(self, *parts: Any) -> None:
        super().__init__()
        self.parts = torch.nn.ModuleList(parts)

    def forward(self, logits: Any, target: Any) -> Any:
        return sum(part(logits, target) for part in self.parts)


def test_a_loss_inside_that_skips_an_id_is_told() -> None:
    with pytest.warns(UserWarning, match=r"^CrossEntropyLoss inside of Wrapper skips 255; .* GuardedLoss\(\.\.\., ignore_index=255\)"):
        guarded = GuardedLoss(Wrapper(PlainDice(), ce()), CLASSES)
    assert guarded.ignore_index is None
    logits, target = drawn()
    with pytest.raises(MaskRejectedError) as rejected:
        guarded(logits, target)
    assert str(rejected.value.findings[0].fix).endswith("tell GuardedLoss by ignore_index.")
    assert GuardedLoss(Wrapper(ce()), CLASSES, ignore_index=255).ignore_index == 255
    assert GuardedLoss(Wrapper(ce(-100)), CLASSES).ignore_index is None  # -100 is what nobody has chosen


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # torch hides it itself, unless warnings are errors
def test_a_compiled_step_does_the_same(deferred: bool) -> None:
    guarded, (logits, target) = GuardedLoss(ce(), CLASSES), drawn()
    model = torch.nn.Conv2d(CLASSES, CLASSES, 1)

    @torch.compile(backend="eager")
    def step(images: Any, labels: Any) -> Any:
        return guarded(model(images) * 2, labels)

    for seed in range(12):  # as many as there may be recompilations
        logits, target = drawn(seed)
        assert torch.equal(step(logits, target), ce()(model(logits) * 2, target))
    with pytest.raises(MaskRejectedError, match="The batch of step 12 is rejected"):
        step(logits, with_bad(target, (0, 0, 0, 9)))
        step(logits, target)


def test_the_module_itself_can_be_compiled() -> None:
    logits, target = drawn()
    guarded = torch.compile(GuardedLoss(ce(), CLASSES), backend="eager")
    assert torch.equal(guarded(logits, target), ce()(logits, target))
    with pytest.raises(MaskRejectedError):
        guarded(logits, with_bad(target, (0, 0, 0, 9)))


def test_a_class_in_place_of_a_loss_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^loss is the class CrossEntropyLoss; give an instance: CrossEntropyLoss\(\)\.$"):
        GuardedLoss(torch.nn.CrossEntropyLoss, CLASSES)


def test_keyword_only_arguments_are_told_apart_by_their_names() -> None:
    def loss(*, target: Any, scores: Any) -> Any:
        return torch.nn.functional.cross_entropy(scores, target, ignore_index=255)

    logits, target = drawn()
    guarded = GuardedLoss(loss, CLASSES, ignore_index=255)
    assert torch.equal(guarded(target=target, scores=logits), ce()(logits, target))
    with pytest.raises(MaskRejectedError):
        guarded(target=with_bad(target, (0, 0, 0, 9)), scores=logits)


def test_repr_shows_what_is_ignored() -> None:
    assert "num_classes=4, ignore_index=-100, on_bad='raise'" in repr(GuardedLoss(torch.nn.CrossEntropyLoss(), CLASSES))
    assert "cross_entropy" in repr(GuardedLoss(cross_entropy, CLASSES))


def test_both_guards_come_from_one_place() -> None:
    assert GuardedDataset.__module__ == "labelguard.integrations.torch.dataset"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        __import__("labelguard.integrations.torch", fromlist=["x"]).nothing  # noqa: B018
