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
