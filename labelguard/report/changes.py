"""The report on a remap, resize or pipeline: where every id went, and that no pixel was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click

from labelguard.files.receipt import FILE_NAME
from labelguard.report.text import finding_lines
from labelguard.runs.rewrite import Transform
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage
from labelguard.text import count, percent

_MOST_ROWS = 300


def render_table(stage: Stage, pixels: Counter[int], spec: LabelSpec) -> str:
    """Where each id of some data goes, as text with a final newline."""
    return "\n".join(_table(stage, pixels, spec)) + "\n"


def render_result(transform: Transform, spec: LabelSpec, color: bool) -> str:
    """What was done, as text with a final newline."""
    text = "\n".join(_result(transform, spec)) + "\n"
    return text if color else click.unstyle(text)


def _table(stage: Stage, pixels: Counter[int], spec: LabelSpec) -> Iterator[str]:
    total = sum(pixels.values())
    rows = [(str(label), f"{pixels[label]:,}", percent(pixels[label], total), _becomes(stage, label, spec)) for label in sorted(pixels)]
    heads = ("id", "pixels", "share", "becomes")
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(3)]
    for row in (heads, *rows[:_MOST_ROWS]):
        yield "  " + "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
    if len(rows) > _MOST_ROWS:
        yield f"  and {count(len(rows) - _MOST_ROWS, 'more id')}"


def _becomes(stage: Stage, label: int, spec: LabelSpec) -> str:
    moved = stage.target(label)
    if moved is None:
        return click.style("refused", fg="red")
    if moved in spec.ignore_index:
        return f"{moved} (ignored)"
    return spec.name_of(moved)


def _result(transform: Transform, spec: LabelSpec) -> Iterator[str]:
    before, after = transform.totals()
    if not transform.entries:
        yield from finding_lines(transform.all_findings(), transform.data)
        yield ""
        yield "Nothing was written."
        return
    if transform.stage.resizes:
        yield from _shares(transform.stage, before, after, spec)
    else:
        yield from _table(transform.stage, before, spec)
    yield from finding_lines(transform.all_findings(), transform.data)
    yield ""
    files, accounted = len(transform.entries), ""
    if not transform.stage.resizes:
        accounted = ", every id accounted for"
    yield f"{count(files, 'file')} written to {transform.out}: {before.total():,} pixels read, {after.total():,} written{accounted}."
    if transform.unwritten:
        yield f"{count(transform.unwritten, 'file')} NOT written: see above."
    if transform.complete:
        yield f"Receipt: {transform.out}/{FILE_NAME}"
    else:
        yield (f"INCOMPLETE: interrupted after {transform.done:,} of {count(len(transform.found.files), 'file')}; the same command with "
               "--resume goes on.")


def _shares(stage: Stage, before: Counter[int], after: Counter[int], spec: LabelSpec) -> Iterator[str]:
    """Each id's share of all pixels before and after a resize."""
    moved: Counter[int] = Counter()
    for label, pixels in before.items():
        moved[_or_same(stage.target(label), label)] += pixels
    rows = [(spec.name_of(label), percent(moved[label], moved.total()), percent(after[label], after.total()))
            for label in sorted({*moved, *after})]
    heads = ("id", "before", "after")
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(3)]
    for row in (heads, *rows[:_MOST_ROWS]):
        yield "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _or_same(moved: int | None, label: int) -> int:
    return label if moved is None else moved

