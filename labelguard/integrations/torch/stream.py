"""GuardedIterable: a stream of samples whose masks go through a stage."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.integrations.torch.guarded import Guarded, count_rejection
from labelguard.integrations.torch.rejections import Rejection, Rejections, called
from labelguard.integrations.torch.sample import check_place, part_of, with_mask
from labelguard.spec.argument_checks import choice
from labelguard.stages import Stage

_MOST_SAMPLES = 1000
_MOST_IN_A_ROW = 1000


class GuardedIterable(Guarded, IterableDataset[Any]):  # type: ignore[misc, unused-ignore]  # without PyTorch at hand, IterableDataset is Any
    """A stream of samples whose masks go through a stage.

    Parameters
    ----------
    dataset
        Anything that can be iterated over anew in each epoch: a `torch.utils.data.IterableDataset`, a streaming data set of Hugging Face, a
        WebDataset. It shares itself out among the workers of a loader, or does not, as it does without a guard.
    stage
        What each mask goes through.
    on_reject
        What happens when a mask is rejected. ``"raise"``: `MaskRejectedError`, which names the sample. ``"skip"``: the stream goes on
        with the next sample.
    mask
        Where the mask is in a sample: an index into a tuple or list, a key of a dictionary, or the name of an attribute.
    name
        Where its name is in a sample, such as ``"__key__"``, or a function of the sample. Without it, a sample is identified by its number
        in the stream, and by its worker.

    Attributes
    ----------
    rejections : Rejections
        What was rejected so far, in this process and in all DataLoader workers: a thousand samples; more are only counted.

    Raises
    ------
    UsageError
        When an argument makes no sense; while a sample is read, when it has nothing in the place that `mask` or `name` says.

    Notes
    -----
    The length is that of the stream, where it has one; what is skipped is not known beforehand. Epoch and state (``set_epoch``,
    ``state_dict``, ``load_state_dict``) are those of the stream too.

    A stage inside of the stream, as a function that it maps, ends the stream with its first rejection. After 1000 rejected samples in a
    row, ``"skip"`` ends with `MaskRejectedError`.

    Counts are kept in shared memory and written without a lock: a sample that two workers reject at the same instant may be counted once.

    Examples
    --------
    >>> guarded = GuardedIterable(stream, clean, on_reject="skip", mask="mask.png", name="__key__")  # doctest: +SKIP
    >>> loader = DataLoader(guarded, batch_size=8, num_workers=4)                                    # doctest: +SKIP
    """

    record = np.dtype([("times", np.uint32), ("index", np.uint64), ("codes", "S44"), ("name", "S200")])

    def __init__(self, dataset: Any, stage: Stage, on_reject: Literal["raise", "skip"] = "raise", mask: int | str = 1,
                 name: int | str | Callable[[Any], object] | None = None) -> None:
        super().__init__()
        if not isinstance(stage, Stage):
            raise UsageError(f"stage is {stage!r}; it must be a stage, such as Validate(spec).")
        if on_reject == "replace":  # type: ignore[comparison-overlap]
            raise UsageError("on_reject is 'replace', but a stream cannot look for another sample: take 'skip'.")
        choice("on_reject", on_reject, ("raise", "skip"))
        if name is not None and not callable(name):
            check_place("name", name)
        if not hasattr(dataset, "__iter__") or (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
                                                and not isinstance(dataset, IterableDataset)):
            raise UsageError(f"{type(dataset).__qualname__} is not a stream: GuardedDataset takes what has __len__ and __getitem__.")
        self._guard(dataset, mask, name, _MOST_SAMPLES + 1)  # the last one is for all others
        self.stage = stage
        self.on_reject = on_reject

    def __iter__(self) -> Iterator[Any]:
        in_a_row = 0
        for index, sample in enumerate(self.dataset):
            try:
                clean = with_mask(sample, self.mask, self.stage)
            except MaskRejectedError as rejected:
                in_a_row += 1
                known = self._counted(index, sample, rejected)
                if self.on_reject == "raise":
                    raise known from None
                if in_a_row > _MOST_IN_A_ROW:
                    raise MaskRejectedError(known.findings, f"{known.name}, like the {_MOST_IN_A_ROW} before it,") from None
                continue
            except TypeError as problem:
                problem.add_note(f"This is {called(index, self._name_of(sample)).lower()}.")
                raise
            in_a_row = 0
            yield clean

    def __bool__(self) -> bool:
        return True  # also without a length

    def __repr__(self) -> str:
        named = "" if self.name is None else f", name={self.name!r}"
        return f"GuardedIterable({self.dataset!r}, {self.stage!r}, on_reject={self.on_reject!r}, mask={self.mask!r}{named})"

    @property
    def rejections(self) -> Rejections:
        """What was rejected so far, in this process and in all DataLoader workers."""
        *records, rest = self._records
        return Rejections(tuple(sorted(
            (Rejection(int(record["index"]), record["name"].decode("utf-8", "replace"), int(record["times"]),
                       tuple(record["codes"].decode().split())) for record in records if record["times"]),
            key=lambda sample: (sample.index, sample.name))), int(rest["times"]))

    def _counted(self, index: int, sample: Any, rejected: MaskRejectedError) -> MaskRejectedError:
        name = self._name_of(sample) or rejected.name
        worker = get_worker_info()
        shown = name or ("" if worker is None else f"of worker {worker.id}")
        record = self._record_of(index, shown.encode("utf-8", "replace")[-200:], bool(name))
        return count_rejection(record, rejected, index, name, shown)

    def _record_of(self, index: int, name: bytes, is_unique: bool) -> np.void:
        """The record of a sample, found by its name, or else by its number and worker; the last record where no other is left."""
        records = self._records
        start = zlib.crc32(name if is_unique else name + str(index).encode())
        for step in range(_MOST_SAMPLES):
            record: np.void = records[(start + step) % _MOST_SAMPLES]
            if not record["times"]:
                record["index"], record["name"] = index, name
                return record
            if record["name"] == name and (is_unique or record["index"] == index):
                return record
        rest: np.void = records[_MOST_SAMPLES]
        return rest

    def _name_of(self, sample: Any) -> str:
        if self.name is None:
            return ""
        return str(self.name(sample) if callable(self.name) else part_of(sample, self.name, "name"))
