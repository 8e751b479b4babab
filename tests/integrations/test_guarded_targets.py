"""What a GuardedLoss takes as its target: ids and planes, of integers and floats, by position and by name."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from labelguard.errors import MaskRejectedError, UsageError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from labelguard.integrations.torch import GuardedLoss  # noqa: E402

functional = torch.nn.functional
NAN = float("nan")


@pytest.fixture(params=[False, True], ids=["at once", "deferred"], autouse=True)
def deferred(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labelguard.integrations.torch.loss.reads_later", lambda _: request.param)


def soft_bce(logits: Any, target: Any, ignore_index: int = 255) -> Any:
    """Skips 255 wherever it stands, as losses on planes do."""
    kept = target != ignore_index
    return (functional.binary_cross_entropy_with_logits(logits, target.clamp(0, 1).to(logits), reduction="none") * kept).sum()


def bare_bce(logits: Any, target: Any) -> Any:
    return functional.binary_cross_entropy_with_logits(logits, target)


def total(logits: Any, *_: Any) -> Any:
    return logits.sum()


def refusal(loss: Any, logits: Any, target: Any, classes: int = 2) -> MaskRejectedError:
    guarded = GuardedLoss(loss, classes)
    with pytest.raises(MaskRejectedError) as rejected:
        guarded(logits, target)
        guarded.check()
    return rejected.value


def at(shape: tuple[int, ...], place: tuple[int, ...], value: float, dtype: Any = torch.float32) -> Any:
    target = torch.zeros(shape, dtype=dtype)
    target[place] = value
    return target


# --- floats -------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("shape", [(2, 1, 4, 6), (2, 4, 6)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_floats_with_whole_values_reach_the_loss_as_they_are(shape: tuple[int, ...], dtype: Any) -> None:
    seen: list[Any] = []
    target = at(shape, (1,), 1, dtype)
    GuardedLoss(lambda logits, target: seen.append(target) or logits.sum(), 2)(torch.randn(shape), target)
    assert seen[0].dtype == dtype and torch.equal(seen[0], target)


@pytest.mark.parametrize(("value", "shown"), [(255, "255"), (-1, "-1"), (2, "2"), (0.5, "0.5"), (NAN, "nan"), (float("inf"), "inf")])
def test_floats_that_are_no_classes_are_named(value: float, shown: str) -> None:
    rejected = refusal(bare_bce, torch.randn(2, 1, 4, 6), at((2, 1, 4, 6), (1, 0, 2, 3), value))
    assert str(rejected).endswith(f"Sample 1 holds {shown} at row 2, column 3, which is not a class (0-1).")
    assert rejected.findings[0].first == (2, 3) and rejected.findings[0].ids == ((int(value),) if value in (255, -1, 2) else ())


def test_floats_that_are_ignored_are_legal_and_take_the_place_of_bad_ones() -> None:
    logits, target = torch.randn(2, 1, 4, 6, requires_grad=True), at((2, 1, 4, 6), (0, 0, 1), 255)
    guarded = GuardedLoss(soft_bce, 2, on_bad="ignore")
    assert torch.equal(guarded(logits, target), soft_bce(logits, target))
    bad = target.clone()
    bad[1, 0, 2, 3], target[1, 0, 2, 3] = 7, 255
    assert torch.equal(guarded(logits, bad), soft_bce(logits, target))
    guarded.check()
    assert guarded.bad_pixels == 1


# --- planes -------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.float32])
def test_planes_of_all_kinds_pass(dtype: Any) -> None:
    target = functional.one_hot(torch.randint(0, 3, (2, 4, 6)), 3).movedim(-1, 1).to(dtype)
    logits = torch.randn(2, 3, 4, 6)
    guarded = GuardedLoss(lambda logits, target: (logits * target).sum(), 3)
    assert torch.equal(guarded(logits, target), (logits * target).sum())
    guarded.check()


def test_planes_of_floats_hold_shares() -> None:
    logits, target = torch.randn(2, 3, 4, 6), torch.rand(2, 3, 4, 6)
    guarded = GuardedLoss(bare_bce, 3)
    assert torch.equal(guarded(logits, target), bare_bce(logits, target))
    guarded.check()


@pytest.mark.parametrize("value", [255, 1.001, -0.001, NAN])
def test_a_value_that_is_no_share_is_named_with_its_plane(value: float) -> None:
    rejected = refusal(bare_bce, torch.randn(2, 3, 4, 6), at((2, 3, 4, 6), (1, 2, 3, 5), value), 3)
    assert str(rejected).endswith(f"Sample 1 holds {value:g} at plane 2, row 3, column 5, which is not a share from 0 to 1.")


def test_cross_entropy_skips_no_planes() -> None:
    logits, target = torch.randn(2, 3, 4, 6, requires_grad=True), at((2, 3, 4, 6), (0, 0, 0, 0), -100)
    rejected = refusal(torch.nn.CrossEntropyLoss(), logits, target, 3)
    assert "holds -100 at plane 0, row 0, column 0, which is not a share from 0 to 1." in str(rejected)


def test_several_bad_values_of_planes_are_counted() -> None:
    target = at((2, 3, 4, 6), (0, 1, 2), 255)
    rejected = refusal(functools.partial(soft_bce, ignore_index=-7), torch.randn(2, 3, 4, 6), target, 3)
    assert str(rejected).endswith("holds 255 at plane 1, row 2, column 0, the first of 6 values that are neither a share from 0 to 1 nor "
                                  "ignored (-7).")


# --- volumes ------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("shape", "place", "where"), [
    ((2, 5, 4, 6), (1, 4, 2, 3), "slice 4, row 2, column 3"),
    ((2, 1, 5, 4, 6), (1, 0, 4, 2, 3), "slice 4, row 2, column 3"),
    ((2, 3, 5, 4, 6), (1, 2, 4, 2, 3), "plane 2, slice 4, row 2, column 3"),
])
def test_volumes_name_the_slice(shape: tuple[int, ...], place: tuple[int, ...], where: str) -> None:
    rejected = refusal(total, torch.randn(2, 3, 5, 4, 6, requires_grad=True), at(shape, place, 9), 3)
    assert f"Sample 1 holds 9 at {where}, which is not" in str(rejected) and rejected.findings[0].first == (2, 3)


def test_volumes_of_ids_go_through_cross_entropy() -> None:
    logits, target = torch.randn(2, 3, 5, 4, 6), torch.randint(0, 3, (2, 5, 4, 6))
    guarded = GuardedLoss(torch.nn.CrossEntropyLoss(), 3)
    assert torch.equal(guarded(logits, target), functional.cross_entropy(logits, target))
    guarded.check()


def test_what_volumes_are_is_seen_from_the_logits_wherever_they_are() -> None:
    guarded = GuardedLoss(lambda outputs, _: outputs["out"].sum(), 3)
    guarded({"note": "x", "out": torch.randn(2, 3, 5, 4, 6)}, torch.zeros(2, 5, 4, 6))
    with pytest.raises(UsageError, match=r"^target has the shape \(2, 5, 4, 6\); it must be"):
        guarded(None, torch.zeros(2, 5, 4, 6))


# --- names of arguments -------------------------------------------------------------------------------------------------------------------

class Named(torch.nn.Module):  # type: ignore[name-defined, misc]
    def forward(self, y_pred: Any, y_true: Any, weight: float = 1) -> Any:
        return functional.cross_entropy(y_pred, y_true) * weight


def by_keyword_only(*, pred: Any, labels: Any) -> Any:
    return functional.cross_entropy(pred, labels)


@pytest.mark.parametrize(("loss", "logits", "target"), [
    (torch.nn.CrossEntropyLoss(), "input", "target"), (functional.cross_entropy, "input", "target"), (Named(), "y_pred", "y_true"),
    (Named(), "logits", "target"), (by_keyword_only, "pred", "labels"), (by_keyword_only, "logits", "target"),
    (lambda **given: functional.cross_entropy(given["logits"], given["target"]), "logits", "target"),
])
def test_arguments_by_name(loss: Any, logits: str, target: str) -> None:
    guarded, given, labels = GuardedLoss(loss, 3), torch.randn(2, 3, 4, 6), torch.randint(0, 3, (2, 4, 6))
    assert torch.equal(guarded(**{target: labels, logits: given}), functional.cross_entropy(given, labels))
    with pytest.raises(MaskRejectedError, match=r"Sample 1 \(b\) holds 9 at row 2, column 3"):
        guarded(**{logits: given, target: at((2, 4, 6), (1, 2, 3), 9, torch.int64)}, names=["a", "b"])
        guarded.check()


def test_one_by_position_and_the_other_by_name() -> None:
    guarded, given, labels = GuardedLoss(Named(), 3), torch.randn(2, 3, 4, 6), torch.randint(0, 3, (2, 4, 6))
    assert torch.equal(guarded(given, weight=2, y_true=labels), 2 * functional.cross_entropy(given, labels))
    with pytest.raises(UsageError, match=r"^The labels are missing: give logits and labels first, or by name as y_pred= and y_true=\.$"):
        guarded(given)
    with pytest.raises(UsageError, match=r"^The logits are missing"):
        guarded(y_true=labels)
