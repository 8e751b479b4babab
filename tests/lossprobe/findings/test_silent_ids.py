"""What losses of torch make of ids that they take without an error: each of these trains something wrong, or is an ignored id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labelguard import LabelSpec
from labelguard.lossprobe.findings.interpretation import interpret
from labelguard.lossprobe.supervisor.runner import InputFormat

torch = pytest.importorskip("torch")

from tests.lossprobe import segmentation_losses  # noqa: E402
from tests.lossprobe.inside import Inside, probed  # noqa: E402

BANDS = np.indices((24, 32)).sum(0) // 4 % 4


def reading(loss: str, target: str, value: int, classes: int) -> tuple[str, int | None]:
    found = interpret(Inside(getattr(segmentation_losses, loss), classes, input_format=InputFormat(target, "none")), value, classes)
    return found.reading, found.label


@pytest.mark.parametrize("loss", ["binary_dice", "binary_jaccard", "binary_tversky", "focal_tversky", "squared_dice", "log_dice", "bce",
                                  "squares", "sigmoid_focal", "lovasz_hinge"])
@pytest.mark.parametrize("value", [255, 254, -1, 13])
def test_what_is_multiplied_with_the_id_calculates_with_it(loss: str, value: int) -> None:
    assert reading(loss, "binary", value, 2) == ("number", None)


@pytest.mark.parametrize(("loss", "value", "expected"), [
    ("dice", 255, ("no-class", None)), ("jaccard", -1, ("no-class", None)), ("tversky", 12, ("no-class", None)),
    ("lovasz", 255, ("no-class", None)), ("dice_ignoring", 254, ("no-class", None)), ("dice_ignoring", 255, ("ignored", None)),
    ("cross_entropy_smoothed", 255, ("ignored", None)), ("hardest", 255, ("ignored", None)),
    ("cross_entropy_clamped", 255, ("class", 11)), ("cross_entropy_clamped", -1, ("class", 0)),
    ("entropy_and_dice", 255, ("other", None)), ("focal", 254, ("refused", None)), ("focal", 255, ("ignored", None)),
])
def test_losses_of_several_classes(loss: str, value: int, expected: tuple[str, int | None]) -> None:
    assert reading(loss, "index", value, 12) == expected


@pytest.mark.parametrize(("loss", "expected"), [
    ("quarter", "refused"), ("quarter_ignoring", "ignored"), ("shrunk", "no-class"), ("shrunk_ignoring", "ignored"),
    ("enlarged", "no-class"), ("enlarged_ignoring", "ignored"),
])
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_losses_at_a_quarter_of_the_resolution(loss: str, expected: str, offset: int) -> None:
    """Whichever of the pixels they read."""
    def shifted(logits: Any, target: Any) -> Any:
        return getattr(segmentation_losses, loss)(logits[:, :, offset:, offset:], target[:, offset:, offset:])
    assert interpret(Inside(shifted, 12), 255, 12).reading == expected


def test_a_loss_with_chance_in_it_is_not_taken_to_calculate() -> None:
    def sampled(logits: Any, target: Any) -> Any:
        chosen = torch.rand(target.shape) < 0.5
        return (segmentation_losses._planes(logits, target) - logits).square().sum(1)[chosen].mean()
    assert interpret(Inside(sampled, 3), 255, 3).reading in ("unclear", "no-class")


def test_a_loss_for_masks_of_some_size_is_given_masks_of_that_size() -> None:
    def large_only(logits: Any, target: Any) -> Any:
        if target.shape[1:] != BANDS.shape:
            raise ValueError("made for one size")
        return segmentation_losses.cross_entropy_clamped(logits, target)
    finding, = probed(large_only, {"a": np.where(BANDS == 3, 255, BANDS)}, LabelSpec(3), batch_size=1).findings
    assert finding.code == "LG507" and "it trains such a pixel as class 2" in finding.message


def holding(value: int, *places: tuple[int, int]) -> np.ndarray:
    labels = BANDS.astype(np.int64)
    for place in places:
        labels[place] = value
    return labels


@pytest.mark.parametrize("value", [255, -1])
def test_an_undeclared_id_that_is_taken_in_silence_is_an_error_with_its_pixel(value: int) -> None:
    masks = {"fine": BANDS % 2, "bad": np.where(np.indices(BANDS.shape).sum(0) == 9, value, BANDS % 2)}
    finding, = probed(segmentation_losses.binary_jaccard, masks, LabelSpec(2), batch_size=2).findings
    assert (finding.code, finding.severity, finding.path, finding.first, finding.first_file) == ("LG507", "error", "bad", (0, 9), "bad")


def test_of_several_files_the_one_that_holds_the_first_pixel_is_named() -> None:
    masks = {"fine": BANDS, "one": holding(255, (3, 5), (2, 9)), "two": holding(255, (0, 0))}
    silent, = probed(segmentation_losses.dice, masks, LabelSpec(4), batch_size=3).findings
    assert (silent.code, silent.path, list(silent.files), silent.first, silent.first_file) == ("LG507", None, ["one", "two"], (2, 9), "one")
    assert "the first such pixel: one, row 2, column 9" in silent.evidence
    refused, = probed(segmentation_losses.cross_entropy, masks, LabelSpec(4), batch_size=3, seed=None).findings
    assert (refused.code, refused.path, refused.first_file) == ("LG503", None, "one") and "one, row 2, column 9" in refused.message


def test_an_id_that_only_a_planted_pixel_shows_to_be_refused_says_that_the_batch_passed() -> None:
    masks = {"fine": BANDS, "bad": holding(255, (9, 13))}
    finding, = probed(segmentation_losses.quarter, masks, LabelSpec(4), batch_size=2).findings
    assert (finding.code, finding.path, finding.first, finding.first_file) == ("LG503", "bad", (9, 13), "bad")
    assert "One pixel of 255 in neutral masks is enough, though the batch itself passed" in finding.message
    seen, = probed(segmentation_losses.quarter, masks | {"bad": holding(255, (8, 12))}, LabelSpec(4), batch_size=2).findings
    assert seen.first == (8, 12) and "passed" not in seen.message


@pytest.mark.parametrize(("loss", "severity"), [("entropy_and_dice", "warning"), ("dice", "error"), ("dice_ignoring", None)])
def test_a_declared_id_is_an_error_only_where_it_is_shown_not_to_be_ignored(loss: str, severity: str | None) -> None:
    found = probed(getattr(segmentation_losses, loss), {"a": holding(255, (9, 13))}, LabelSpec(4, 255), batch_size=1).findings
    assert [finding.severity for finding in found] == [severity] * (severity is not None)


def test_a_loss_that_takes_the_target_first_is_told_with_the_line_to_write() -> None:
    probe = probed(segmentation_losses.keras_entropy, {"a": BANDS, "bad": holding(255, (9, 13))}, LabelSpec(4), batch_size=2)
    told, refused = probe.findings
    assert (told.code, told.severity) == ("LG512", "note") and "loss(target, logits)" in told.message
    assert "return criterion(target, logits)" in told.wrapper
    assert (refused.code, refused.path, refused.first) == ("LG503", "bad", (9, 13))


def _cross_entropy(logits: Any, target: Any, chosen: Any) -> Any:
    losses = torch.nn.functional.cross_entropy(logits, target.clamp(0, 3), reduction="none")
    return (losses * chosen).sum() / chosen.sum().clamp(min=1)


def _skips_batch(logits: Any, target: Any) -> Any:
    return _cross_entropy(logits, target, torch.ones(target.shape) * bool((target < 4).all()))


def _skips_image(logits: Any, target: Any) -> Any:
    return _cross_entropy(logits, target, (target < 4).flatten(1).all(1)[:, None, None].expand(target.shape).float())


def _skips_pixels(logits: Any, target: Any) -> Any:
    return _cross_entropy(logits, target, (target < 4).float())


def _sampled(logits: Any, target: Any) -> Any:
    chosen = torch.randint(0, target.numel(), (64,))
    return torch.nn.functional.cross_entropy(logits.permute(0, 2, 3, 1).reshape(-1, 4)[chosen], target.flatten()[chosen])


@pytest.mark.parametrize(("loss", "expected"), [(_skips_batch, "batch"), (_skips_image, "mask"), (_skips_pixels, "ignored"),
                                                (_sampled, "refused")])
def test_leaving_out_a_pixel_is_told_from_leaving_out_its_mask_or_batch_and_from_luck(loss: Any, expected: str) -> None:
    torch.manual_seed(3)
    assert interpret(Inside(loss, 4), 255, 4).reading == expected


def test_the_fix_names_every_id() -> None:
    masks = {"a": np.where(BANDS == 3, 200, BANDS), "b": np.where(BANDS == 3, 210, BANDS)}
    undeclared, = (one for one in probed(_skips_pixels, masks, LabelSpec(4)).findings if one.code == "LG507")
    assert undeclared.ids == (200, 210) and "--ignore-index 200 --ignore-index 210" in str(undeclared.fix)
    clamped, = (one for one in probed(_clamps, masks, LabelSpec(4, ignore_index=(200, 210))).findings if one.code == "LG507")
    assert clamped.ids == (200, 210) and "ignore_index=200" in str(clamped.fix) and "So it is with 210" in str(clamped.fix)


def _clamps(logits: Any, target: Any) -> Any:
    return torch.nn.functional.cross_entropy(logits, target.clamp(0, 3))
