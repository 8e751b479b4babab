"""Delta debugging: making a failing case smaller, whatever it consists of.

After the ddmin algorithm of Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28 (2002). Every result
was seen to fail. That nothing smaller fails rests on an assumption: what fails alone also fails together with more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Box = tuple[int, int, int, int]     # row0, column0, row1, column1, the ends outside


def ddmin(items: Sequence[Item], fails: Callable[[list[Item]], bool]) -> list[Item]:
    """The items that are needed: none of them can be left out without losing the failure.

    Leaves out halves, then quarters, down to single items. One item among n costs about 2 log2(n) trials, the worst case about 3 n.

    Parameters
    ----------
    items
        Together they fail.
    fails
        Whether some of them fail, in their order.
    """
    kept = list(items)
    size = (len(kept) + 1) // 2
    while len(kept) > 1:
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + size:]
            if rest and fails(rest):
                kept = rest
            else:
                start += size
        if size == 1:
            break
        size = min(size + 1, len(kept) + 1) // 2
    return kept


def shortest_run(items: Sequence[Item], enough: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """The shortest run of consecutive items that is enough, given that all items are enough and none is not; about 2 log2(n) trials."""
    start, beyond = 0, len(items)
    while beyond - start > 1:
        middle = (start + beyond) // 2
        start, beyond = (middle, beyond) if enough(items[middle:]) else (start, middle)
    short, end = start, len(items)
    while end - short > 1:
        middle = (short + end) // 2
        short, end = (short, middle) if enough(items[start:middle]) else (middle, end)
    return list(items[start:end])


def shrink_box(box: Box, attempt: Callable[[Box], Box | None]) -> Box:
    """The smallest rectangle that fails: halved as long as one half fails alone, then cut back at its four sides.

    Parameters
    ----------
    box
        A rectangle that fails.
    attempt
        Gives the non-empty part of a rectangle where that fails, otherwise None.
    """
    while True:
        for half in _halves(box):
            if smaller := attempt(half):
                box = smaller
                break
        else:
            break
    for side in range(4):
        box = _cut_back(box, side, attempt)
    return box


def _halves(box: Box) -> tuple[Box, ...]:
    row0, column0, row1, column1 = box
    if row1 - row0 >= max(column1 - column0, 2):
        middle = (row0 + row1) // 2
        return (row0, column0, middle, column1), (middle, column0, row1, column1)
    if column1 - column0 >= 2:
        middle = (column0 + column1) // 2
        return (row0, column0, row1, middle), (row0, middle, row1, column1)
    return ()


def _cut_back(box: Box, side: int, attempt: Callable[[Box], Box | None]) -> Box:
    """Cut rows or columns off one side: more after each success, fewer after each failure to reproduce."""
    step = 1
    while step := min(step, box[side % 2 + 2] - box[side % 2] - 1):
        cut = list(box)
        cut[side] += step if side < 2 else -step
        if smaller := attempt((cut[0], cut[1], cut[2], cut[3])):
            box, step = smaller, step * 2
        else:
            step //= 2
    return box
