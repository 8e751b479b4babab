"""FileRecord: what is kept of each file that was read."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.numbered_ids import NumberedIds


class FileRecord(NamedTuple):
    """What is kept of each file that was read: enough for any rule about the set, and little."""

    path: str
    shape: tuple[int, int]
    ids: tuple[int, ...]
    counts: array[int]
    encoding: str
    exact: bool
    objects: NumberedIds | None = None
    ramps: LabelRuns | None = None

    def count(self, label: int) -> int:
        """Pixels of one id, 0 where it is absent."""
        return self.counts[self.ids.index(label)] if label in self.ids else 0
