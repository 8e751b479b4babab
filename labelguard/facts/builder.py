"""DatasetBuilder: takes in one file after the other, and gives the facts of the set at any time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.boxes import BoxFile
from labelguard.facts.crops import CropFacts, LoaderPlan
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.fingerprint import mask_digest
from labelguard.facts.frozen import FrozenArray, FrozenDict
from labelguard.facts.image import ImageFacts, ImageSet, PairFacts
from labelguard.facts.instances import InstanceSet, Thin, may_hold_instances, thin_boxes
from labelguard.facts.mask_facts import ErosionStats, MaskFacts
from labelguard.facts.numbered_ids import numbered_ids_of
from labelguard.facts.painted import PaintedSetBuilder
from labelguard.facts.record import FileRecord, Ids, check_number_of_ids
from labelguard.pairing.alignment import AlignmentSet, PairEvidence
from labelguard.pairing.by_name import Pairing
from labelguard.text import count

_DEFAULT_BYTES = 10 ** 9
_ROW_BYTES, _SET_BYTES, _SUM_BYTES, _THIN_BYTES = 16, 56, 256, 512  # an id in a record; in a new set of ids; in the sums; with a thin box


@dataclass(slots=True)
class _Sum:
    """What was counted in the files of one set of ids, of which there are few in most sets: one addition a file, and not one an id."""

    files: int
    num_pixels: NDArray[np.int64]


class DatasetBuilder:
    """Collects what is learned of each file of a set.

    Parameters
    ----------
    root, skipped, refused, boxes, training
        Fields of `DatasetFacts` that are known beforehand.
    images
        The folder of the images as the user wrote it, and which mask belongs to which; None where no images were given.
    instances
        Whether the ids of the masks are declared to be instances; None where nobody asks about instances.
    max_bytes
        How much memory may be kept for the ids of all masks, a little more or less.
    """

    def __init__(self, root: str = ".", *, skipped: Iterable[str] = (), refused: Iterable[str] = (), boxes: Iterable[BoxFile] = (),
                 training: LoaderPlan | None = None, images: tuple[str, Pairing] | None = None, instances: bool | None = None,
                 max_bytes: int = _DEFAULT_BYTES) -> None:
        self.unreadable = 0
        self.unreadable_images = 0
        self._known = DatasetFacts(root, skipped=tuple(skipped), refused=tuple(refused), boxes=tuple(boxes),
                                   training=training or LoaderPlan())
        self._folder, self._instances = images, instances
        self._records: list[FileRecord] = []
        self._pixels = self._kept = 0
        self._max_bytes = max_bytes
        self._sums: dict[tuple[Ids, bool], _Sum] = {}
        self._labels: set[int] = set()
        self._erosion: dict[int, ErosionStats] = {}
        self._palettes: dict[bytes, list[int]] = {}
        self._painted = PaintedSetBuilder()
        self._images: dict[str, ImageFacts] = {}
        self._pairs: list[PairFacts] = []
        self._crops: dict[str, CropFacts] = {}
        self._alignment: dict[str, PairEvidence] = {}
        self._wide: set[str] = set()
        self._thin: dict[str, tuple[Thin, ...]] = {}
        self._seen_ids: dict[Ids, Ids] = {}
        self._built: tuple[tuple[int, ...], DatasetFacts] | None = None

    def add(self, path: str, facts: MaskFacts, *, image: str | None = None, crops: CropFacts | None = None,
            alignment: PairEvidence | None = None) -> None:
        """Take in one mask.

        Parameters
        ----------
        path
            Relative to the root.
        facts
            Of the mask.
        image
            The name of its image, taken in before; nothing is said of the pair where that could not be read.
        crops, alignment
            What its crops hold, and whether its edges are those of the image, where somebody looked.

        Raises
        ------
        UnreadableMaskError
            When it holds more ids than a mask may, or more than there is memory for; nothing of it is kept then.
        """
        thin = thin_boxes(facts) if self._instances is not None and may_hold_instances(facts, self._instances) else None
        self._make_room(facts, len(thin or ()))
        ids = self._seen_ids.setdefault(facts.present, facts.present)  # few sets of ids recur in many files: keep one of each
        exact = facts.exact
        stored = facts.stored
        num_pixels = facts.num_pixels
        objects = numbered_ids_of(ids, facts.records, facts.shape[1]) if exact else None
        if stored is not None and stored.palette is not None:
            self._palettes.setdefault(stored.palette, []).append(len(self._records))
        if facts.colors is not None:
            self._painted.add(path, facts)
        self._records.append(FileRecord(path, facts.shape, ids, FrozenArray("q", num_pixels.tobytes()),
                                        stored.encoding if stored is not None else facts.dtype, exact, objects, facts.label_runs,
                                        FrozenArray("q", facts.frame_pixels.tobytes())))
        self._pixels += facts.pixels
        known = self._sums.get((ids, exact))
        if known is None:
            self._sums[ids, exact] = _Sum(1, num_pixels.copy())
            self._labels.update(ids)
        else:
            known.files += 1
            known.num_pixels += num_pixels
        for label, erosion in facts.erosion.items():
            self._erosion[label] = self._erosion[label].plus(erosion) if label in self._erosion else erosion
        if crops is not None:
            self._crops[path] = crops
        if thin is not None:
            self._wide.add(path)
            if thin:
                self._thin[path] = thin
        if image in self._images:
            self._pairs.append(PairFacts(path, image, facts.shape, self._images[image], ids if exact else (),
                                         mask_digest(facts) if exact else None))
        if alignment is not None:
            self._alignment[path] = alignment

    def _make_room(self, facts: MaskFacts, thin: int) -> None:
        """Count what will be kept of a mask, or refuse it."""
        ids = facts.present
        check_number_of_ids(len(ids))
        size = _ROW_BYTES * len(ids) + _THIN_BYTES * thin
        if ids not in self._seen_ids:
            size += _SET_BYTES * len(ids) + _SUM_BYTES * sum(label not in self._labels for label in ids)
        if self._kept + size > self._max_bytes:
            raise UnreadableMaskError(f"holds {count(len(ids), 'id')}, and the ids of the masks before it fill the "
                                      f"{self._max_bytes / 1e9:g} GB that there are for them; --max-memory (max_memory, in bytes) "
                                      "allows more, and so does looking at the folder in parts")
        self._kept += size

    def add_image(self, name: str, facts: ImageFacts | None) -> None:
        """Take in one image; None where it could not be read."""
        if facts is None:
            self.unreadable_images += 1
        else:
            self._images[name] = facts

    def build(self) -> DatasetFacts:
        """The facts of all that was taken in up to now; the same object as long as nothing was."""
        state = len(self._records), self.unreadable, len(self._images), self.unreadable_images
        if self._built is None or self._built[0] != state:
            self._built = state, self._build()
        return self._built[1]

    def _build(self) -> DatasetFacts:
        ids: dict[int, int] = {}
        files_with: dict[int, int] = {}
        for (labels, exact), total in self._sums.items():
            for label, number in zip(labels, total.num_pixels.tolist(), strict=True):
                ids[label] = ids.get(label, 0) + number
                if exact:
                    files_with[label] = files_with.get(label, 0) + total.files
        images = None
        if self._folder is not None:
            images = ImageSet(*self._folder, FrozenDict(self._images), tuple(self._pairs), self.unreadable_images)
        return replace(
            self._known, records=tuple(self._records), unreadable=self.unreadable, pixels=self._pixels, ids=FrozenDict(ids),
            files_with=FrozenDict(files_with), erosion=FrozenDict(self._erosion), images=images,
            instances=InstanceSet(bool(self._instances), frozenset(self._wide), FrozenDict(self._thin)),
            painted=self._painted.build(),
            palettes=FrozenDict({palette: tuple(places) for palette, places in self._palettes.items()}),
            alignment=AlignmentSet(FrozenDict(self._alignment)), training=replace(self._known.training, crops=FrozenDict(self._crops)))
