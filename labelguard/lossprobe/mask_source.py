"""Where the masks of a probe come from: folders, perhaps through a stage; or arrays in memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.checks.registry import findings_of_refused, findings_of_unreadable
from labelguard.errors import NotLabelsError, UnreadableMaskError
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.find import FileListing, FoundFile, find_masks
from labelguard.files.image_folder import ImageFolder, match
from labelguard.files.read import read
from labelguard.finding import Finding
from labelguard.lossprobe.batch_plan import MaskContents


class MaskSource(ABC):
    """Masks to be probed: iterate over it once, which reads them all and gives their names; then ask for the labels of each.

    Attributes
    ----------
    contents : list of MaskContents
        Of the masks that can be probed, once they were read.
    findings : list of Finding
        Why others cannot be probed.
    """

    def __init__(self) -> None:
        self.contents: list[MaskContents] = []
        self.findings: list[Finding] = []

    @cached_property
    def listing(self) -> FileListing:
        """The masks, with an empty path where they are not files.

        Raises
        ------
        IncompleteError
            When there are none.
        """
        return self._list()

    @cached_property
    def collected(self) -> DatasetBuilder:
        """The facts of the masks that were read so far, as they are collected."""
        return DatasetBuilder(self.listing.root, skipped=self.listing.skipped, refused=[name for name, _ in self.listing.refused])

    @property
    def data(self) -> DatasetFacts:
        """The facts of the masks that were read so far."""
        return self.collected.build()

    @property
    def files(self) -> tuple[FoundFile, ...]:
        """(path, name) of each mask."""
        return self.listing.files

    def pair(self, folder: str | os.PathLike[str]) -> ImageFolder:
        """Pair the masks with images by name; to be done before they are read, since files that are images drop out of the masks.

        Raises
        ------
        IncompleteError, UsageError
            See `labelguard.files.image_folder.match`.
        """
        self.listing, images = match(self.listing, folder)
        return images

    def keep(self, names: Collection[str]) -> None:
        """Keep only some of the masks that were read."""
        self.contents = [mask for mask in self.contents if mask.name in names]

    @abstractmethod
    def __iter__(self) -> Iterator[str]:
        """Read all masks."""

    @abstractmethod
    def labels(self, member: int) -> NDArray[np.integer[Any]]:
        """The labels (H, W) of a mask of `contents`."""

    @abstractmethod
    def _list(self) -> FileListing: ...

    def _add(self, name: str, facts: MaskFacts) -> None:
        self.collected.add(name, facts)
        self.contents.append(MaskContents(name, facts.shape, facts.present))


class MaskFiles(MaskSource):
    """Masks in files. They are read twice, so that memory stays flat.

    Parameters
    ----------
    paths
        Files and folders.
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]]) -> None:
        super().__init__()
        self.paths = tuple(paths)

    def __iter__(self) -> Iterator[str]:
        self.findings += findings_of_refused(self.listing.refused)
        for path, name in self.files:
            try:
                mask = read(path)
                self._add(name, MaskFacts.of_labels(mask.labels, mask.stored))
            except UnreadableMaskError as reason:
                self.collected.unreadable += 1
                self.findings += findings_of_unreadable(name, str(reason))
            except NotLabelsError as reason:
                self.collected.unreadable += 1
                self.findings += findings_of_unreadable(name, f"does not hold ids: {reason}")
            yield name

    def labels(self, member: int) -> NDArray[np.integer[Any]]:
        """The labels (H, W) of a mask of `contents`, read again."""
        name = self.contents[member].name
        labels: NDArray[np.integer[Any]] = read(self._paths[name]).labels
        return labels

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {name: path for path, name in self.files}

    def _list(self) -> FileListing:
        return find_masks(self.paths)

class MaskArrays(MaskSource):
    """Masks in memory.

    Parameters
    ----------
    masks
        Label arrays (H, W).
    names
        What they are called in the report.
    """

    def __init__(self, masks: Sequence[NDArray[np.integer[Any]]], names: Sequence[str] = ()) -> None:
        super().__init__()
        self.names = tuple(names) or tuple(f"mask {number}" for number in range(len(masks)))
        self._arrays = dict(zip(self.names, masks, strict=True))

    def __iter__(self) -> Iterator[str]:
        for name, labels in self._arrays.items():
            try:
                self._add(name, MaskFacts.of_labels(labels))
            except UnreadableMaskError as reason:
                self.collected.unreadable += 1
                self.findings += findings_of_unreadable(name, str(reason))
            yield name

    def labels(self, member: int) -> NDArray[np.integer[Any]]:
        """The labels (H, W) of a mask of `contents`."""
        return self._arrays[self.contents[member].name]

    def _list(self) -> FileListing:
        return FileListing("the masks", tuple(("", name) for name in self.names))
