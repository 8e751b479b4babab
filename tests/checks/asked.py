"""Masks whose batches or crops are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.crops import LoaderPlan
from labelguard.facts.mask_facts import MaskFacts, factorize
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels


def said_of(check: ModuleType, masks: Sequence[Labels], spec: LabelSpec, batch_size: int | None = None,
            crop: tuple[int, int] | None = None) -> list[Finding]:
    """What one check says of the masks 000, 001, ... in batches, or in crops, of some size."""
    plan = LoaderPlan(batch_size, crop)
    data, cropping = DatasetBuilder("masks", training=plan), plan.cropping(spec)
    for number, labels in enumerate(masks):
        facts = MaskFacts.of_labels(labels)
        crops = None if cropping is None else cropping.of(facts, lambda labels=labels: factorize(labels))  # type: ignore[misc]
        data.add(f"{number:03}", facts, crops=crops)
    return list(check.rule.dataset_check(data.build(), spec))
