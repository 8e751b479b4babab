"""Parts of the text report on a remap or a resize: where every id went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from labelguard.report.style import style
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage
from labelguard.text import count, percent

_MOST_ROWS = 300
_MOST_REFUSED = 12  # colors


def table_lines(stage: Stage, pixels: Mapping[int, int], spec: LabelSpec) -> Iterator[str]:
    """Where a stage sends each id of some data."""
    if stage.reads_colors:
        yield from _color_lines(stage, pixels, spec)
        return
    total = sum(pixels.values())
    yield from _rows(("id", "pixels", "share", "becomes"), [_row(stage, label, pixels[label], total, spec) for label in sorted(pixels)])


def _color_lines(stage: Stage, pixels: Mapping[int, int], spec: LabelSpec) -> Iterator[str]:
    """The colors in the order of their ids, then those that are refused, the most frequent first; one file may hold thousands."""
    targets = {color: stage.target(color) for color in pixels}
    known = sorted((label, color) for color, label in targets.items() if label is not None)
    refused = sorted((-pixels[color], color) for color, label in targets.items() if label is None)
    total = sum(pixels.values())
    rows = [_row(stage, color, pixels[color], total, spec) for _, color in (*known, *refused[:_MOST_REFUSED])]
    if len(refused) > _MOST_REFUSED:
        number = -sum(number for number, _ in refused[_MOST_REFUSED:])
        rows.append((f"{len(refused) - _MOST_REFUSED:,} more", f"{number:,}", percent(number, total), style("refused", "red")))
    yield from _rows(("color", "pixels", "share", "becomes"), rows)


def _row(stage: Stage, label: int, pixels: int, total: int, spec: LabelSpec) -> tuple[str, str, str, str]:
    return stage.source_text(label), f"{pixels:,}", percent(pixels, total), _becomes(stage, label, spec)


def share_lines(stage: Stage, before: Mapping[int, int], after: Mapping[int, int], spec: LabelSpec) -> Iterator[str]:
    """Each id's share of all pixels before and after a resize."""
    moved = stage.moved(before)
    total_before, total_after = sum(before.values()), sum(after.values())
    rows = [(spec.name_of(label), percent(moved[label], total_before), percent(after.get(label, 0), total_after))
            for label in sorted({*moved, *after})]
    yield from _rows(("id", "before", "after"), rows)


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows below their heads: the first three columns to the right, a fourth as it comes."""
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(3)]
    for row in (heads, *rows[:_MOST_ROWS]):
        yield "  " + "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), *row[3:]])
    if len(rows) > _MOST_ROWS:
        yield f"  and {count(len(rows) - _MOST_ROWS, 'more id')}"


def _becomes(stage: Stage, label: int, spec: LabelSpec) -> str:
    moved = stage.target(label)
    if moved is None:
        return style("refused", "red")
    return f"{moved} (ignored)" if moved in (*spec.ignore_index, *stage.ignore_index) else spec.name_of(moved)
