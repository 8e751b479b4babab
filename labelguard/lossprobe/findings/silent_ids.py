"""Ids that are no class and that the loss takes without a word: found for each by one planted pixel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from labelguard.lossprobe.findings.finding_writer import FindingWriter
from labelguard.lossprobe.findings.interpretation import Interpretation, interpret
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.supervisor.outcome import Runner
from labelguard.spec.labelspec import LabelSpec

_MOST_TRIED = 16


def silent_findings(run: Runner, masks: MaskSource, spec: LabelSpec, refused: set[int], writer: FindingWriter) -> Iterator[LossFinding]:
    """One finding for the ids that are taken in the same way.

    Parameters
    ----------
    run
        The loss.
    masks
        Looked at already.
    spec
        What the ids mean.
    refused
        Ids that are known to make the loss fail.
    teller
        Words the findings.
    """
    present = [label for label in sorted(masks.data.ids) if not spec.is_class(label) and label not in refused]
    alike: dict[tuple[object, ...], list[Interpretation]] = defaultdict(list)
    for label in _spread(present):
        taken = interpret(run, label, spec.last + 1, spec.ignore_index)
        if not (taken.kind == "ignored" and label in spec.ignore_index):
            alike[taken.kind, taken.label, label in spec.ignore_index].append(taken)
    untried = len(present) - min(len(present), _MOST_TRIED)
    for group in alike.values():
        yield writer.taken(group, untried)


def _spread(labels: list[int]) -> list[int]:
    """All of a few ids; of many, some from the lowest to the highest."""
    if len(labels) <= _MOST_TRIED:
        return labels
    return sorted({labels[i * (len(labels) - 1) // (_MOST_TRIED - 1)] for i in range(_MOST_TRIED)})
