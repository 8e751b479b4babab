"""From the samples of a file to label ids, or to the facts that say why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import NotLabelsError
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MOST_COLORS, Colors, Fractions, MaskFacts
from labelguard.files.memory import take

_ROUNDING = 1e-3
_BAND_SAMPLES = 1 << 18  # samples
_MOST_COMMON = 256
_COLOR_BYTES = 64  # what merging takes for each color
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
    colors, samples = _one_channel(samples, stored)
    if colors is not None and not colors.equal:
        raise NotLabelsError(f"holds colors where label ids should be, {colors.how_many} of them (see 'labelguard rules colour-mask')")
    if samples.dtype.kind == "f" and _fractions(samples) is not None:
        raise NotLabelsError("holds fractions where label ids should be (see 'labelguard rules float-mask')")
    return ids_of(samples)


def ids_of(samples: NDArray[Any]) -> NDArray[np.integer]:
    """The label ids of samples whose facts say that they are ids: those of `labels_of`, without another look at every pixel."""
    labels = _integers(samples if samples.ndim == 2 else samples[:, :, 0])
    if not labels.flags.c_contiguous:
        take(labels.nbytes)
    return np.ascontiguousarray(labels)


def facts_of_samples(samples: NDArray[Any], stored: Storage, with_label_runs: bool = False) -> MaskFacts:
    """The facts of a file's samples; see `labels_of` and `MaskFacts.of_labels`."""
    colors, samples = _one_channel(samples, stored)
    shape, dtype = (samples.shape[0], samples.shape[1]), samples.dtype.name
    if colors is not None and not colors.equal:
        return MaskFacts(shape, dtype, stored=stored, colors=colors)
    fractions = _fractions(samples) if samples.dtype.kind == "f" else None
    if fractions is not None:
        return MaskFacts(shape, dtype, stored=stored, fractions=fractions)
    facts = MaskFacts.of_labels(_integers(samples), stored, with_label_runs, take)
    return replace(facts, dtype=dtype, colors=colors)


def _one_channel(samples: NDArray[Any], stored: Storage) -> tuple[Colors | None, NDArray[Any]]:
    """What the channels hold, None where there is one; and (H, W), the first of them."""
    if samples.ndim == 2 or samples.shape[2] == 1:
        return None, samples if samples.ndim == 2 else samples[:, :, 0]
    return _colors(samples, stored), samples[:, :, 0]


def _integers(samples: NDArray[Any]) -> NDArray[np.integer]:
    """Integral samples as integers; floats in the smallest type that holds them."""
    if samples.dtype.kind != "f":
        return samples.view(np.uint8) if samples.dtype == np.bool_ else samples
    low, high = int(samples.min()), int(samples.max())
    smallest = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    take(smallest.itemsize * samples.size)
    return samples.astype(smallest)


def _bands(samples: NDArray[Any]) -> Iterator[tuple[bool, NDArray[Any]]]:
    """The image in bands of whole rows, so that what is computed beside it stays small; and whether each is the last."""
    rows = max(1, _BAND_SAMPLES // max(1, samples[0].size))
    return ((row + rows >= len(samples), samples[row:row + rows]) for row in range(0, len(samples), rows))


def _fractions(samples: NDArray[np.floating]) -> Fractions | None:
    """What keeps a float mask from being label ids; None where nothing does."""
    nonfinite = fractional = row = 0
    first: tuple[int, int] | None = None
    low, high, near = np.inf, -np.inf, True
    for _, band in _bands(samples):
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
    equal = all(bool((band == band[:, :, :1]).all()) for _, band in _bands(paint))
    names = _NAMES.get(stored.channels, tuple(f"channel {i}" for i in range(samples.shape[2])))
    varying = tuple(name for name, channel in zip(names, np.moveaxis(samples, 2, 0), strict=False)
                    if any(bool((band != channel[0, 0]).any()) for _, band in _bands(channel)))
    keys, counts = _distinct(paint[:, :, :1] if equal else paint)
    order = np.argsort(-counts, kind="stable")[:_MOST_COMMON]
    common = tuple((tuple(np.broadcast_to(keys[i], paint.shape[2]).tolist()), int(counts[i])) for i in order)
    return Colors(equal, len(counts), common, None if alpha is None else (int(alpha.min()), int(alpha.max())), varying)


def _distinct(paint: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct colors, as (n, C), and their pixel counts; only of the rows up to where there are more than `MOST_COLORS`."""
    channels = paint.shape[2]
    row_bytes = channels * paint.dtype.itemsize
    width = next((width for width in (1, 2, 4, 8) if row_bytes <= width), row_bytes)
    key_type = np.dtype(f"u{width}" if width <= 8 else f"V{width}")  # numbers sort many times faster than rows of bytes
    keys, counts = np.empty(0, key_type), np.empty(0, np.int64)
    take((_COLOR_BYTES + width) * min(paint.shape[0] * paint.shape[1], 3 * MOST_COLORS))
    new: list[NDArray[Any]] = []
    times: list[NDArray[np.int64]] = []
    for last, band in _bands(paint):
        packed = np.zeros((band.shape[0] * band.shape[1], width), np.uint8)
        packed[:, :row_bytes] = np.ascontiguousarray(band).reshape(-1, channels).view(np.uint8)
        found, of_each = np.unique(packed.view(key_type).ravel(), return_counts=True)
        new.append(found)
        times.append(of_each)
        if last or sum(map(len, new)) > MOST_COLORS:  # so that each color is merged a few times, and not with every band
            keys, places = np.unique(np.concatenate([keys, *new]), return_inverse=True)
            counts = np.bincount(places, np.concatenate([counts, *times]), len(keys)).astype(np.int64)
            new, times = [], []
            if len(keys) > MOST_COLORS:
                break
    rows = np.ascontiguousarray(keys.view(np.uint8).reshape(-1, width)[:, :row_bytes])
    return rows.view(paint.dtype).reshape(-1, channels), counts
