"""From the samples of a file to label ids, or to the facts that say why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import NotLabelsError
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import Colors, Fractions, MaskFacts

_ROUNDING = 1e-3
_BAND_SAMPLES = 1 << 20  # samples
_MOST_COMMON = 16
_NAMES = {"rgb": ("red", "green", "blue"), "rgba": ("red", "green", "blue", "alpha"), "grey-alpha": ("grey", "alpha")}


def labels_of(samples: NDArray[Any], stored: Storage) -> NDArray[np.integer]:
    """The label ids of a file's samples.

    Parameters
    ----------
    samples
        (H, W) or (H, W, C), as a format's `decode` gives them.
    stored
        What they are.

    Returns
    -------
    ndarray
        (H, W), an integer type.

    Raises
    ------
    NotLabelsError
        When the pixels hold colors or fractions.
    """
    facts = facts_of_samples(samples, stored)
    if facts.fractions is not None:
        raise NotLabelsError("holds fractions where label ids should be (see 'labelguard rules float-mask')")
    if facts.colors is not None and not facts.colors.equal:
        raise NotLabelsError(f"holds colors where label ids should be, {facts.colors.distinct} of them "
                        "(see 'labelguard rules colour-mask')")
    return _integers(samples if samples.ndim == 2 else samples[:, :, 0])


def facts_of_samples(samples: NDArray[Any], stored: Storage, with_label_runs: bool = False) -> MaskFacts:
    """The facts of a file's samples; see `labels_of` and `MaskFacts.of_labels`."""
    colors = None
    if samples.ndim == 3:
        if samples.shape[2] == 1:
            samples = samples[:, :, 0]
        else:
            colors = _colors(samples, stored)
            if not colors.equal:
                return MaskFacts(samples.shape[:2], samples.dtype.name, stored=stored, colors=colors)
            samples = samples[:, :, 0]
    if samples.dtype.kind == "f":
        fractions = _fractions(samples)
        if fractions is not None:
            return MaskFacts((samples.shape[0], samples.shape[1]), samples.dtype.name, stored=stored, fractions=fractions)
    facts = MaskFacts.of_labels(_integers(samples), stored, with_label_runs)
    return replace(facts, dtype=samples.dtype.name, colors=colors)


def _integers(samples: NDArray[Any]) -> NDArray[np.integer]:
    """Integral samples as integers; floats in the smallest type that holds them."""
    if samples.dtype.kind != "f":
        return samples.view(np.uint8) if samples.dtype == np.bool_ else samples
    low, high = int(samples.min()), int(samples.max())
    return samples.astype(np.result_type(np.min_scalar_type(low), np.min_scalar_type(high)))


def _bands(samples: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The image in bands of whole rows, so that what is computed beside it stays small."""
    rows = max(1, _BAND_SAMPLES // max(1, samples[0].size))
    return (samples[row:row + rows] for row in range(0, len(samples), rows))


def _fractions(samples: NDArray[np.floating]) -> Fractions | None:
    """What keeps a float mask from being label ids; None where nothing does."""
    nonfinite = fractional = row = 0
    first: tuple[int, int] | None = None
    low, high, near = np.inf, -np.inf, True
    for band in _bands(samples):
        if band.dtype.itemsize < 4:
            band = band.astype(np.float32)
        finite = np.isfinite(band)
        with np.errstate(invalid="ignore"):
            distance = np.abs(band - np.rint(band))
        wrong = ~finite | (distance > 0) | (np.abs(band) >= 2.0 ** 63)
        if first is None and wrong.any():
            place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            first = (row + int(place[0]), int(place[1]))
        nonfinite += int((~finite).sum())
        fractional += int((wrong & finite).sum())
        if finite.any():
            values = band[finite]
            low, high = min(low, float(values.min())), max(high, float(values.max()))
            near = near and bool((distance[finite] <= _ROUNDING).all())
        row += len(band)
    return None if first is None else Fractions(nonfinite, fractional, first, low, high, near)


def _colors(samples: NDArray[Any], stored: Storage) -> Colors:
    """What the channels of a file hold."""
    has_alpha = stored.channels in ("rgba", "grey-alpha")
    paint = samples[:, :, :-1] if has_alpha else samples
    alpha = samples[:, :, -1] if has_alpha else None
    equal = all(bool((band == band[:, :, :1]).all()) for band in _bands(paint))
    names = _NAMES.get(stored.channels, tuple(f"channel {i}" for i in range(samples.shape[2])))
    varying = tuple(name for name, channel in zip(names, np.moveaxis(samples, 2, 0), strict=False)
                    if any(bool((band != channel[0, 0]).any()) for band in _bands(channel)))
    keys, counts = _distinct(paint[:, :, :1] if equal else paint)
    order = np.argsort(-counts, kind="stable")[:_MOST_COMMON]
    common = tuple((tuple(np.broadcast_to(keys[i], paint.shape[2]).tolist()), int(counts[i])) for i in order)
    return Colors(equal, len(counts), common, None if alpha is None else (int(alpha.min()), int(alpha.max())), varying)


def _distinct(paint: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct colors, as (n, C), and their pixel counts."""
    channels = paint.shape[2]
    row_type = np.dtype((np.void, channels * paint.dtype.itemsize))
    small = paint.dtype == np.uint8 and channels <= 4  # numbers sort many times faster than rows of bytes
    keys: NDArray[Any] = np.empty(0, np.uint32 if small else row_type)
    counts = np.empty(0, np.int64)
    for band in _bands(paint):
        flat = np.ascontiguousarray(band).reshape(-1, channels)
        if small:
            packed = np.zeros((len(flat), 4), np.uint8)
            packed[:, :channels] = flat
            found: NDArray[Any] = packed.view(np.uint32).ravel()
        else:
            found = flat.view(row_type).ravel()
        new, times = np.unique(found, return_counts=True)
        keys, places = np.unique(np.concatenate([keys, new]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([counts, times]), len(keys)).astype(np.int64)
    if small:
        return keys.view(np.uint8).reshape(-1, 4)[:, :channels], counts
    return keys.view(paint.dtype).reshape(-1, channels), counts
