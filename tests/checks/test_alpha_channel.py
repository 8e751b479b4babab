"""LG005: alpha channels."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import alpha_channel as check
from labelguard.files.mask import facts_of
from tests.checks.scenes import mask, on_mask, png, saved

LABELS = mask("0 1 2 / 2 1 0")


def with_alpha(labels: np.ndarray, alpha: np.ndarray, mode: str) -> bytes:
    image = Image.fromarray(labels).convert(mode)
    image.putalpha(Image.fromarray(alpha))
    return saved(image)


OPAQUE, VARIED, FLAT = np.full((2, 3), 255, "uint8"), mask("0 9 9 / 9 0 9"), np.full((2, 3), 7, "uint8")


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
@pytest.mark.parametrize(("labels", "alpha", "evidence", "fix"), [
    (LABELS, OPAQUE, "alpha is 255 everywhere; the other channels hold the ids 0-2", "Keep one color channel"),
    (FLAT, VARIED, "only alpha varies, from 0 to 9: the labels may be there", "Take the labels from the alpha channel"),
    (LABELS, VARIED, "alpha varies from 0 to 9, and so do the ids 0-2", "Find out what alpha means"),
])
def test_it_says_where_the_labels_may_be(mode: str, labels: np.ndarray, alpha: np.ndarray, evidence: str, fix: str) -> None:
    finding, = on_mask(check, facts_of(with_alpha(labels, alpha, mode)))
    assert finding.evidence == (evidence,)
    assert str(finding.fix).startswith(fix)
    assert finding.pixels == 6


@pytest.mark.parametrize("content", [
    png(LABELS),
    saved(Image.fromarray(LABELS).convert("RGB")),
    saved(Image.fromarray(np.dstack([LABELS, LABELS * 2, LABELS, OPAQUE]))),  # colors with alpha: LG003
])
def test_it_leaves_alone(content: bytes) -> None:
    assert on_mask(check, facts_of(content)) == []


def grey_by_imsave(labels: np.ndarray) -> bytes:
    """As matplotlib writes it with the color map "gray"."""
    span = max(1, int(labels.max()) - int(labels.min()))
    levels = np.minimum(255, 256 * (labels.astype(int) - int(labels.min())) // span).astype(np.uint8)
    return with_alpha(levels, np.full(labels.shape, 255, np.uint8), "RGBA")


@pytest.mark.parametrize(("text", "words"), [
    ("0 1 2 / 2 1 4", "stretches 5 ids in a row of each image"), ("3 7 9 / 3 3 9", "stretches 4 ids in a row of each image"),
    ("0 1 1 / 0 1 0", "stretches the ids of each image")])
def test_it_knows_imsave_in_grey(text: str, words: str) -> None:
    finding, = on_mask(check, facts_of(grey_by_imsave(mask(text))))
    assert words in finding.evidence[-1] and str(finding.fix).startswith("If it was imsave, save the masks again with PIL.Image")


@pytest.mark.parametrize("content", [
    with_alpha(LABELS, OPAQUE, "RGBA"),                            # ids as they are
    with_alpha(LABELS * 100, OPAQUE, "RGBA"),                      # up to 200
    with_alpha(mask("0 3 255"), np.full((1, 3), 255, np.uint8), "RGBA"),  # no even steps
    with_alpha(mask("0 128 255"), np.full((1, 3), 9, np.uint8), "RGBA"),  # not opaque
    with_alpha(mask("0 128 255"), np.full((1, 3), 255, np.uint8), "LA")])
def test_it_speaks_of_imsave_only_where_it_fits(content: bytes) -> None:
    finding, = on_mask(check, facts_of(content))
    assert "imsave" not in f"{finding.evidence} {finding.fix}"
