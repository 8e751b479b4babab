"""Masks whose batches or crops are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from labelguard.facts.crops import LoaderPlan
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts, factorize
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels


def said_of(check: ModuleType, masks: Sequence[Labels], spec: LabelSpec, batch_size: int | None = None,
            crop: tuple[int, int] | None = None) -> list[Finding]:
    """What one check says of the masks 000, 001, ... in batches, or in crops, of some size."""
    data = DatasetFacts("masks", training=LoaderPlan(batch_size, crop))
    cropping = data.training.cropping(spec)
    for number, labels in enumerate(masks):
        facts = MaskFacts.of_labels(labels)
        data.add(f"{number:03}", facts)
        if cropping is not None:
            data.training.crops[f"{number:03}"] = cropping.of(facts, lambda labels=labels: factorize(labels))  # type: ignore[misc]
    return list(check.rule.dataset_check(data, spec))
