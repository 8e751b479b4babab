"""ExamineMask: the work on one file of a scan, and on its image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from labelguard.checks.registry import select_rules
from labelguard.checks.rule import OnMask
from labelguard.errors import UnreadableMaskError
from labelguard.facts.crops import RandomCrop
from labelguard.facts.digest import digest_in_receipt
from labelguard.facts.mask_facts import MaskFacts
from labelguard.facts.record import check_number_of_ids
from labelguard.files.mask import crop_facts_of, decode_with_facts, facts_of
from labelguard.files.mask_files import facts_of_files
from labelguard.files.memory import keep
from labelguard.files.read import read_bytes
from labelguard.finding import Finding
from labelguard.runs.examine_image import ExamineImage
from labelguard.runs.pool import guarded
from labelguard.runs.results import MaskResult
from labelguard.spec.labelspec import LabelSpec

_Labels = NDArray[np.integer]


@dataclass(frozen=True)
class ExamineMask:
    """The work on one file: gather its facts, ask the checks. Picklable, so that it can go to other processes.

    Parameters
    ----------
    spec, codes
        What is declared, and the checks that are asked.
    with_label_runs
        Whether it is looked at how ids change along rows and columns.
    erosion_of
        Ids whose shape is looked at.
    digests
        What the receipt of the folder records.
    image_pixels, aligned
        Whether images are decoded, and whether masks are held against them.
    cropping
        The random crops that are asked about.
    """

    spec: LabelSpec
    codes: tuple[str, ...]
    with_label_runs: bool = False
    erosion_of: frozenset[int] = frozenset()
    digests: Mapping[str, str] = field(default_factory=dict)
    image_pixels: bool = False
    aligned: bool = False
    cropping: RandomCrop | None = None

    def __call__(self, path: str, name: str, *image: str) -> MaskResult:
        """What there is to learn of one mask and, where its path and name are given too, of its image."""
        result, labels = self._mask(path, name, self.aligned and bool(image))
        keep(0 if labels is None else labels.nbytes)
        return replace(result, image=guarded(ExamineImage(self.image_pixels, labels), *image)) if image else result

    def at_once(self, items: Sequence[tuple[str, ...]], most_bytes: int) -> list[MaskResult | None]:
        """The same of several masks in one go, where nothing but their facts is wanted; None for each that is to be looked at alone."""
        if self.digests or self.cropping is not None or any(len(item) > 2 for item in items):
            return [None] * len(items)
        found = facts_of_files(items, most_bytes, tuple(self.erosion_of), self.with_label_runs)
        return [None if facts is None else MaskResult(name, facts, findings=self._findings(facts, name))
                for (_, name), facts in zip(items, found, strict=True)]

    def failed(self, name: str, problem: str) -> MaskResult:
        """The result for a mask that cannot be read."""
        return MaskResult(name, problem=problem)

    def _mask(self, path: str, name: str, with_labels: bool) -> tuple[MaskResult, _Labels | None]:
        """The result for a mask and, where they are wanted and are what somebody labeled, its labels."""
        try:
            data = read_bytes(path)
            facts, labels = self._facts(data, name, with_labels)
            check_number_of_ids(len(facts.present))
            crops = crop_facts_of(data, name, facts, self.cropping) if self.cropping is not None and facts.exact else None
        except UnreadableMaskError as reason:
            return self.failed(name, str(reason)), None
        changed = name in self.digests and digest_in_receipt(data) != self.digests[name]
        return MaskResult(name, facts, findings=self._findings(facts, name), crops=crops, changed=changed), labels

    def _findings(self, facts: MaskFacts, name: str) -> tuple[Finding, ...]:
        return tuple([replace(finding, path=name) for check in self._checks for finding in check(facts, self.spec)])

    def _facts(self, data: bytes, name: str, with_labels: bool) -> tuple[MaskFacts, _Labels | None]:
        if not with_labels:
            return facts_of(data, name, self.erosion_of, self.with_label_runs), None
        mask, facts = decode_with_facts(data, name, self.erosion_of, self.with_label_runs)
        return facts, mask.labels if mask is not None and facts.exact else None

    @cached_property
    def _checks(self) -> tuple[OnMask, ...]:
        rules = select_rules(self.codes) if self.codes else ()  # no code here means no check, and not all of them
        return tuple(rule.mask_check for rule in rules if rule.mask_check is not None)


