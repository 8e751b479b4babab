"""From samples to labels: which floats are ids, and in which type."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.errors import NotLabelsError
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MOST_COLORS
from labelguard.files import samples as room
from labelguard.files.samples import facts_of_samples, labels_of

FLOAT = Storage("npy", bits=64, kind="f")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_ids_as_long_as_64_bits_hold_them(dtype: type[np.floating]) -> None:
    highest = np.nextafter(dtype(2.0 ** 63), dtype(0))
    samples = np.array([[0, highest], [-highest, 7]], dtype)
    assert labels_of(samples, FLOAT).tolist() == [[0, int(highest)], [-int(highest), 7]]
    assert facts_of_samples(samples, FLOAT).fractions is None


@pytest.mark.parametrize("value", [2.0 ** 63, -2.0 ** 63 * 1.5, 1e300])
def test_floats_beyond_64_bits_are_no_ids(value: float) -> None:
    samples = np.array([[0, 1], [value, 7]])
    fractions = facts_of_samples(samples, FLOAT).fractions
    assert fractions is not None and (fractions.first, fractions.fractional, fractions.nonfinite) == ((1, 0), 1, 0)
    with pytest.raises(NotLabelsError, match="float-mask"):
        labels_of(samples, FLOAT)


@pytest.mark.parametrize(("off", "near"), [(0.0009, True), (0.0011, False)])
def test_fractions_close_to_whole_numbers_can_be_rounded(off: float, near: bool) -> None:
    fractions = facts_of_samples(np.array([[0, 1 + off], [2, 3]]), FLOAT).fractions
    assert fractions is not None and fractions.near is near


@pytest.mark.parametrize(("channels", "dtype"), [(2, "u1"), (3, "u1"), (4, "u1"), (3, "u2"), (3, "f4"), (5, "i8")])
def test_colors_are_counted_over_all_bands(channels: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_BAND_SAMPLES", 100)
    colors = np.random.default_rng(0).integers(0, 4, (50, 30, channels)).astype(dtype)
    distinct, counts = np.unique(colors.reshape(-1, channels), axis=0, return_counts=True)
    found = facts_of_samples(colors, Storage("npy", "other")).colors
    assert found is not None and found.distinct == len(distinct)
    expected = {tuple(color): int(n) for color, n in zip(distinct.tolist(), counts, strict=True)}
    assert all(expected[color] == n for color, n in found.common) and len(found.common) == min(256, len(distinct))
    assert [n for _, n in found.common] == sorted(expected.values(), reverse=True)[:256]


def test_the_colors_of_a_photograph_are_not_counted_to_the_last() -> None:
    codes = np.arange(MOST_COLORS + 1, dtype=np.uint32)
    colors = codes.view(np.uint8).reshape(1, -1, 4)[:, :, :3]
    exact, more = (facts_of_samples(colors[:, :n], Storage("png", "rgb")).colors for n in (MOST_COLORS, MOST_COLORS + 1))
    assert exact is not None and (exact.distinct, exact.how_many) == (MOST_COLORS, "262,144")
    assert more is not None and more.how_many == "at least 262,145"


def test_labels_are_given_without_a_tally_of_all_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room.MaskFacts, "of_labels", None)
    labels = np.asfortranarray(np.arange(12).reshape(3, 4))
    given = labels_of(labels, Storage("npy", bits=64, kind="i"))
    assert np.array_equal(given, labels) and given.flags.c_contiguous
