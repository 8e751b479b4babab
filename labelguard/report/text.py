"""Parts of the text report: what was read, what is declared, and what comes out of it."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from labelguard.facts.batch_odds import Batches, batches_of, crops_of
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.facts.inference import Inference
from labelguard.files.image_folder import ImageFolder
from labelguard.finding import Finding, Severity
from labelguard.report.skipped import SkippedCheck
from labelguard.report.width import width
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, percent, printable, shortened

_PERCENT = "\N{NO-BREAK SPACE}%"  # wrapped as one word
_HELP = "; see 'labelguard init'"

Fact = tuple[str, str]  # a word, and what is to be said of it


def box_lines(data: DatasetFacts) -> Iterator[str]:
    """The files of boxes."""
    for boxes in data.boxes:
        yield f"boxes:    {boxes.path}: {count(boxes.boxes, 'box', 'boxes')}, {count(boxes.images, 'image')}"


def read_line(data: DatasetFacts, details: str = "", paths: int = 1) -> str:
    """What was read, and of which path or of how many."""
    unreadable = f", {data.unreadable:,} unreadable" if data.unreadable else ""
    root = data.root if paths <= 1 else count(paths, "path")
    return f"{root}: {count(len(data.records), 'mask')} read{unreadable}, {data.pixels:,} pixels{details}"


def spec_facts(data: DatasetFacts, spec: LabelSpec, inference: Inference | None, origin: str,
               between: Iterable[Fact] = ()) -> Iterator[Fact]:
    """The ids that are there, and what is declared or inferred about them; `between` comes between the two."""
    if data.ids and len(data.ids) <= 1024:
        yield "ids", id_ranges(list(data.ids), 16)
    yield from between
    declared_by = f" ({origin})" if origin else ""
    if inference is None:
        ignored = f", {listed(spec.ignore_index)} ignored" if spec.ignore_index else ", nothing ignored"
        yield "declared", f"{count(spec.last + 1, 'class', 'classes')}{ignored}{declared_by}"
    else:
        yield "inferred", " ".join(inference.lines)
        if spec.ignore_index and spec.ignore_index != inference.spec.ignore_index:
            yield "declared", f"{listed(spec.ignore_index)} ignored{declared_by}"


def pairing_facts(images: ImageFolder | None, facts: ImageSet | None) -> Iterator[Fact]:
    """The images and their pairing."""
    if images is not None and facts is not None:
        unreadable = f", {facts.unreadable:,} unreadable" if facts.unreadable else ""
        pairs = count(len(images.pairing.pairs), "pair")
        yield "images", f"{images.root}: {count(images.count, 'image')}{unreadable}, {pairs}; {images.pairing.rule}"


def training_facts(data: DatasetFacts, spec: LabelSpec) -> Iterator[Fact]:
    """The batches and crops that were asked about."""
    batches, crops = batches_of(data, spec), crops_of(data)
    if batches is not None:
        epoch = batches.epoch
        last = f" and a last one of {epoch.last:,}" if epoch.last else ""
        number = count(epoch.full, "batch", "batches")
        yield "batches", f"an epoch has {number} of {count(epoch.size, 'mask')}{last}; {_kinds(batches)}"
    if crops is not None:
        kinds = f"{percent(crops.blind_share, 1)} hold no valid pixel"
        if crops.empty_share is not None:
            kinds += f", {percent(crops.empty_share, 1)} no foreground"
        smaller = f"; {count(len(crops.smaller), 'mask is', 'masks are')} smaller" if crops.smaller else ""
        yield "crops", f"{crops.size[0]} x {crops.size[1]} at random; {kinds}{smaller}"


def fact_lines(facts: Iterable[Fact]) -> Iterator[str]:
    """Facts below each other, each set in behind its word."""
    for word, text in facts:
        yield from wrapped(f"{word + ':':<10}", text)


def _kinds(batches: Batches) -> str:
    """What batches lack."""
    total = batches.epoch.full + (batches.epoch.last > 0)
    kinds = f"{percent(batches.blind.per_epoch, total)} hold no valid pixel"
    return kinds if batches.empty is None else f"{kinds}, {percent(batches.empty.per_epoch, total)} no foreground"


def formats(data: DatasetFacts) -> str:
    """The size and the encoding that all masks share, or how many there are, in parentheses."""
    kinds = data.kinds()
    shapes = {shape for shape, _ in kinds}
    encodings = {encoding for _, encoding in kinds}
    parts = [f"{shape[0]} x {shape[1]}" for shape in shapes] if len(shapes) == 1 else [f"{len(shapes)} sizes"] * bool(shapes)
    parts += list(encodings) if len(encodings) == 1 else [f"{len(encodings)} encodings"] * bool(encodings)
    return f" ({', '.join(parts)})" if parts else ""


def wrapped(start: str, text: str) -> Iterable[str]:
    """Text in lines of a width that can be read, no number parted from its %; those after the first are set in under its `start`."""
    lines = textwrap.wrap(printable(shortened(text)).replace(" %", _PERCENT), width(), initial_indent=start,
                          subsequent_indent=" " * len(start), break_long_words=False, break_on_hyphens=False)
    return [line.replace(_PERCENT, " %") for line in lines] or [start.rstrip()]


def verdict(findings: Sequence[Finding], reservations: Iterable[str] = (), complete: bool = True) -> str:
    """How many findings there are of each severity; clean is only what was looked at to the end, without a reservation.

    Where there are errors, nobody takes the rest for clean, and reservations are left to the lines that follow.
    """
    if not findings and not complete:
        return "No findings so far."
    counts = Counter(finding.severity for finding in findings if finding.counts)
    aside = set_aside(findings)
    if counts:
        found = "; ".join(filter(None, (", ".join(count(counts[severity], severity.value) for severity in Severity), ", ".join(aside))))
    else:
        found = f"No findings but {listed(aside)}" if aside else ""
    reserved = "" if counts[Severity.ERROR] else listed(reservations)
    return f"{found or 'No findings'}; {reserved}." if reserved else f"{found or 'Clean: no findings'}."


def set_aside(findings: Iterable[Finding]) -> list[str]:
    """How many findings are accepted and how many known, such as ``1 accepted`` and ``12 known``; nothing where none are."""
    aside = Counter("accepted" if finding.accepted else "known" for finding in findings if not finding.counts)
    return [f"{aside[word]:,} {word}" for word in ("accepted", "known") if aside[word]]


def skipped_lines(skipped_checks: Iterable[SkippedCheck]) -> Iterator[str]:
    """The checks that somebody asked for, or could have had by a declaration."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for skipped in skipped_checks:
        if skipped.asked or skipped.undeclared:  # nobody is surprised that checks on images need images
            by_reason[f"{skipped.why}{_HELP if skipped.undeclared else ''}"].append(skipped.code)
    for why, codes in by_reason.items():
        yield f"Not checked: {', '.join(codes)} ({why})."


def manual_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Where to read on."""
    first = next((finding for finding in findings if finding.counts), None)
    if first is not None:
        yield f"Why, and what to do: labelguard rules {first.code}"
