"""PNG tally: the facts of a grey or palette PNG straight from its filtered pixel stream, without making the image.

The compiled twin keeps one row, undoes each filter in place (see `kernels.unfilter`) and counts only what changed, so that a mask
costs its edges rather than its area.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit, rows
from labelguard.kernels import label_runs as _label_runs
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


@jit.maker
def _tally_bytes(raw, height, width, image, with_label_runs):
    """One byte a pixel."""
    padded = rows.padded_words(width)
    words, current_words = np.zeros(padded, np.uint64), np.zeros(padded, np.uint64)
    residuals, current = words.view(np.uint8), current_words.view(np.uint8)
    listed = np.empty(padded + 1, np.int32)
    columns, before = np.empty(width + 8, np.int32), np.empty(width + 8, np.uint8)
    since = np.zeros(width, np.int64)
    book, cuts, past = _label_runs.new_book(height, width, 256 if with_label_runs else 0)
    seen, table = _tally.new_table(256)
    for row in range(height):
        start = row * (width + 1)
        rows.copy(raw, start + 1, width, residuals)
        changes = _unfilter.undo_in_place(raw[start], residuals, words, current, current_words, width, listed, columns, before)
        if row == 0:
            _tally.first_row(current, width, seen, table)
        elif changes > 0:
            if with_label_runs:
                _label_runs.take_changes(row, current, changes, columns, before, since, past, book)
            _tally.changed_row(row, current, changes, columns, before, since, seen, table)
        if with_label_runs:
            _label_runs.take_row(row, current, current_words, width, changes, since, cuts, book)
        if image.size > 0:
            rows.copy(current, 0, width, image[row])
    if with_label_runs:
        _label_runs.take_ends(current, width, height, since, past, book)
    records = _tally.finish(current, width, height, since, seen, table)
    return records, _label_runs.close_book(book, records if with_label_runs else records[:0])


@jit.inner
def _unpack_row(packed, bits, samples):
    """Samples of one row of bytes, big end first."""
    if bits == 16:
        for i in range(samples.size):
            samples[i] = (np.uint16(packed[2 * i]) << 8) | np.uint16(packed[2 * i + 1])
        return
    per_byte = 8 // bits
    mask = (1 << bits) - 1
    for i in range(samples.size):
        samples[i] = (packed[i // per_byte] >> (8 - bits - bits * (i % per_byte))) & mask


@jit.maker
def _tally_samples(raw, height, width, bits, image, with_label_runs):
    """Any depth: each row is made whole, then compared with the one above."""
    row_bytes = (width * bits + 7) // 8
    packed, packed_above = np.zeros(row_bytes, np.uint8), np.zeros(row_bytes, np.uint8)
    words = np.zeros((2, rows.padded_words(2 * width)), np.uint64)
    current_words, above_words = words[0], words[1]
    current, above = current_words.view(np.uint16), above_words.view(np.uint16)
    columns, before = np.empty(width + 1, np.int32), np.empty(width + 1, np.uint16)
    since = np.zeros(width, np.int64)
    book, cuts, past = _label_runs.new_book(height, width, 1 << bits if with_label_runs else 0)
    seen, table = _tally.new_table(1 << bits)
    for row in range(height):
        packed, packed_above = packed_above, packed
        current, above = above, current
        current_words, above_words = above_words, current_words
        start = row * (row_bytes + 1)
        _unfilter.undo_row(raw[start], raw[start + 1:start + 1 + row_bytes], packed_above, packed, max(1, bits // 8))
        _unpack_row(packed, bits, current[:width])
        changes = 0
        if row == 0:
            _tally.first_row(current, width, seen, table)
        else:
            changes = rows.differences(current, above, current_words, above_words, columns, before)
            if with_label_runs:
                _label_runs.take_changes(row, current, changes, columns, before, since, past, book)
            _tally.changed_row(row, current, changes, columns, before, since, seen, table)
        if with_label_runs:
            _label_runs.take_row(row, current, current_words, width, changes, since, cuts, book)
        if image.size > 0:
            rows.copy(current, 0, width, image[row])
    if with_label_runs:
        _label_runs.take_ends(current, width, height, since, past, book)
    records = _tally.finish(current, width, height, since, seen, table)
    return records, _label_runs.close_book(book, records if with_label_runs else records[:0])


@jit.twin(definition)
def png_tally(raw, height, width, bits, image, with_label_runs):
    if bits == 8:
        return _tally_bytes(raw, height, width, image, with_label_runs)
    return _tally_samples(raw, height, width, bits, image, with_label_runs)
