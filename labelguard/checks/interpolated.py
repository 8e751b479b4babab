"""Smoothing has left ids that nobody assigned along borders.

What it does
------------
Reports masks that were resized or saved with smoothing, from short runs of ids that lie between the ids on either side. In exact masks
few borders have them, and they are real thin objects, of one class or of all widths; smoothing leaves them along most borders, in ids
that change from place to place. The check distinguishes bilinear and area filters, bicubic and Lanczos (which overshoot), and a JPEG that
was saved as PNG (noise on a grid of 8 x 8 pixels). It does not matter whether the ids in between are legal. Masks whose shorter
side has fewer than 36 pixels are too coarse to tell. Rows that are scrambled, because pixels were stored column by column and read row by
row, are named as such.

Why is this bad?
----------------
Where 1 meets 5, smoothing writes 2, 3 and 4. The borders of every object get a seam of classes that are not there, often rare ones.
Nothing fails: the network learns them. If the ids in between are not classes, the loss fails on some batches.

How to fix
----------
Export the masks again from their source with nearest neighbor, or resize the originals with `labelguard resize`. Only masks of two values
can be repaired by a table that cuts them at the midpoint; the finding then gives the command. If ids only ever change by one, they may be
drawn grades, and in small masks they may be objects of a few pixels: the finding is a warning. Scrambled rows are put back by reading the
run lengths or the buffer in the right order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from labelguard.checks._remap_command import merge_arguments, remap_command
from labelguard.checks._smoothing import LEAST_SMOOTHED_SIDE, Pool, SmoothingKind, is_too_small, smoothed_files
from labelguard.checks.rule import Rule
from labelguard.explanations.decide import verdict_on
from labelguard.explanations.explanation import VOID
from labelguard.explanations.smoothing import Seams, is_likelier
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, of_files, percent

rule = Rule("LG301", "interpolated", Severity.ERROR, "Smoothing has left ids that nobody assigned along borders.",
            needs_facts=("label_runs", "row_order"))


@rule.refines
def without_smoothed(data: DatasetFacts, spec: LabelSpec) -> DatasetFacts:
    """The facts without the ids of smoothed files, from which nothing can be concluded about the set."""
    smoothed = smoothed_files(data)
    if smoothed and _between_by_chance(smoothed, data, spec):
        smoothed = []
    paths = frozenset(record.path for record in smoothed)
    known = replace(data, smoothed=paths)
    return known.distrusting(paths) if smoothed and not _doubt(Pool.of(smoothed), spec) else known


def _between_by_chance(smoothed: Sequence[FileRecord], data: DatasetFacts, spec: LabelSpec) -> bool:
    """Whether ids are no longer in the order of the classes, as after a shift that wrapped, so that what lies between two ids is chance;
    and whether that explains the set better than smoothing."""
    verdict = verdict_on(data, spec)
    if verdict is None:
        return False
    decoded = ([explanation.table[label] for label in part.ids if explanation.table.get(label, VOID) != VOID]
               for part, explanation in verdict.told)
    if all(labels == sorted(labels) for labels in decoded):
        return False
    pool = Pool.of(smoothed)
    found = Seams(frozenset(record.path for record in smoothed), frozenset(pool.seams), frozenset(pool.filling))
    return not is_likelier(found, verdict, data, spec)


@rule.abstains
def why_not(data: DatasetFacts, spec: LabelSpec) -> str:
    """Nothing can be told of sets of small masks."""
    small = bool(data.records) and all(map(is_too_small, data.records))
    return f"no mask has {LEAST_SMOOTHED_SIDE} pixels on its shorter side, and smaller ones are too coarse to tell" if small else ""


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.scrambled:
        yield _scrambled(data)
    yield from _smoothed(data, spec)


def _scrambled(data: DatasetFacts) -> Finding:
    along_rows = sum(order.along_rows for order in data.scrambled.values()) * 2 >= len(data.scrambled)
    stored, read, back = (("column by column", "row by row", "mask.reshape(mask.shape[::-1]).T") if along_rows else
                          ("row by row", "column by column", "mask.T.reshape(mask.shape)"))
    files = tuple(record.path for record in data.records if record.path in data.scrambled)
    return rule.finding(
        f"The rows of the masks are scrambled {of_files(len(files), len(data.records))}: the pixels were stored {stored} and read {read}, "
        "or with height and width exchanged.", files=files,
        evidence=(f"borders go on one {'height' if along_rows else 'width'} further along the stored pixels, and not in the next "
                  f"{'row' if along_rows else 'column'}", "ids and counts are right; every id stands in the wrong place",
                  *["square masks would only be transposed, which ids and shapes do not tell"] * _some_are_square(data)),
        fix=f"Decode the run lengths or the buffer again in the right order. If the sides are right, {back} puts the pixels back in numpy; "
            f"if they are exchanged too, mask.reshape(mask.shape[::-1]) does.")


def _some_are_square(data: DatasetFacts) -> bool:
    return any(height == width for (height, width), _ in data.kinds())


def _smoothed(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    known = data.smoothed
    smoothed = smoothed_files(data) if known is None else [record for record in data.records if record.path in known]
    if not smoothed:
        return
    pool = Pool.of(smoothed)
    paths = {record.path for record in smoothed}
    others = [record for record in data.records if record.path not in paths]
    ids = tuple(pool.thin_only)
    thin = frozenset(ids)
    doubt = _doubt(pool, spec)
    yield rule.finding((doubt or _MESSAGES[pool.kind]).format(of_files(len(smoothed), len(data.records))), ids=ids,
                       severity=Severity.WARNING if doubt else Severity.ERROR,
                       pixels=sum(record.pixels_of(thin) for record in smoothed) if ids else None,
                       files=tuple(record.path for record in smoothed), evidence=tuple(_evidence(pool, others, spec)),
                       fix=_LOOK if doubt else _cut_at_half(pool, others, spec, data) or _EXPORT,
                       explains=tuple(sorted({label for record in smoothed for label in record.ids})))


_MESSAGES: dict[SmoothingKind, str] = {
    "between": "Masks were smoothed {}, as a bilinear or area filter does: ids that nobody assigned lie between those on either side of a "
               "border.",
    "beyond": "Masks were smoothed {}, as a bicubic or Lanczos filter does: ids that nobody assigned lie along borders, between those on "
              "either side and somewhat beyond.",
    "blocks": "Masks were stored as JPEG before {}: along borders the ids are noise, in blocks of 8 x 8 pixels.",
}
_UNDETERMINED = ("Masks may have been smoothed {}: ids only ever change by one, as after enlarging with a bilinear filter, but also in "
                 "narrow nested grades.")
_COARSE = ("Masks may have been smoothed {}: ids lie between those on either side of borders, as a filter leaves them, but also objects of "
           "a few pixels in masks as small as these.")
_LOOK = ("Look at a border between two classes whose ids are far apart. If the masks were resized, export them again with nearest "
         "neighbor; if they were drawn that way, switch this check off: --ignore LG301.")
_EXPORT = ("Export the masks again from their source with nearest neighbor, or resize the originals with 'labelguard resize'. No table can "
           "undo it: ids in between look like classes.")


_FRAME = 0.7  # share of the frame that a background has, as where ids are weighed


def _evidence(pool: Pool, others: Sequence[FileRecord], spec: LabelSpec) -> Iterator[str]:
    n, kind = pool.numbers, pool.kind
    yield (f"{percent(n['ramps'], pool.steps)} of the borders with room for ids in between have some, in runs of 1 to 4 pixels; in exact "
           "masks it is 0 to 15 %" + ", and more where objects are a few pixels wide" * pool.coarse)
    if kind == "blocks":
        yield f"{percent(n['on_grid'], n['ends'])} of the noise ends on the grid of 8 x 8 pixels that JPEG uses; by chance it would be 12 %"
    if kind != "between":
        yield f"ids overshoot next to a border in {count(n['ripples'], 'place')}"
    if pool.thin_only:
        filling = [label for label, areas in pool.areas.items() if areas]
        yield f"{id_ranges(pool.thin_only)} fill{'s' * (len(pool.thin_only) == 1)} no area anywhere; the areas are {id_ranges(filling)}"
    if len(pool.thin_only) < 4:
        yield f"most often in between: {listed(label for label, thin in pool.thin.most_common(4) if thin)}"
    if spec.declared and not _illegal(pool, spec):
        yield "every id is legal, so no loss will ever complain"
    rest = Pool.of(record for record in others if record.label_runs is not None)
    if rest.files:
        yield f"in the other {count(len(rest.files), 'file')} it is {percent(rest.numbers['ramps'], rest.steps)}"


def _doubt(pool: Pool, spec: LabelSpec) -> str:
    """What is said where ids may be in between because they were drawn so; empty where only a filter leaves them."""
    return _UNDETERMINED if pool.by_one else _COARSE if pool.coarse and not _illegal(pool, spec) else ""


def _illegal(pool: Pool, spec: LabelSpec) -> bool:
    """Whether some id is not declared, as filters leave, and nobody draws."""
    return spec.declared and not all(spec.is_legal(label) for record in pool.files for label in record.ids)


def _cut_at_half(pool: Pool, others: Sequence[FileRecord], spec: LabelSpec, data: DatasetFacts) -> Fix:
    """The command that repairs masks of two values; empty if it could turn a class into another."""
    filling = sorted(label for label, areas in pool.areas.items() if areas)
    if len(filling) != 2 or (spec.num_classes or 2) > 2:
        return Fix()
    low, high = filling
    if any(not {low, high}.issuperset(record.ids) for record in others):
        return Fix()
    if high - low < (64 if pool.kind == "blocks" else 3) or {low, high} & set(spec.ignore_index):
        return Fix()
    seen = [label for record in pool.files for label in record.ids]
    middle = (low + high + 1) // 2
    frame = [(label < middle, number) for record in pool.files for label, number in zip(record.ids, record.frame_pixels, strict=False)]
    if sum(number for below, number in frame if below) < _FRAME * sum(number for _, number in frame):
        return Fix()  # a background has most of the frame: these may be inside out besides
    halves = [(min(seen), middle - 1, 0), (middle, max(seen), 1)]
    if low == min(seen) == 0:
        halves[0] = (1, middle - 1, 0)
    merges = merge_arguments(f"{first}-{last}:{target}" for first, last, target in halves if first <= last)
    return remap_command(data, *merges, "--num-classes", "2")
