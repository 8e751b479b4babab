"""A box has no width, no height or no place in its image.

What it does
------------
Reports boxes of COCO files (`--boxes`) that are not four finite numbers, that have a zero or negative width or height, that lie outside
their image, or that are corners (x1, y1, x2, y2) where COCO has x, y, width, height. In instance masks (`--instances`, or masks of more
than 8 bits whose ids go beyond the classes and are numbered in sequence) it reports instances that are one pixel wide or high.

Why is this bad?
----------------
The box loss of a detector takes the logarithm of the width. Where x2 <= x1 it is NaN or infinite, or the library stops with "All bounding
boxes should have positive height and width". Whether this affects an instance one pixel wide depends on the convention: x2 = max + 1
leaves its box one pixel wide; x2 = max, as in torchvision's masks_to_boxes, makes the width 0.

How to fix
----------
Leave these boxes out, or widen them by one pixel. Boxes that lie outside belong to another image, or to another size of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.boxes import BoxFile, Fault
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

rule = Rule("LG601", "degenerate-box", Severity.ERROR, "A box has no width, no height or no place in its image.", needs="--boxes",
            needs_masks=False, needs_facts=("boxes", "instances"))

_WORDS: dict[Fault, str] = {
    "malformed": "not a list of four numbers", "nonfinite": "NaN or infinite", "negative": "negative width or height",
    "empty": "width or height 0", "outside": "outside the image", "thin": "at most one pixel wide or high", "beyond": "partly outside"}
_BROKEN: tuple[Fault, ...] = ("malformed", "nonfinite", "negative", "empty", "outside")
_FLAT: tuple[Fault, ...] = ("negative", "empty")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for boxes in data.boxes:
        yield from _of_file(boxes)
    instances = data.instances.ids(data.records, spec)
    for path, every in sorted(data.instances.thin.items()):
        thin = [each for each in every if each.label in instances]
        if thin:
            labels = [each.label for each in thin]
            yield rule.finding(
                f"{count(len(thin), 'instance is', 'instances are')} one pixel wide or high: a box from the first to the last pixel "
                "(x2 = max) has no area.", path=path, severity=None if data.instances.declared else Severity.WARNING,
                ids=tuple(labels), pixels=sum(each.pixels for each in thin), first=thin[0].first,
                evidence=(*(f"id {each.label}: {each.height} x {each.width} (height x width), {count(each.pixels, 'pixel')}"
                            for each in thin[:4]),
                          "x2 = max: width or height 0, as in torchvision's masks_to_boxes; x2 = max + 1: one pixel",
                          *(() if data.instances.declared else ("That the ids are instances was inferred; --instances declares it.",))),
                fix=f"Leave out the boxes of {'id' if len(thin) == 1 else 'ids'} {id_ranges(labels)}, or use x2 = max + 1.")


@rule.abstains
def why_not(data: DatasetFacts, spec: LabelSpec) -> str:
    """Whether masks hold instances is known only once they were read."""
    asked = data.boxes or data.instances.declared or data.instances.ids(data.records, spec)
    return "" if asked else "no --boxes given"


def _of_file(boxes: BoxFile) -> Iterator[Finding]:
    if boxes.corners:
        yield rule.finding(f"The boxes of {boxes.path} are corners (x1, y1, x2, y2), where COCO has x, y, width, height.", evidence=(
            "Read as corners, all boxes lie within their images; read as x, y, width, height, many extend beyond them.",),
            subject="image", fix="Write width = x2 - x1 and height = y2 - y1, or tell the loader that these are corners.")
    every = f"{count(boxes.boxes, 'box', 'boxes')} in {boxes.path}"
    broken, flat = (sum(boxes.counts[fault] for fault in faults) for faults in (_BROKEN, _FLAT))
    thin, beyond = boxes.counts["thin"], boxes.counts["beyond"]
    conventions = f"without area if x2 = x + width: {flat:,}; if x2 = x + width - 1, the last pixel: {flat + thin:,}"
    if broken:
        yield _about(boxes, _BROKEN, f"{broken:,} of {every} cannot be trained on.", (conventions,),
                     "Leave these boxes out, or draw them again.")
    if thin:
        yield _about(boxes, ("thin",), f"{thin:,} of {every} {'is' if thin == 1 else 'are'} at most one pixel wide or high: no area if "
                     "x2 is the last pixel.", (conventions,), "Make sure that the loader uses x2 = x + width, or leave these boxes out.",
                     Severity.WARNING)
    if beyond:
        yield _about(boxes, ("beyond",), f"{beyond:,} of {every} {'extends' if beyond == 1 else 'extend'} more than a pixel beyond the "
                     "image.", (), "Clip them to the image, and check whether the image has been resized or rotated since.",
                     Severity.WARNING)
    if boxes.orphans:
        yield rule.finding(f"{count(boxes.orphans, 'box', 'boxes')} of {boxes.path} {'has' if boxes.orphans == 1 else 'have'} an image_id "
                           "that no entry of 'images' has.", severity=Severity.WARNING, subject="image",
                           fix="Take the boxes and the images from the same version of the file.")


def _about(boxes: BoxFile, faults: tuple[Fault, ...], message: str, more: tuple[str, ...], fix: str,
           severity: Severity | None = None) -> Finding:
    evidence = []
    for fault in faults:
        if boxes.counts[fault]:
            examples = "; ".join(f"annotation {bad.annotation} of {bad.image}: {bad.values}" for bad in boxes.faults[fault])
            evidence.append(f"{_WORDS[fault]}: {boxes.counts[fault]:,} ({examples})")
    if boxes.wrapped and "outside" in faults:
        evidence.append(f"{count(boxes.wrapped, 'coordinate')} near 65,536: a -1 that wrapped in 16 bits, as x - 1 does at x = 0")
    files = tuple(sorted(set().union(*(boxes.files[fault] for fault in faults if fault in boxes.files))))
    return rule.finding(message, severity=severity, files=files, subject="image", evidence=(*evidence, *more), fix=fix)
