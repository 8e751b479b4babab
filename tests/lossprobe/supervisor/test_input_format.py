"""How a loss wants to be fed is found by trying."""

from __future__ import annotations

from typing import Any, Never

import pytest

from labelguard.lossprobe.supervisor.input_format import NoInputFormatError, describe, find_input_format
from labelguard.lossprobe.supervisor.runner import InputFormat
from labelguard.lossprobe.supervisor.settings import Settings

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tests.lossprobe.inside import Inside  # noqa: E402
from tests.lossprobe.losses import BinaryDice, Dice, Focal, GeneralizedDice, lovasz_softmax  # noqa: E402


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


@pytest.mark.parametrize(("loss", "classes", "settings", "input_format"), [
    (torch.nn.CrossEntropyLoss(), 4, {}, InputFormat("index", "none")),
    (torch.nn.CrossEntropyLoss(), 2, {}, InputFormat("index", "none")),
    (torch.nn.NLLLoss(), 4, {}, InputFormat("index", "none")),
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
])
def test_the_format_is_found(loss: Any, classes: int, settings: dict[Any, Any], input_format: InputFormat) -> None:
    run = Inside(loss, classes)
    assert find_input_format(run, (8, 12), classes, (), Settings(**settings)) == input_format == run.input_format
    assert describe(input_format).startswith("logits")


def test_where_nothing_goes_the_error_of_the_likeliest_feed_is_told() -> None:
    def refuses(logits: Any, target: Any) -> Never:
        raise ValueError(f"I want {'ids' if target.dtype == torch.int64 else 'something else'}")
    with pytest.raises(NoInputFormatError, match="I want ids") as caught:
        find_input_format(Inside(refuses, 4), (8, 12), 4, (), Settings())
    assert len(caught.value.tried) == len(set(caught.value.tried)) == 6


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
