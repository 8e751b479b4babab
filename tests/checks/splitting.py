"""Splits, and what the checks that compare them say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.fingerprint import Fingerprint, fingerprint_of
from labelguard.facts.inference import infer
from labelguard.facts.mask_facts import MaskFacts
from labelguard.facts.split import SplitFacts, joined
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec
from tests.checks.paired import Couple, together
from tests.checks.scenes import NOTHING, Labels, facts_on_disk

Splits = Mapping[str, Sequence[Labels | MaskFacts] | Mapping[str, Couple]]


def facts_of_splits(splits: Splits, spec: LabelSpec = NOTHING) -> list[SplitFacts]:
    """The facts of splits: masks called 000, 001, ..., or masks with their images by stem."""
    parts: list[tuple[str, DatasetFacts, dict[str, Fingerprint]]] = []
    for name, content in splits.items():
        couples = content if isinstance(content, Mapping) else {}
        data = DatasetBuilder(f"{name}/masks")
        fingerprints = {}
        if not isinstance(content, Mapping):
            masks = {f"{number:03}": each for number, each in enumerate(content)}
        else:
            masks = {f"{stem}.png": mask for stem, (mask, _) in couples.items() if mask is not None}
        for path, mask in masks.items():
            facts = mask if isinstance(mask, MaskFacts) else facts_on_disk(mask, spec)
            if not couples:
                data.add(path, facts)
            if facts.exact:
                fingerprints[path] = fingerprint_of(facts, spec.ignore_index)
        parts.append((name, together(dict(couples), spec) if couples else data.build(), fingerprints))
    known = spec if spec.declared else infer(joined({name: data for name, data, _ in parts})).spec
    classes = frozenset(label for label in range(known.last + 1) if known.is_class(label)) if known.declared else frozenset()
    return [SplitFacts(name, data, fingerprints, classes, copies(fingerprints)) for name, data, fingerprints in parts]


def copies(fingerprints: Mapping[str, Fingerprint]) -> dict[bytes, list[str]]:
    """The masks that cannot agree by chance, by their digest."""
    found: dict[bytes, list[str]] = {}
    for path, (digest, bits) in fingerprints.items():
        if bits > 16:
            found.setdefault(digest, []).append(path)
    return found


def between(module: ModuleType, splits: Splits, spec: LabelSpec = NOTHING) -> list[Finding]:
    """What one check says of splits."""
    return list(module.rule.splits_check(facts_of_splits(splits, spec), spec))
