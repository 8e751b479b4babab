"""From the samples of a file to label ids, or to the facts that say why there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import NotLabels
from labelguard.facts import Colors, Fractions, MaskFacts
from labelguard.mask import Stored

_NEAR = 1e-3
_COMMON = 16
_NAMES = {"rgb": ("red", "green", "blue"), "rgba": ("red", "green", "blue", "alpha"), "grey-alpha": ("grey", "alpha")}


def labels_of(samples: NDArray[Any], stored: Stored) -> NDArray[np.integer]:
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
    NotLabels
        When the pixels hold colors or fractions.
    """
    facts = facts_of_samples(samples, stored)
    if facts.fractions is not None:
        raise NotLabels("holds fractions where label ids should be (see 'labelguard rules LG006')")
    if facts.colors is not None and not facts.colors.equal:
        raise NotLabels(f"holds colors where label ids should be, {facts.colors.distinct} of them "
                        "(see 'labelguard rules LG003')")
    return _integers(samples if samples.ndim == 2 else samples[:, :, 0])


def facts_of_samples(samples: NDArray[Any], stored: Stored) -> MaskFacts:
    """The facts of a file's samples; see `labels_of`."""
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
    facts = MaskFacts.of_labels(_integers(samples), stored)
    return replace(facts, dtype=samples.dtype.name, colors=colors)


def _integers(samples: NDArray[Any]) -> NDArray[np.integer]:
    """Integral samples as an integer type that holds them."""
    if samples.dtype.kind == "f":
        return samples.astype(np.int64)
    return samples.view(np.uint8) if samples.dtype == np.bool_ else samples


def _fractions(samples: NDArray[np.floating]) -> Fractions | None:
    """What keeps a float mask from being label ids; None where nothing does."""
    if samples.dtype.itemsize < 4:
        samples = samples.astype(np.float32)
    finite = np.isfinite(samples)
    with np.errstate(invalid="ignore"):
        distance = np.abs(samples - np.rint(samples))
    wrong = ~finite | (distance > 0) | (np.abs(samples) >= 2.0 ** 63)
    if not wrong.any():
        return None
    values = samples[finite]
    row, column = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    low, high = (float(values.min()), float(values.max())) if values.size else (float("nan"), float("nan"))
    return Fractions(int((~finite).sum()), int((wrong & finite).sum()), (int(row), int(column)), low, high,
                     bool((distance[finite] <= _NEAR).all()))


def _colors(samples: NDArray[Any], stored: Stored) -> Colors:
    """What the channels of a file hold."""
    has_alpha = stored.channels in ("rgba", "grey-alpha")
    paint = samples[:, :, :-1] if has_alpha else samples
    alpha = samples[:, :, -1] if has_alpha else None
    equal = bool((paint == paint[:, :, :1]).all())
    names = _NAMES.get(stored.channels, tuple(f"channel {i}" for i in range(samples.shape[2])))
    varying = tuple(name for name, channel in zip(names, np.moveaxis(samples, 2, 0), strict=False)
                    if (channel != channel[0, 0]).any())
    flat = np.ascontiguousarray(paint[:, :, :1] if equal else paint).reshape(paint.shape[0] * paint.shape[1], -1)
    whole = flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).ravel()
    if flat.dtype.itemsize * flat.shape[1] == 3:  # numbers sort many times faster than bytes
        whole = (flat.astype(np.uint32) * np.array([65536, 256, 1], np.uint32)).sum(axis=1, dtype=np.uint32)
    _, where, counts = np.unique(whole, return_index=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_COMMON]
    return Colors(equal, len(counts), tuple((tuple(paint.reshape(-1, paint.shape[2])[where[i]].tolist()), int(counts[i]))
                                            for i in order),
                  None if alpha is None else (int(alpha.min()), int(alpha.max())), varying)
