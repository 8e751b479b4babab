"""FileRecord: what is kept of each file that was read; Kind: how files are stored and how large they are."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container
from typing import NamedTuple

from labelguard.errors import UnreadableMaskError
from labelguard.facts.frozen import FrozenArray
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.numbered_ids import NumberedIds

Ids = tuple[int, ...]

MOST_IDS = 1 << 16
"""A mask may hold this many ids: all that 16 bits can tell apart."""


def check_number_of_ids(number: int) -> None:
    """Refuse a mask with more than `MOST_IDS` ids.

    What is kept of a file grows with its ids, and so does what is said of it; 32-bit measurements have an id for nearly every pixel.

    Raises
    ------
    UnreadableMaskError
        When there are more.
    """
    if number > MOST_IDS:
        raise UnreadableMaskError(f"holds {number:,} different ids, and a mask may hold {MOST_IDS:,}, all that 16 bits can tell apart; so "
                                  "many are neither classes nor instances but most likely measurements, such as depth. Leave it out with "
                                  "--exclude, or cut it into tiles")


class Kind(NamedTuple):
    """What many files of a set have in common: their (H, W), and how they are stored."""

    shape: tuple[int, int]
    encoding: str


class FileRecord(NamedTuple):
    """What is kept of each file that was read: enough for any rule about the set, and little.

    Parameters
    ----------
    path
        Relative to the root of the scan.
    shape
        (H, W).
    ids, num_pixels
        The ids present, ascending, and the number of pixels of each.
    encoding
        How it is stored, in words.
    exact
        Whether the ids are what somebody labeled.
    objects
        How the ids lie, where they run from 1 without a gap.
    label_runs
        The optional group of facts on how ids change along rows and columns.
    frame_pixels
        The number of pixels of each id along the four sides of the image; empty where nobody counted.
    """

    path: str
    shape: tuple[int, int]
    ids: Ids
    num_pixels: array[int]
    encoding: str
    exact: bool
    objects: NumberedIds | None = None
    label_runs: LabelRuns | None = None
    frame_pixels: array[int] = FrozenArray("q")

    @property
    def kind(self) -> Kind:
        """What it has in common with other files."""
        return Kind(self.shape, self.encoding)

    def count(self, label: int) -> int:
        """Pixels of one id, 0 where it is absent."""
        at = bisect_left(self.ids, label)
        return self.num_pixels[at] if at < len(self.ids) and self.ids[at] == label else 0

    def pixels_of(self, ids: Container[int]) -> int:
        """Pixels of several ids taken together; `ids` should be a set."""
        return sum(number for label, number in zip(self.ids, self.num_pixels, strict=True) if label in ids)
