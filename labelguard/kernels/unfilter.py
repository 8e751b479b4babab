"""Unfilter: undo the five row filters of PNG (PNG specification, third edition, section 9).

`raw` is the inflated pixel stream: for each row one byte that names its filter, then the row's bytes.

Most residuals of a label PNG are zero, and a zero residual mostly means "as in the row above": where a pixel is one byte, the compiled
twin undoes each filter in place, over the row above, and touches only what changes. For Paeth that rests on two facts: while the
pixels left and above left are equal, the prediction is the pixel above; while the pixels above and above left are equal, it is the
pixel to the left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit, rows

NONE, SUB, UP, AVERAGE, PAETH = range(5)


def _paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    return min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up), (abs(estimate - corner), 2, corner))[2]


def definition(raw: NDArray[np.uint8], height: int, row_bytes: int, step: int) -> NDArray[np.uint8]:
    """Undo the filters in plain Python.

    Parameters
    ----------
    raw
        1-D uint8 array of `height` x (1 + `row_bytes`) bytes; every filter byte is at most 4.
    height, row_bytes
        Number of rows, and bytes in each.
    step
        Bytes of a whole pixel, at least 1: the distance to the byte "to the left".

    Returns
    -------
    ndarray
        (height, row_bytes) uint8.
    """
    out = np.zeros((height, row_bytes), np.uint8)
    above = [0] * row_bytes
    for row, line in enumerate(raw.reshape(height, row_bytes + 1).tolist()):
        kind, residuals, current = line[0], line[1:], [0] * row_bytes
        for i, residual in enumerate(residuals):
            left, corner = (current[i - step], above[i - step]) if i >= step else (0, 0)
            up = above[i]
            predicted = (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]
            current[i] = (residual + predicted) % 256
        out[row] = above = current
    return out


@jit.inner
def predict_paeth(left, up, corner):
    """The one of the three neighbors that is nearest to left + up - corner, in this order of preference."""
    estimate = left + up - corner
    from_left, from_up, from_corner = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
    if from_left <= from_up and from_left <= from_corner:
        return left
    return up if from_up <= from_corner else corner


@jit.inner
def undo_row(kind, residuals, above, out, step):
    """Undo the filter of one row of bytes, given the row above (zeros at the top)."""
    n = residuals.size
    if kind == NONE:
        for i in range(n):
            out[i] = residuals[i]
    elif kind == UP:
        for i in range(n):
            out[i] = np.uint8(residuals[i] + above[i])
    else:
        for i in range(n):
            left = np.int64(out[i - step]) if i >= step else 0
            if kind == SUB:
                predicted = left
            elif kind == AVERAGE:
                predicted = (left + np.int64(above[i])) >> 1
            else:
                predicted = predict_paeth(left, np.int64(above[i]), np.int64(above[i - step]) if i >= step else 0)
            out[i] = np.uint8(residuals[i] + predicted)


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
def _add_bytes(left, right):
    """Add two words byte by byte, each modulo 256: the top bits apart, so that nothing is carried from byte to byte."""
    low = np.uint64(0x7F7F7F7F7F7F7F7F)
    return ((left & low) + (right & low)) ^ ((left ^ right) & ~low)


@jit.inner
def _sum_up(residuals, words, width):
    """Replace the residuals of a Sub row by their running sums, eight at a time."""
    carry = np.uint64(0)  # the byte to the left, eight times
    for block in range(words.size // 8):
        some = words[8 * block:8 * block + 8]
        union = np.uint64(0)
        for k in range(8):
            union |= some[k]
        if union == 0:
            for k in range(8):
                some[k] = carry
            continue
        for k in range(8):
            word = some[k]
            word = _add_bytes(word, word << np.uint64(8))
            word = _add_bytes(word, word << np.uint64(16))
            word = _add_bytes(word, word << np.uint64(32))
            word = _add_bytes(word, carry)
            some[k] = word
            carry = (word >> np.uint64(56)) * np.uint64(0x0101010101010101)
    for i in range(width, residuals.size):
        residuals[i] = 0


@jit.inner
def _replace_row(row, row_words, current, current_words, columns, before):
    """Put a whole row in the place of the current one; gives the number of changes."""
    changes = rows.differences(row, current, row_words, current_words, columns, before)
    for k in range(row_words.size):
        current_words[k] = row_words[k]
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
            predicted = left if up == corner else predict_paeth(left, up, corner)
        left = (predicted + residuals[i]) & 255
        columns[changes] = i
        before[changes] = up
        changes += left != up
        current[i] = left
        corner = up
        i += 1
    return changes


@jit.inner
def _undo_average(residuals, current, width, columns, before):
    changes = 0
    left = np.int64(0)
    for i in range(width):
        up = np.int64(current[i])
        left = (((left + up) >> 1) + residuals[i]) & 255
        columns[changes] = i
        before[changes] = up
        changes += left != up
        current[i] = left
    return changes


@jit.inner
def undo_in_place(kind, residuals, words, current, current_words, width, listed, columns, before):
    """Undo the filter of one row of bytes over the row above; notes the columns that changed and what stood there."""
    if kind == AVERAGE:
        return _undo_average(residuals, current, width, columns, before)
    if kind == NONE or kind == SUB:
        if kind == SUB:
            _sum_up(residuals, words, width)
        return _replace_row(residuals, words, current, current_words, columns, before)
    found = _nonzero_words(words, listed)
    if kind == UP:
        return _undo_up(residuals, current, listed, found, columns, before)
    return _undo_paeth(residuals, words, current, width, listed, found, columns, before)


@jit.twin(definition)
def unfilter(raw, height, row_bytes, step):
    out = np.empty((height, row_bytes), np.uint8)
    if step > 1:
        above = np.zeros(row_bytes, np.uint8)
        for row in range(height):
            start = row * (row_bytes + 1)
            undo_row(raw[start], raw[start + 1:start + 1 + row_bytes], above, out[row], step)
            above = out[row]
        return out
    padded = rows.padded_words(row_bytes)
    words, current_words = np.zeros(padded, np.uint64), np.zeros(padded, np.uint64)
    residuals, current = words.view(np.uint8), current_words.view(np.uint8)
    listed = np.empty(padded + 1, np.int32)
    columns, before = np.empty(row_bytes + 8, np.int32), np.empty(row_bytes + 8, np.uint8)
    for row in range(height):
        start = row * (row_bytes + 1)
        rows.copy(raw, start + 1, row_bytes, residuals)
        undo_in_place(raw[start], residuals, words, current, current_words, row_bytes, listed, columns, before)
        rows.copy(current, 0, row_bytes, out[row])
    return out
