"""Where the masks of a probe come from: a folder, perhaps through a pipeline; or arrays that are there already."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.checks import unreadable
from labelguard.errors import IncompleteError, MaskRejectedError, NotLabelsError, UnreadableMaskError
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.find import find
from labelguard.files.read import read
from labelguard.finding import Finding
from labelguard.lossprobe.batch_plan import MaskContents
from labelguard.stages import Stage


class MaskSource:
    """Masks to be probed: iterate once, to look at all of them; then ask for the labels of each.

    Parameters
    ----------
    paths
        Files and folders.
    stage
        What each mask goes through first.

    Attributes
    ----------
    contents : list of Contents
        Of the masks that can be probed.
    data : DatasetFacts
        Their facts.
    findings : list of Finding
        Why others cannot be.
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]], stage: Stage | None = None) -> None:
        found = find(paths)
        if found.missing:
            raise IncompleteError(f"'{found.missing[0]}' does not exist, or cannot be opened.")
        if not found.files:
            raise IncompleteError(f"No masks found in {', '.join(repr(os.fspath(path)) for path in paths)}.")
        self.files = found.files
        self._collected = DatasetBuilder(found.root, skipped=found.skipped)
        self._stage = stage
        self._paths: list[str] = []
        self.contents: list[MaskContents] = []
        self.findings: list[Finding] = []

    def __iter__(self) -> Iterator[str]:
        for path, name in self.files:
            try:
                self._take(path, self._read(path, name))
            except UnreadableMaskError as reason:
                self._collected.unreadable += 1
                self.findings.append(unreadable.unreadable(name, str(reason)))
            except NotLabelsError as reason:
                self._collected.unreadable += 1
                self.findings.append(unreadable.unreadable(name, f"holds no ids: {reason}"))
            except MaskRejectedError as rejected:
                self.findings.extend(replace(finding, path=name) for finding in rejected.findings)
            yield name

    @property
    def data(self) -> DatasetFacts:
        """The facts of the masks that were read up to now."""
        return self._collected.build()

    def _read(self, path: str, name: str) -> Mask:
        mask = replace(read(path), name=name)
        return mask if self._stage is None else self._stage.apply(mask)

    def _take(self, path: str, mask: Mask) -> None:
        facts = MaskFacts.of_labels(mask.labels, mask.stored)
        self._collected.add(mask.name, facts)
        self._paths.append(path)
        self.contents.append(MaskContents(mask.name, facts.shape, facts.present))

    def keep(self, names: Collection[str]) -> None:
        """Leave out all masks but some."""
        kept = [i for i, mask in enumerate(self.contents) if mask.name in names]
        self.contents = [self.contents[i] for i in kept]
        self._paths = [self._paths[i] for i in kept]

    def labels(self, member: int) -> NDArray[np.integer[Any]]:
        """The labels (H, W) of a mask; read anew, so that memory stays flat."""
        labels: NDArray[np.integer[Any]] = self._read(self._paths[member], self.contents[member].name).labels
        return labels


class Arrays(MaskSource):
    """The same for label arrays (H, W) that are in memory."""

    def __init__(self, masks: Sequence[NDArray[np.integer[Any]]], names: Sequence[str] = ()) -> None:
        self.files = [("", name) for name in names or [f"mask {number}" for number in range(len(masks))]]
        self._collected = DatasetBuilder("the masks")
        self.contents, self.findings = [], []
        self._arrays = list(masks)

    def __iter__(self) -> Iterator[str]:
        for (_, name), labels in zip(self.files, self._arrays, strict=True):
            facts = MaskFacts.of_labels(labels)
            self._collected.add(name, facts)
            self.contents.append(MaskContents(name, facts.shape, facts.present))
            yield name

    def labels(self, member: int) -> NDArray[np.integer[Any]]:
        """The labels (H, W) of a mask."""
        return self._arrays[member]
