"""PNG tally: the facts of a grey or palette PNG straight from its filtered pixel stream, without making the image.

Most residuals of a label PNG are zero, and a zero residual mostly means "as in the row above": then there is nothing to write
and nothing to count. The compiled twin keeps one row, undoes each filter in place and notes only what changed, so that a mask
costs its edges rather than its area. For Paeth that rests on two facts: while the pixels left and above left are equal, the
prediction is the pixel above; while the pixels above and above left are equal, it is the pixel to the left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit
from labelguard.kernels import tally as _tally
from labelguard.kernels import unfilter as _unfilter


def unpack(rows: NDArray[np.uint8], width: int, bits: int) -> NDArray[np.unsignedinteger]:
    """Samples of packed rows of bytes, big end first.

    Parameters
    ----------
    rows
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
        return rows.view(">u2").astype(np.uint16)
    if bits == 8:
        return rows[:, :width]
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = rows[:, :, np.newaxis] >> shifts & np.uint8((1 << bits) - 1)
    return np.ascontiguousarray(samples.reshape(len(rows), -1)[:, :width])


def definition(raw: NDArray[np.uint8], height: int, width: int, bits: int) -> NDArray[np.int64]:
    """Undo the filters, unpack the samples, tally them.

    Parameters
    ----------
    raw
        1-D uint8, the inflated stream of one sample a pixel; every filter byte is at most 4.
    height, width
        Size in pixels.
    bits
        1, 2, 4, 8 or 16.

    Returns
    -------
    ndarray
        Records as of `kernels.tally`.
    """
    rows = _unfilter.definition(raw, height, (width * bits + 7) // 8, max(1, bits // 8))
    return _tally.definition(unpack(rows, width, bits), 1 << bits)


@jit.inner
def _nonzero_words(words, listed):
    """List the words that are not zero; gives their number. The row is zero-padded to whole blocks of 8 words."""
    found = 0
    for block in range(words.size // 8):
        some = words[8 * block:8 * block + 8]
        union = np.uint64(0)
        for k in range(8):
            union |= some[k]
        if union != 0:
            for k in range(8):  # store always, keep if not zero: no branch to mispredict
                listed[found] = 8 * block + k
                found += some[k] != 0
    return found


@jit.inner
def _next_residual(words, listed, found, at, start, width):
    """The first byte >= start that is not zero (or `width`), and where in the list of words it stands."""
    while at < found:
        base = np.int64(listed[at]) << 3
        word = words[listed[at]]
        if base < start:
            if start - base > 7:
                at += 1
                continue
            word >>= np.uint64((start - base) << 3)
            base = start
        if word != 0:
            while word & np.uint64(0xFF) == 0:
                word >>= np.uint64(8)
                base += 1
            return at, base
        at += 1
    return at, width


@jit.inner
def _undo_up(residuals, current, listed, found, columns, before):
    changes = 0
    for at in range(found):
        base = np.int64(listed[at]) << 3
        for i in range(base, base + 8):  # store always, keep if different: no branch to mispredict
            columns[changes] = i
            before[changes] = current[i]
            changes += residuals[i] != 0
            current[i] = np.uint8(current[i] + residuals[i])
    return changes


@jit.inner
def _undo_sub(residuals, words, current, current_words, width, listed, found, columns, before):
    changes = at = i = 0
    value = np.uint8(0)
    while i < width:
        at, end = _next_residual(words, listed, found, at, i, width)
        pattern = np.uint64(value) * np.uint64(0x0101010101010101)
        while i < end:  # fill with the value, a whole word at a time where one fits
            if i & 7 == 0 and i + 8 <= end:
                if current_words[i >> 3] != pattern:
                    for j in range(i, i + 8):
                        columns[changes] = j
                        before[changes] = current[j]
                        changes += current[j] != value
                    current_words[i >> 3] = pattern
                i += 8
            else:
                columns[changes] = i
                before[changes] = current[i]
                changes += current[i] != value
                current[i] = value
                i += 1
        if end < width:
            value = np.uint8(value + residuals[end])
            columns[changes] = end
            before[changes] = current[end]
            changes += current[end] != value
            current[end] = value
        i = end + 1
    return changes


@jit.inner
def _undo_paeth(residuals, words, current, width, listed, found, columns, before):
    changes = at = i = 0
    left = corner = np.int64(0)
    while i < width:
        if left == corner:  # nothing changes up to the next residual
            at, i = _next_residual(words, listed, found, at, i, width)
            if i == width:
                break
            up = np.int64(current[i])
            predicted = up
        else:
            up = np.int64(current[i])
            predicted = left if up == corner else _unfilter.predict_paeth(left, up, corner)
        left = (predicted + residuals[i]) & 255
        columns[changes] = i
        before[changes] = up
        changes += left != up
        current[i] = left
        corner = up
        i += 1
    return changes


@jit.inner
def _undo_rest(kind, residuals, current, width, columns, before):
    """None and Average, which label files hardly use."""
    changes = 0
    left = np.int64(0)
    for i in range(width):
        up = np.int64(current[i])
        predicted = 0 if kind == _unfilter.NONE else (left + up) >> 1
        left = (predicted + residuals[i]) & 255
        columns[changes] = i
        before[changes] = up
        changes += left != up
        current[i] = left
    return changes


@jit.inner
def _undo_in_place(kind, residuals, words, current, current_words, width, listed, columns, before):
    """Undo the filter of one row of bytes over the row above; notes the columns that changed and what stood there."""
    if kind == _unfilter.NONE or kind == _unfilter.AVERAGE:
        return _undo_rest(kind, residuals, current, width, columns, before)
    found = _nonzero_words(words, listed)
    if kind == _unfilter.UP:
        return _undo_up(residuals, current, listed, found, columns, before)
    if kind == _unfilter.SUB:
        return _undo_sub(residuals, words, current, current_words, width, listed, found, columns, before)
    return _undo_paeth(residuals, words, current, width, listed, found, columns, before)


@jit.inner
def _tally_bytes(raw, height, width):
    """One byte a pixel."""
    padded = _tally.padded_words(width)
    words, current_words = np.zeros(padded, np.uint64), np.zeros(padded, np.uint64)
    residuals, current = words.view(np.uint8), current_words.view(np.uint8)
    listed = np.empty(padded + 1, np.int32)
    columns, before = np.empty(width + 8, np.int32), np.empty(width + 8, np.uint8)
    since = np.zeros(width, np.int64)
    seen, table = _tally.new_table(256)
    for row in range(height):
        start = row * (width + 1)
        source = raw[start + 1:start + 1 + width]
        for j in range(source.size):
            residuals[j] = source[j]
        changes = _undo_in_place(raw[start], residuals, words, current, current_words, width, listed, columns, before)
        if row == 0:
            _tally.first_row(current, width, seen, table)
        elif changes > 0:
            _tally.changed_row(row, current, changes, columns, before, since, seen, table)
    return _tally.finish(current, width, height, since, seen, table)


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


@jit.inner
def _tally_samples(raw, height, width, bits):
    """Any depth: each row is made whole, then compared with the one above."""
    row_bytes = (width * bits + 7) // 8
    rows = np.zeros((2, row_bytes), np.uint8)
    packed, packed_above = rows[0], rows[1]
    words = np.zeros((2, _tally.padded_words(2 * width)), np.uint64)
    current_words, above_words = words[0], words[1]
    current, above = current_words.view(np.uint16), above_words.view(np.uint16)
    columns, before = np.empty(width + 1, np.int32), np.empty(width + 1, np.uint16)
    since = np.zeros(width, np.int64)
    seen, table = _tally.new_table(1 << bits)
    for row in range(height):
        packed, packed_above = packed_above, packed
        current, above = above, current
        current_words, above_words = above_words, current_words
        start = row * (row_bytes + 1)
        _unfilter.undo_row(raw[start], raw[start + 1:start + 1 + row_bytes], packed_above, packed, max(1, bits // 8))
        _unpack_row(packed, bits, current[:width])
        if row == 0:
            _tally.first_row(current, width, seen, table)
        else:
            changes = _tally.differences(current, above, current_words, above_words, columns, before)
            _tally.changed_row(row, current, changes, columns, before, since, seen, table)
    return _tally.finish(current, width, height, since, seen, table)


@jit.twin(definition)
def png_tally(raw, height, width, bits):
    if bits == 8:
        return _tally_bytes(raw, height, width)
    return _tally_samples(raw, height, width, bits)
