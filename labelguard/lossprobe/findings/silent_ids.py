"""Ids that are not a class and that the loss accepts without an error: what it makes of each, found by planting one pixel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from labelguard.lossprobe.findings.finding_writer import FindingWriter
from labelguard.lossprobe.findings.interpretation import Interpretation, Reading, interpret
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.supervisor.outcome import Runner
from labelguard.spec.labelspec import LabelSpec

_MOST_TRIED = 16


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
        yield writer.interpreted(group, untried, passed)


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
