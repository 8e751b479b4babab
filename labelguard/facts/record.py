"""FileRecord: what is kept of each file that was read."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import NamedTuple

from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.numbered_ids import NumberedIds


class FileRecord(NamedTuple):
    """What is kept of each file that was read: enough for any rule about the set, and little."""

    path: str
    shape: tuple[int, int]
    ids: tuple[int, ...]
    num_pixels: array[int]
    encoding: str
    exact: bool
    objects: NumberedIds | None = None
    label_runs: LabelRuns | None = None

    def count(self, label: int) -> int:
        """Pixels of one id, 0 where it is absent."""
        at = bisect_left(self.ids, label)
        return self.num_pixels[at] if at < len(self.ids) and self.ids[at] == label else 0
