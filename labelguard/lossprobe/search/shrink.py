"""Shrinking a failing batch by replacing more and more of it with neutral content: masks, then ids, then rectangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.ddmin import Box, ddmin, shrink_box
from labelguard.lossprobe.search.neutral_masks import Pixel
from labelguard.lossprobe.search.oracle import Oracle
from labelguard.lossprobe.supervisor.outcome import Outcome


class FailingCase:
    """A batch that is known to fail and gets smaller.

    Parameters
    ----------
    oracle
        Runs batches.
    labels
        The batch that failed, (N, H, W).
    base
        A neutral batch that passes, of the same shape.

    Attributes
    ----------
    work
        Where pixels are taken from: the batch itself, or one that differs less from a neutral one and fails too.
    keep
        Which pixels of `work` are kept; the others are those of `base`.
    minimal, decisive
        The resulting labels, and their outcome.
    """

    def __init__(self, oracle: Oracle, labels: NDArray[np.int64], base: NDArray[np.int64]) -> None:
        self.oracle, self.base = oracle, base
        self.work = self.minimal = labels
        self.keep = np.ones(labels.shape, bool)
        self.decisive: Outcome = oracle.first

    def restart(self, work: NDArray[np.int64]) -> None:
        """Continue from another batch, which has just been seen to fail."""
        self.work = self.minimal = work
        self.keep = np.ones(work.shape, bool)
        self.decisive = self.oracle.latest

    def keeps(self, keep: NDArray[np.bool_]) -> bool:
        """Whether fewer pixels fail as well; if so, only they are kept from then on."""
        labels = np.where(keep, self.work, self.base)
        if not self.oracle.fails(labels):
            return False
        self.keep, self.minimal, self.decisive = keep, labels, self.oracle.latest
        return True

    def masks(self) -> list[int]:
        """The indices of the masks of which anything is kept."""
        return [int(index) for index in np.flatnonzero(self.keep.any(axis=(1, 2)))]

    def ids(self) -> list[int]:
        """The ids of the pixels that are kept."""
        return [int(label) for label in np.unique(self.work[self.keep])]

    def pixel(self) -> Pixel | None:
        """The first pixel that is kept."""
        place = next(iter(np.argwhere(self.keep)), None)
        return None if place is None else (int(place[0]), int(place[1]), int(place[2]))

    def level(self) -> str:
        """What kind of part is kept."""
        masks = self.masks()
        if len(masks) != 1:
            return "mask-set"
        kept, mask = self.keep[masks[0]], self.work[masks[0]]
        if kept.sum() == 1:
            return "pixel"
        if kept.all():
            return "mask"
        return "ids" if np.array_equal(np.isin(mask, self.ids()), kept) else "region"

    def box(self) -> Box | None:
        """The rectangle around what is kept, where that lies in one mask."""
        masks = self.masks()
        return bounds(self.keep[masks[0]]) if len(masks) == 1 else None

    def take_hint(self) -> None:
        """Try what the gradient suggests: where it is not finite at a few pixels, one of them; at many, their mask."""
        step = self.decisive.last
        if step.bad is None or not self.keep[step.bad]:
            return
        hinted = np.zeros_like(self.keep)
        hinted[step.bad] = True
        if 2 * step.bad_pixels <= self.keep[0].size and self.keeps(hinted):
            return
        if len(self.keep) > 1 and 2 * step.bad_pixels <= self.keep.size:
            hinted[step.bad[0]] = True
            self.keeps(self.keep & hinted)

    def shrink_masks(self) -> None:
        """Keep only the masks that are needed."""
        whole = self.keep

        def fails(masks: list[int]) -> bool:
            chosen = np.zeros((len(whole), 1, 1), bool)
            chosen[masks] = True
            return self.keeps(whole & chosen)

        ddmin(self.masks(), fails)

    def shrink_ids(self) -> None:
        """Keep only the ids that are needed, in each mask."""
        whole = self.keep
        pairs = [(index, int(label)) for index in self.masks() for label in np.unique(self.work[index][whole[index]])]

        def fails(chosen: list[tuple[int, int]]) -> bool:
            keep = np.zeros_like(whole)
            for index, label in chosen:
                keep[index] |= whole[index] & (self.work[index] == label)
            return self.keeps(keep)

        ddmin(pairs, fails)

    def shrink_box(self) -> None:
        """Keep only the rectangle that is needed, where one mask is left."""
        box = self.box()
        if box is not None:
            shrink_box(box, self._attempt)

    def _attempt(self, box: Box) -> Box | None:
        row0, column0, row1, column1 = box
        inside = np.zeros_like(self.keep)
        inside[:, row0:row1, column0:column1] = True
        inside &= self.keep
        return self.box() if inside.any() and self.keeps(inside) else None


def bounds(kept: NDArray[np.bool_]) -> Box:
    """The rectangle around the pixels of a mask that are kept; there is at least one."""
    rows, columns = np.flatnonzero(kept.any(axis=1)), np.flatnonzero(kept.any(axis=0))
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1
