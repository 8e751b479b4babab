"""PNG tally: the facts of a grey or palette PNG straight from its filtered pixel stream, without making the image.

The compiled twin keeps one row, undoes each filter in place (see `kernels.unfilter`) and counts only what changed, so that a mask
costs its edges rather than its area.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import label_runs as _label_runs
from labelguard.kernels import native
from labelguard.kernels import tally as _tally
from labelguard.kernels import unfilter as _unfilter


def unpack(packed: NDArray[np.uint8], width: int, bits: int) -> NDArray[np.unsignedinteger]:
    """Samples of packed rows of bytes, big end first.

    Parameters
    ----------
    packed
        (H, row bytes) uint8.
    width
        Samples in a row; padding bits behind them are dropped.
    bits
        Bits of a sample: 1, 2, 4, 8 or 16.

    Returns
    -------
    ndarray
        (H, width), uint16 for 16 bits, else uint8.
    """
    if bits == 16:
        return packed.view(">u2").astype(np.uint16)
    if bits == 8:
        return packed[:, :width]
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = packed[:, :, np.newaxis] >> shifts & np.uint8((1 << bits) - 1)
    return np.ascontiguousarray(samples.reshape(len(packed), -1)[:, :width])


def definition(raw: NDArray[np.uint8], height: int, width: int, bits: int, image: NDArray[np.unsignedinteger],
               with_label_runs: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Undo the filters, unpack the samples, tally them.

    Parameters
    ----------
    raw
        1-D uint8, the inflated stream of one sample a pixel; every filter byte is at most 4.
    height, width
        Size in pixels.
    bits
        1, 2, 4, 8 or 16.
    image
        (height, width) array of the samples' type that takes the image, or an empty one (0, 0) where it is not wanted.
    with_label_runs
        Whether anybody wants the numbers of `kernels.label_runs`.

    Returns
    -------
    records, numbers
        As of `kernels.tally` and of `kernels.label_runs`; the latter eleven zeros where they are not wanted.
    """
    packed = _unfilter.definition(raw, height, (width * bits + 7) // 8, max(1, bits // 8))
    samples = unpack(packed, width, bits)
    if image.size:
        image[...] = samples
    records = _tally.definition(np.ascontiguousarray(samples), 1 << bits)
    return records, _label_runs.definition(samples, records) if with_label_runs else np.zeros(_label_runs.TOTALS, np.int64)


@native.twin(definition)
def png_tally(raw: NDArray[np.uint8], height: int, width: int, bits: int, image: NDArray[np.unsignedinteger],
              with_label_runs: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    raw = native.as_bytes(raw)
    records, numbers = room(bits, with_label_runs)
    count = native.library.lg_png_tally(raw.ctypes.data, raw.size, height, width, bits, target(image, height, width, bits),
                                        records.ctypes.data, numbers.ctypes.data if with_label_runs else None)
    return used(native.checked(count), records, numbers)


def target(image: NDArray[np.unsignedinteger], height: int, width: int, bits: int) -> int | None:
    """The address of what takes the image; None where it is not wanted.

    Raises
    ------
    IndexError
        When it is of another size.
    """
    if image.size == 0:
        return None
    if image.shape != (height, width) or image.itemsize != (2 if bits == 16 else 1) or not image.flags.carray:
        raise IndexError(f"{image.shape} {image.dtype} does not take an image of {height} x {width} samples of {bits} bits")
    return image.ctypes.data


def room(bits: int, with_label_runs: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Records and numbers of as many ids as there may be; memory is only taken for those that are used."""
    return (np.empty((1 << bits, _tally.RECORD), np.int64),
            np.zeros(_label_runs.TOTALS + (2 << bits if with_label_runs else 0), np.int64))


def used(count: int, records: NDArray[np.int64], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Those of the ids that are there."""
    return records[:count].copy(), numbers[:_label_runs.TOTALS + 2 * count].copy()
