"""A run of ids at the top of an unsigned type: wrapped by a shift or a -1, a void label, or undetermined.

A -1 written into b bits is 2^b - 1, and a shift by -s turns the ids 0 .. s-1 into 2^b - s .. 2^b - 1. The same 255 may be a void
label on purpose. The id itself does not tell them apart, but the other ids do:

* a shift empties the top classes, a void label empties none;
* a -1 written over the background leaves no 0 in the whole set;
* 254 beside 255 is a void label that was shifted along: nobody uses both;
* void borders are thin lines between two ids, a wrapped background has a core.

Where the evidence conflicts, the verdict is "undetermined".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, of_files, percent

WrapCause = Literal["shift", "moved-void", "minus-one", "sentinel", "void", "no-class", "undetermined", "unknown"]

BITS = {256: 8, 65536: 16, 2 ** 32: 32}
THIN, THICK = 0.2, 0.5  # share of an id's pixels that is core: VOC borders 0.06, CamVid void 0.33, wrapped background 0.79


@dataclass(frozen=True)
class RunVerdict:
    """What happened to some ids that are not classes.

    Parameters
    ----------
    cause
        What happened.
    ids
        The ids judged.
    evidence
        What supports it, one line each.
    shift
        By how much all ids were moved down.
    void
        The id that was a void label before it was moved.
    sentinel
        The negative number that the id was.
    bits
        The width of the type in which it wrapped.
    settle
        What would settle an undetermined case.
    part
        Whether only the files that hold these ids were shifted.
    """

    cause: WrapCause
    ids: tuple[int, ...]
    evidence: tuple[str, ...]
    shift: int = 0
    void: int | None = None
    sentinel: int | None = None
    bits: int = 8
    settle: str = ""
    part: bool = False


@dataclass(frozen=True)
class _Case:
    """What is known about a run of ids at the top of the type.

    Parameters
    ----------
    run, bits
        The ids, and the width of the type.
    depth
        How far below the top the run begins.
    core
        The share of its lowest id that survives erosion; None where that was not measured.
    usual
        Whether most files hold its lowest id.
    emptied, holes
        How many of the top classes are never seen, and how many below them.
    zero_seen
        Whether 0 is.
    part
        Whether only the files that hold the run were shifted.
    evidence
        What has been found so far, one line each.
    """

    run: tuple[int, ...]
    bits: int
    depth: int
    core: float | None
    usual: bool
    emptied: int = 0
    holes: int = 0
    zero_seen: bool = False
    part: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def thin(self) -> bool:
        return self.core is not None and self.core < THIN

    @property
    def thick(self) -> bool:
        return self.core is not None and self.core >= THICK

    def verdict(self, cause: WrapCause, *more: str, **details: Any) -> RunVerdict:
        return RunVerdict(cause, details.pop("ids", self.run), (*self.evidence, *more), bits=self.bits, **details)


def judge_run(run: tuple[int, ...], modulus: int, data: DatasetFacts, spec: LabelSpec) -> RunVerdict:
    erosion = data.erosion.get(run[0])
    case = _Case(run, BITS[modulus], modulus - run[0], erosion.eroded_pixels / erosion.num_pixels if erosion else None,
                 usual=2 * data.files_with[run[0]] >= data.num_exact, evidence=(seen(run, data), *_shape_evidence(run[0], data)))
    if case.depth > 1:
        case = replace(case, evidence=(*case.evidence, f"{run[0]} lies {case.depth} below {modulus}: nobody chooses such a void label"))
    if not spec.declared:
        return _judge_undeclared(case, data)
    case = _with_classes(case, data, spec)
    return _judge_several(case) if case.depth > 1 else _judge_single(case, data, spec)


def _with_classes(case: _Case, data: DatasetFacts, spec: LabelSpec) -> _Case:
    """Add what the classes tell: which are empty, and whether 0 is seen."""
    classes = [label for label in data.files_with if spec.is_class(label)]
    part = case.depth > 1 and not case.usual and spec.last - max(classes, default=-1) < case.depth - 1
    if part:  # the set as a whole is not shifted; are the files that hold these ids?
        there = {label for ids in data.id_sets(case.run) for label in ids}
        classes = [label for label in classes if label in there]
    top = max(classes, default=-1)
    emptied = spec.last - top
    zero_seen = 0 in classes
    evidence = (f"the classes {top + 1}-{spec.last} are never seen; a shift by -{case.depth} empties {case.depth}" if emptied > 1 else
             f"the last class, {spec.last}, is never seen, as after a shift by -1" if emptied else
             f"the last class, {spec.last}, is seen: no shift emptied it",
             "0 is seen: it was not overwritten" if zero_seen else
             "0 is never seen in the whole set, as if -1 had been written over it")
    return replace(case, emptied=emptied, holes=top + 1 - len(classes), zero_seen=zero_seen, part=part,
                   evidence=(*case.evidence, *evidence))


def _judge_several(case: _Case) -> RunVerdict:
    """254 beside 255, or 254 alone: something was shifted; by how much, and with a void label or without?"""
    lowest = case.run[0]
    if case.emptied < case.depth - 1:  # shifting back would push the last class out of range
        if case.depth == 2:
            return case.verdict("moved-void", ids=(lowest,), void=lowest)
        return case.verdict("unknown")
    with_void = case.emptied == case.depth - 1 or (case.emptied != case.depth and not case.thick)
    if with_void:
        return case.verdict("shift", shift=case.depth - 1, void=lowest, part=case.part)
    return case.verdict("shift", shift=case.depth, part=case.part)


def _judge_single(case: _Case, data: DatasetFacts, spec: LabelSpec) -> RunVerdict:
    """255 alone: void, a -1 written over a class, or a shift by -1? If no class is missing, it means "no class" in any case."""
    top = case.run[0]
    lacking = case.emptied + case.holes - 1  # classes other than 0 that are never seen
    if case.thin:
        return case.verdict("void")
    if not case.zero_seen and spec.last + 1 not in data.files_with and (
            lacking == 0 or (case.thick and case.usual and 4 * lacking <= spec.last)):
        return case.verdict("minus-one")
    if case.zero_seen and case.emptied == 0 and (case.usual or not case.thick):
        return case.verdict("no-class")
    evidence = [f"{count(case.holes, 'other class is', 'other classes are')} never seen either"] * bool(case.holes)
    if case.zero_seen and case.emptied == 1:
        large = data.ids[top] * (spec.last + 1) >= data.pixels  # as large as a class of average size
        if (case.thick and case.holes <= spec.last // 10) or ((case.core is None or large) and not case.holes):
            return case.verdict("shift", *evidence, shift=1)
    return case.verdict("undetermined", *evidence, settle=f"If {top} is a void label, declare it: --ignore-index {top}. If not, look at "
                        f"one mask beside its image: where {top} covers a class such as the background, a -1 has wrapped.")


def _judge_undeclared(case: _Case, data: DatasetFacts) -> RunVerdict:
    """Without a class count, it is unknown which classes a shift may have emptied."""
    lowest, depth = case.run[0], case.depth
    below = max((label for label in data.files_with if label < lowest), default=0)
    if depth > 1:
        whole = len(case.run) == depth and case.thick
        large = data.ids[lowest] * len(data.files_with) >= data.pixels
        void, shift, other = (None, depth, depth - 1) if whole and large else (lowest, depth - 1, depth)
        return case.verdict("shift", shift=shift, void=void, settle=f"with {below + 1 + other} classes it would be a shift by "
                            f"-{other}; --num-classes settles it")
    if case.thin:
        return case.verdict("void")
    if 0 in data.files_with:
        return case.verdict("undetermined", settle=_DECLARE.format(
            f"with --num-classes {below + 1} it is a void label, with --num-classes {below + 2} the labels were shifted by -1 and wrapped",
            lowest))
    return case.verdict("undetermined", "0 is never seen in the whole set, as if -1 had been written over it", settle=_DECLARE.format(
        f"with --num-classes {below + 1} it is a -1 that was written over class 0 and wrapped", lowest))


_DECLARE = "Declare the classes: {}. Or declare it as void: --ignore-index {}."


def seen(ids: tuple[int, ...] | list[int], data: DatasetFacts) -> str:
    files = data.count_of(ids)
    pixels = sum(data.ids[label] for label in ids)
    verb = "covers" if len(ids) == 1 else "cover"
    return f"{id_ranges(ids)} {verb} {percent(pixels, data.pixels)} of all pixels, {of_files(files, data.num_exact)}"


def _shape_evidence(label: int, data: DatasetFacts) -> Iterator[str]:
    erosion = data.erosion.get(label)
    if erosion is None:
        return
    core = erosion.eroded_pixels / erosion.num_pixels
    shape = ("thin lines, as void borders are" if core < THIN else
             "areas with a core, as a wrapped background has" if core >= THICK else "neither lines nor clear areas")
    yield f"{percent(erosion.eroded_pixels, erosion.num_pixels)} of its pixels lie away from its edges: {shape}"
    usual = ", as a background does" if 2 * erosion.touching_border > erosion.files else ""
    yield f"it touches the image border {of_files(erosion.touching_border, erosion.files)}{usual}"
