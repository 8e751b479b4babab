"""How a loss wants to be fed is found by trying."""

from __future__ import annotations

import types
from typing import Any, Never

import numpy as np
import pytest

from labelguard.lossprobe.supervisor.input_format import NoInputFormatError, _possible_formats, describe, find_input_format
from labelguard.lossprobe.supervisor.runner import InputFormat
from labelguard.lossprobe.supervisor.settings import Settings

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tests.lossprobe import segmentation_losses  # noqa: E402
from tests.lossprobe.inside import Inside  # noqa: E402
from tests.lossprobe.losses import BinaryDice, Dice, Focal, GeneralizedDice, lovasz_softmax  # noqa: E402

BATCH = np.indices((2, 8, 12)).sum(0) % 4


def squeezing(logits: Any, target: Any) -> Any:
    """Wants (N, 1, H, W) ids, as many loaders give them."""
    assert target.ndim == 4
    return F.cross_entropy(logits, target.squeeze(1))


def log_dice(probability: Any, hot: Any) -> Any:
    """A Dice on probabilities: the logarithm of anything else is NaN."""
    assert probability.shape == hot.shape
    return -(2 * (probability * hot).sum() / (probability + hot).sum()).log() - 0 * (1 - probability).log().clamp_min(-50).mean()


def foreground_only(logits: Any, planes: Any) -> Any:
    assert logits.shape[1] == planes.shape[1] == 3
    return F.binary_cross_entropy_with_logits(logits, planes)


def mean_absolute_error(probability: Any, target: Any) -> Any:
    return 1 - probability.gather(1, target[:, None]).mean()


def by_name(*, inputs: Any, target: Any) -> Any:
    return F.cross_entropy(inputs, target)


def target_by_name(logits: Any, *, target: Any, gamma: float = 2.0) -> Any:
    return F.cross_entropy(logits, target) ** gamma


class ByName(torch.nn.Module):
    def forward(self, *, y_pred: Any, y_true: Any) -> Any:
        return F.cross_entropy(y_pred, y_true)


def of_several_heads(outputs: Any, target: Any) -> Any:
    return sum(F.cross_entropy(output, target) for output in outputs)


def of_torchvision(outputs: Any, target: Any) -> Any:
    losses = {name: F.cross_entropy(output, target) for name, output in outputs.items()}
    return losses["out"] + 0.5 * losses["aux"]


def of_transformers(outputs: Any, target: Any) -> Any:
    return F.cross_entropy(F.interpolate(outputs.logits, target.shape[-2:]), target)


def of_rows(logits: Any, target: Any) -> Any:
    assert logits.ndim == 2 and target.ndim == 1
    return F.cross_entropy(logits, target)


def of_flat_planes(logits: Any, planes: Any) -> Any:
    assert logits.ndim == 2 and logits.shape == planes.shape
    return F.binary_cross_entropy_with_logits(logits, planes)


def of_flat_masks(logits: Any, masks: Any) -> Any:
    """As mask2former has it: (N, H * W) each."""
    assert logits.ndim == 2
    p = logits.sigmoid()
    return (1 - (2 * (p * masks).sum(-1) + 1) / (p.sum(-1) + masks.sum(-1) + 1)).mean()


def of_a_quarter(logits: Any, target: Any) -> Any:
    assert logits.shape[-1] * 4 == target.shape[-1]
    return F.cross_entropy(logits, target[:, ::4, ::4])


@pytest.mark.parametrize(("loss", "classes", "settings", "input_format"), [
    (torch.nn.CrossEntropyLoss(), 4, {}, InputFormat("index", "none")),
    (torch.nn.CrossEntropyLoss(), 2, {}, InputFormat("index", "none")),
    (torch.nn.NLLLoss(), 4, {}, InputFormat("index", "log-softmax")),
    (torch.nn.NLLLoss(), 4, {"activation": "none"}, InputFormat("index", "none")),
    (torch.nn.KLDivLoss(reduction="batchmean"), 4, {}, InputFormat("onehot", "log-softmax")),
    (mean_absolute_error, 4, {}, InputFormat("index", "softmax")),
    (Dice(), 4, {}, InputFormat("index", "none")),
    (Focal(), 4, {}, InputFormat("index", "none")),
    (lovasz_softmax, 4, {}, InputFormat("index", "none")),
    (GeneralizedDice(), 4, {}, InputFormat("onehot", "none")),
    (torch.nn.BCEWithLogitsLoss(), 2, {}, InputFormat("binary", "none")),
    (torch.nn.BCEWithLogitsLoss(), 4, {}, InputFormat("onehot", "none")),
    (torch.nn.BCELoss(), 2, {}, InputFormat("binary", "sigmoid")),
    (torch.nn.BCELoss(), 4, {}, InputFormat("onehot", "softmax")),
    (torch.nn.BCELoss(), 4, {"activation": "sigmoid"}, InputFormat("onehot", "sigmoid")),
    (BinaryDice(), 2, {}, InputFormat("binary", "none")),
    (log_dice, 4, {}, InputFormat("onehot", "softmax")),
    (squeezing, 4, {}, InputFormat("index1", "none")),
    (foreground_only, 4, {"target": "foreground"}, InputFormat("foreground", "none")),
    (by_name, 4, {}, InputFormat("index", "none")),
    (target_by_name, 4, {}, InputFormat("index", "none")),
    (ByName(), 4, {}, InputFormat("index", "none")),
    (of_several_heads, 4, {}, InputFormat("index", "none", "list")),
    (of_torchvision, 4, {}, InputFormat("index", "none", "dict")),
    (of_transformers, 4, {}, InputFormat("index", "none", "dict")),
    (of_rows, 4, {}, InputFormat("index", "none", "pixels")),
    (of_flat_planes, 4, {}, InputFormat("onehot", "none", "pixels")),
    (of_flat_masks, 2, {}, InputFormat("binary", "none", "pixels")),
    (of_a_quarter, 4, {}, InputFormat("index", "none", "quarter")),
])
def test_the_format_is_found(loss: Any, classes: int, settings: dict[Any, Any], input_format: InputFormat) -> None:
    run = Inside(loss, classes)
    assert find_input_format(run, (8, 12), classes, (), Settings(**settings)) == input_format == run.input_format
    assert "logits" in describe(input_format)


@pytest.mark.parametrize(("gives", "words"), [
    (lambda loss: {"loss": loss, "accuracy": 0.5}, "its 'loss'"),
    (lambda loss: {"loss_mask": loss, "loss_dice": loss * 2, "seen": loss.detach()}, "the sum of loss_mask and loss_dice"),
    (lambda loss: (loss, {"loss": 0.3}), "its number 1"),
    (lambda loss: [loss, loss * 2], "the sum of number 1 and number 2"),
    (lambda loss: (loss * 3, loss, loss * 2), "the first, which is the sum of the others"),
    (lambda loss: types.SimpleNamespace(loss=loss), "its .loss"),
])
def test_the_loss_is_found_in_what_is_returned_and_told(gives: Any, words: str) -> None:
    run = Inside(lambda logits, target: gives(F.cross_entropy(logits, target)), 4)
    assert find_input_format(run, (8, 12), 4, (), Settings()) == InputFormat("index", "none")
    assert words in describe(run.input_format, returned=run.returned)
    assert run(BATCH).last.loss == pytest.approx(Inside(lambda *inputs: loss_of(gives(F.cross_entropy(*inputs))), 4)(BATCH).last.loss)


def loss_of(returned: Any) -> Any:
    """What training would go backward from."""
    if isinstance(returned, dict):
        return returned["loss"] if "loss" in returned else sum(value for value in returned.values() if value.requires_grad)
    return getattr(returned, "loss", None) if hasattr(returned, "loss") else (
        sum(returned) if isinstance(returned, list) else returned[0])


def test_by_name_is_said() -> None:
    assert describe(InputFormat("index", "none"), ["input", "target"]) == "logits against ids (N, H, W), by name (input=, target=)"


def test_where_nothing_goes_the_error_of_the_likeliest_feed_is_told() -> None:
    def refuses(logits: Any, target: Any) -> Never:
        raise ValueError(f"I want {'ids' if target.dtype == torch.int64 else 'something else'}")
    with pytest.raises(NoInputFormatError, match="I want ids") as caught:
        find_input_format(Inside(refuses, 4), (8, 12), 4, (), Settings())
    assert len(caught.value.tried) == len(set(caught.value.tried)) == 17


def test_a_loss_without_a_gradient_goes_through_in_the_end() -> None:
    """What has no gradient anywhere is fed by the first way that passes; the probe tells of its signal later."""
    run = Inside(lambda logits, _: (logits * 0).sum(), 4)
    assert find_input_format(run, (8, 12), 4, (), Settings()) == InputFormat("index", "none") == run.input_format


def test_what_leaves_the_process_is_not_tried_again() -> None:
    def exits(logits: Any, target: Any) -> Never:
        raise SystemExit(0)
    with pytest.raises(NoInputFormatError) as caught:
        find_input_format(Inside(exits, 4), (8, 12), 4, (), Settings())
    assert len(caught.value.tried) == 1


@pytest.mark.parametrize(("loss", "classes", "target", "activation"), [
    ("keras_entropy", 4, "index", "none"), ("keras_bce", 2, "binary", "none"), ("keras_categorical", 4, "onehot", "softmax"),
])
def test_a_loss_that_takes_the_target_first_is_called_so(loss: str, classes: int, target: str, activation: str) -> None:
    run = Inside(getattr(segmentation_losses, loss), classes)
    found = find_input_format(run, (12, 16), classes, (), Settings())
    assert (found.target, found.activation, found.target_first) == (target, activation, True)
    assert describe(found).startswith("the target first: ")


@pytest.mark.parametrize(("loss", "classes"), [("bce", 2), ("binary_dice", 2), ("squares", 2), ("lovasz_hinge", 1), ("focal_tversky", 1)])
def test_other_losses_keep_their_order(loss: str, classes: int) -> None:
    found = find_input_format(Inside(getattr(segmentation_losses, loss), classes), (12, 16), classes, (), Settings())
    assert (found.target, found.target_first) == ("binary", False)


def test_formats_are_tried_in_one_order_the_commonest_first() -> None:
    tried = list(_possible_formats(2, Settings(), network=False))
    assert [(one.target, one.activation) for one in tried if one.outputs == "tensor"] == [
        ("index", "none"), ("binary", "none"), ("onehot", "none"), ("index1", "none"),
        ("index", "softmax"), ("binary", "sigmoid"), ("onehot", "softmax"), ("index1", "softmax")]
    assert [next(_possible_formats(classes, Settings(), network=False)).target for classes in (1, 2, 3)] == ["binary", "index", "index"]
    assert {one.target for one in _possible_formats(3, Settings(), network=False)} == {"index", "onehot", "index1"}
    assert list(dict.fromkeys(one.outputs for one in tried)) == ["tensor", "list", "dict", "pixels", "quarter"]
