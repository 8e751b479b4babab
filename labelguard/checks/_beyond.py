"""What are the ids beyond the classes? Shared by the checks for wraparound, undeclared ignore ids and shifted numbering.

A -1 written into b bits is 2^b - 1, and a shift by -s turns the ids 0 .. s-1 into 2^b - s .. 2^b - 1. The same 255 may be a void
label on purpose. What tells them apart is not the id but the company it keeps:

* a shift empties the top classes, a void label empties none;
* a -1 written over the background leaves no 0 in the whole set;
* 254 beside 255 is a void label that was shifted along: nobody uses both;
* void borders are thin lines between two ids, a wrapped background has a core;

and where these votes disagree, nobody can tell, and that is the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from labelguard.facts import DatasetFacts
from labelguard.spec import LabelSpec
from labelguard.words import id_ranges, of_files, percent

Cause = Literal["shift", "minus-one", "sentinel", "void", "undetermined"]

THIN, THICK = 0.2, 0.5  # share of an id's pixels that is core: VOC borders 0.06, CamVid void 0.33, wrapped background 0.79
_GAP = 32               # ids beyond a gap as wide as this are not just more classes
_DEEPEST = 3            # how far below the top of the type a run of wrapped ids may end
_SENTINELS = (-100, -99, -9, -999, -1000, -9999, -32768)
_BITS = {256: 8, 65536: 16, 2 ** 32: 32}


@dataclass(frozen=True)
class Verdict:
    """What some ids beyond the classes are.

    `ids` are the ids judged, `shift` is how far all ids were moved down, `void` an id that was a void label before that,
    `sentinel` the negative number that an id was, `bits` the width in which it wrapped, `votes` the evidence, `settle` what
    would settle an undetermined case.
    """

    cause: Cause
    ids: tuple[int, ...]
    votes: tuple[str, ...]
    shift: int = 0
    void: int | None = None
    sentinel: int | None = None
    bits: int = 8
    settle: str = ""


def interesting_ids(spec: LabelSpec) -> frozenset[int]:
    """The ids whose shape helps to judge them, if they are present."""
    return frozenset(label for top in (256, 65536) for label in (top - 1, top - 2) if not _expected(label, spec))


def binary_255(data: DatasetFacts, spec: LabelSpec) -> int | None:
    """The id that stands for foreground in a two-valued set drawn to be looked at: 255 (or 65535), else None."""
    present = set(data.files_with)
    for top in (255, 65535):
        if top not in present or top in spec.ignore_index or (spec.num_classes or 2) > 2 or not present <= {0, 1, top}:
            continue
        if not any({1, top} <= set(record.ids) for record in data.exact):
            return top
    return None


def judge(data: DatasetFacts, spec: LabelSpec) -> list[Verdict]:
    """Judge the ids beyond the classes; one verdict for each width at which something may have wrapped."""
    if binary_255(data, spec) is not None:
        return []
    verdicts = []
    negative = tuple(sorted(label for label in data.files_with if label < 0 and label not in spec.ignore_index))
    if len(negative) == 1:
        verdicts.append(Verdict("void", negative, (_seen(negative, data), "a negative id can be no class")))
    for modulus in _BITS:
        unexpected = _unexpected(data, spec, modulus)
        run = _top_run(unexpected, modulus)
        if run:
            verdicts.append(_judge_run(run, modulus, data, spec))
        else:
            verdicts.extend(_judge_sentinel(unexpected, modulus, data))
    return verdicts


def _expected(label: int, spec: LabelSpec) -> bool:
    return label in spec.ignore_index or (spec.declared and spec.is_class(label))


def _unexpected(data: DatasetFacts, spec: LabelSpec, modulus: int) -> list[int]:
    """The ids that no declaration covers and that fit this width; without a class count, those beyond a wide gap."""
    lower = max((m for m in _BITS if m < modulus), default=0)
    present = sorted(label for label in data.files_with if label >= 0)
    if spec.declared:
        return [label for label in present if lower <= label < modulus and not spec.is_legal(label)]
    gaps = [i for i in range(1, len(present)) if present[i] - present[i - 1] > _GAP]
    beyond = present[gaps[-1]:] if gaps and present[gaps[-1] - 1] < modulus // 2 else []
    return [label for label in beyond if lower <= label < modulus and label not in spec.ignore_index]


def _top_run(unexpected: list[int], modulus: int) -> tuple[int, ...]:
    """The unbroken run of unexpected ids at the top of the type; empty where there is none, or too much else."""
    ends = [label for label in unexpected if label >= modulus - _DEEPEST]
    if not ends:
        return ()
    run = [ends[-1]]
    while run[0] - 1 in unexpected:
        run.insert(0, run[0] - 1)
    others = len(unexpected) - len(run)
    return tuple(run) if len(run) <= _GAP and others <= 2 else ()


def _judge_run(run: tuple[int, ...], modulus: int, data: DatasetFacts, spec: LabelSpec) -> Verdict:
    depth = modulus - run[0]
    core = _core_share(run[0], data)
    votes = [_seen(run, data), *_shape_votes(run[0], data)]
    bits = _BITS[modulus]
    if not spec.declared:
        return _judge_undeclared(run, depth, core, votes, bits, data)
    classes = [label for label in data.files_with if spec.is_class(label)]
    top = max(classes, default=-1)
    emptied = spec.last - top
    holes = top + 1 - len(classes)
    zero_seen = 0 in classes
    votes.append(f"the classes {top + 1}-{spec.last} are never seen, as after a shift by -{emptied}" if emptied > 1 else
                 f"the last class, {spec.last}, is never seen, as after a shift by -1" if emptied else
                 f"the last class, {spec.last}, is seen: no shift has emptied it")
    votes.append("0 is seen: it was not overwritten" if zero_seen else "0 is never seen in the whole set, as after -1 was written over it")
    if depth > 1:
        votes.append(f"{run[0]} lies {depth} below {modulus}: nobody chooses such a void label")
        void = run[0] if emptied == depth - 1 or (emptied != depth and (core is None or core < THICK)) else None
        return Verdict("shift", run, tuple(votes), shift=depth if void is None else depth - 1, void=void, bits=bits)
    if core is not None and core < THIN:
        return Verdict("void", run, tuple(votes), bits=bits)
    if not zero_seen and (emptied == 0 or (core is not None and core >= THICK and _in_most_files(run[0], data))):
        return Verdict("minus-one", run, tuple(votes), bits=bits)
    if zero_seen and emptied == 0:
        votes.append(f"were it a -1 written for \"no class\", the remedy would be the same: no class is missing")
        return Verdict("void", run, tuple(votes), bits=bits)
    if zero_seen and emptied == 1:
        if holes:
            votes.append(f"{holes} other classes are never seen either" if holes > 1 else "one other class is never seen either")
        if not holes or (core is not None and core >= THICK and holes <= spec.last // 10):
            return Verdict("shift", run, tuple(votes), shift=1, bits=bits)
    return Verdict("undetermined", run, tuple(votes), bits=bits,
                   settle=f"If {run[0]} is a void label, declare it: --ignore-index {run[0]}. If not, look at one of the files.")


def _judge_undeclared(run: tuple[int, ...], depth: int, core: float | None, votes: list[str], bits: int,
                      data: DatasetFacts) -> Verdict:
    """Without a class count nobody knows which classes a shift may have emptied."""
    below = max((label for label in data.files_with if label < run[0]), default=0)
    if depth > 1:
        votes.append(f"{run[0]} lies {depth} below {1 << bits}: nobody chooses such a void label")
        whole = len(run) == depth and core is not None and core >= THICK
        large = data.ids[run[0]] * len(data.files_with) >= data.pixels
        void, shift, other = (None, depth, depth - 1) if whole and large else (run[0], depth - 1, depth)
        return Verdict("shift", run, tuple(votes), shift=shift, void=void, bits=bits,
                       settle=f"Had there been {below + 1 + other} classes, it would be a shift by -{other}: declare --num-classes to be sure.")
    if core is not None and core < THIN:
        return Verdict("void", run, tuple(votes), bits=bits)
    if 0 in data.files_with:
        settle = (f"with --num-classes {below + 1} it is a void label, with --num-classes {below + 2} the labels were shifted by -1 "
                  "and wrapped")
    else:
        votes.append("0 is never seen in the whole set, as after -1 was written over it")
        settle = f"with --num-classes {below + 1} it is a -1 that was written over class 0 and wrapped"
    return Verdict("undetermined", run, tuple(votes), bits=bits,
                   settle=f"Declare the classes: {settle}. Or declare it as void: --ignore-index {run[0]}.")


def _judge_sentinel(unexpected: list[int], modulus: int, data: DatasetFacts) -> Iterator[Verdict]:
    """One stray id that is a well-known negative number, cut to the width."""
    if len(unexpected) != 1 or unexpected[0] < modulus // 2:
        return
    for sentinel in _SENTINELS:
        if sentinel % modulus == unexpected[0]:
            where = {-100: "the ignore_index that torch assumes", -9999: "a usual nodata value of rasters"}.get(sentinel)
            votes = [_seen(unexpected, data), f"{sentinel} modulo {modulus} is {unexpected[0]}"]
            yield Verdict("sentinel", tuple(unexpected), tuple(votes + [f"{sentinel} is {where}"] * bool(where)),
                          sentinel=sentinel, bits=_BITS[modulus])
            return


def _in_most_files(label: int, data: DatasetFacts) -> bool:
    return 2 * data.files_with[label] >= len(data.exact)


def _core_share(label: int, data: DatasetFacts) -> float | None:
    border = data.borders.get(label)
    return border.core / border.pixels if border else None


def _seen(ids: tuple[int, ...] | list[int], data: DatasetFacts) -> str:
    files = sum(1 for _ in data.holding(*ids))
    pixels = sum(data.ids[label] for label in ids)
    verb = "covers" if len(ids) == 1 else "cover"
    return f"{id_ranges(ids)} {verb} {percent(pixels, data.pixels)} of all pixels, {of_files(files, len(data.exact))}"


def _shape_votes(label: int, data: DatasetFacts) -> Iterator[str]:
    border = data.borders.get(label)
    if border is None:
        return
    core = border.core / border.pixels
    shape = ("thin lines, as void borders are" if core < THIN else
             "areas with a core, as a wrapped background has" if core >= THICK else "neither lines nor clear areas")
    yield f"{percent(border.core, border.pixels)} of its pixels lie inside it, away from its edges: {shape}"
    if border.runs:
        yield f"{percent(border.between, border.runs)} of its runs lie between two different ids"
