"""Ids that are not a class and that the loss accepts without an error: what it makes of each, found by planting one pixel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from labelguard.checks.registry import rule_named
from labelguard.finding import Fix, Severity
from labelguard.lossprobe.findings.finding_writer import FindingWriter, files_of
from labelguard.lossprobe.findings.interpretation import Interpretation, Reading, interpret
from labelguard.lossprobe.findings.loss_finding import LossFinding, rule_of
from labelguard.lossprobe.findings.wording import sentence
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.supervisor.outcome import Runner
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

_MOST_TRIED = 16
_TAKEN = {Reading.NO_CLASS: "such a pixel counts as no class at all", Reading.NUMBER: "it calculates with the id as a number",
          Reading.DROPS_MASK: "nothing is learned from a mask of which an area holds it",
          Reading.DROPS_BATCH: "nothing is learned from a batch that holds such a pixel",
          Reading.IGNORED: "it ignores those pixels", Reading.OTHER: "it neither ignores such a pixel nor takes it as any class",
          Reading.UNCLEAR: "what it makes of the id could not be found out"}
_NOT_SHOWN = (Reading.OTHER, Reading.UNCLEAR, Reading.DROPS_MASK)  # a declared id may be ignored all the same, but in large areas


def silent_id_findings(run: Runner, masks: MaskSource, spec: LabelSpec, refused: Collection[int], passed: Collection[int],
                       writer: FindingWriter) -> Iterator[LossFinding]:
    """One finding for all ids that the loss interprets in the same way.

    Parameters
    ----------
    run
        The loss.
    masks
        The masks, read already.
    spec
        What the ids mean.
    refused
        Ids that are known to make the loss fail.
    passed
        The ids of batches that went through.
    writer
        Puts the findings into words.
    """
    present = [label for label in sorted(masks.data.ids) if not spec.is_class(label) and label not in refused]
    alike: dict[tuple[object, ...], list[Interpretation]] = defaultdict(list)
    for label in _spread(present):
        interpretation = _interpret(run, label, masks, spec)
        if not (interpretation.reading == Reading.IGNORED and label in spec.ignore_index):
            alike[interpretation.reading, interpretation.label, label in spec.ignore_index].append(interpretation)
    untried = len(present) - min(len(present), _MOST_TRIED)
    for group in alike.values():
        yield _finding(writer, group, untried, passed)


def _interpret(run: Runner, label: int, masks: MaskSource, spec: LabelSpec) -> Interpretation:
    """How the loss interprets an id, in small masks or, where these fail whatever they hold, in masks of the size that it is used with."""
    small = interpret(run, label, spec.last + 1, spec.ignore_index)
    if small.reading != Reading.UNCLEAR or not small.outcome.failed:
        return small
    return interpret(run, label, spec.last + 1, spec.ignore_index, *masks.contents[0].shape)


def _spread(labels: list[int]) -> list[int]:
    """All of a few ids; of many, some from the lowest to the highest."""
    if len(labels) <= _MOST_TRIED:
        return labels
    return sorted({labels[i * (len(labels) - 1) // (_MOST_TRIED - 1)] for i in range(_MOST_TRIED)})


def _finding(writer: FindingWriter, group: Sequence[Interpretation], untried: int, passed: Collection[int]) -> LossFinding:
    """Ids that the loss accepted in the masks, or refuses in neutral masks at least; all of them in the same way."""
    ids = [one.value for one in group]
    reading, step, noun = group[0].reading, group[0].outcome.last, group[0].noun
    ignored = ids[0] in writer.spec.ignore_index
    file, first = _first_pixel(writer.masks, ids)
    names = writer.holding(ids)
    evidence = [*group[0].evidence, *[f"{count(untried, 'more id')} outside the classes not tried"] * bool(untried)]
    if len(names) > 1:
        evidence.append(f"the first such pixel: {file}, row {first[0]}, column {first[1]}")
    if reading == Reading.REFUSED:
        rule, what = rule_of(step), noun.replace("a ", "one ").capitalize()
        batch = ", though the batch itself passed: there, the loss did not look at it" if set(ids) <= set(passed) else ""
        message = f"{sentence(step)}. {what} of {id_ranges(ids)} in neutral masks is enough{batch}."
    else:
        rule, message = rule_named("silent-accept"), f"{_accepted(ids, ignored)}: {_taken(group[0], writer.spec)}."
    fix = writer.declare(ids, step) if ignored else writer.scan()
    if reading == Reading.IGNORED:
        declared = " ".join(f"--ignore-index {label}" for label in ids)
        fix = Fix.advice(f"If {'it is' if len(ids) == 1 else 'they are'} void, declare that here too: {declared}. If not: ", fix)
    return writer.finding(rule, message, step, severity=Severity.WARNING if ignored and reading in _NOT_SHOWN else Severity.ERROR,
                          evidence=tuple(evidence), ids=tuple(ids), pixels=writer.pixels(ids), first=first, first_file=file, fix=fix,
                          mentions_neutral_masks=reading == Reading.REFUSED, **files_of(names))


def _accepted(ids: Sequence[int], ignored: bool) -> str:
    """``255 is not a class, and the loss raises no error``."""
    are, them, classes = ("is", "it", "a class") if len(ids) == 1 else ("are", "them", "classes")
    what = f"declared as ignored, and the loss does not ignore {them}" if ignored else f"not {classes}, and the loss raises no error"
    return f"{id_ranges(ids)} {are} {what}"


def _taken(interpretation: Interpretation, spec: LabelSpec) -> str:
    """As what a loss takes an id that it accepts."""
    if interpretation.reading != Reading.CLASS:
        return _TAKEN[interpretation.reading]
    return f"it trains such a pixel as class {spec.name_of(interpretation.label or 0)}"


def _first_pixel(masks: MaskSource, ids: Sequence[int]) -> tuple[str, tuple[int, int]]:
    """The name of the first mask that holds one of some ids, and the first such pixel in it, as (row, column)."""
    member = next(i for i, mask in enumerate(masks.contents) if not set(ids).isdisjoint(mask.ids))
    labels = masks.labels(member)
    row, column = divmod(int(np.isin(labels, list(ids)).argmax()), labels.shape[1])
    return masks.contents[member].name, (row, column)
