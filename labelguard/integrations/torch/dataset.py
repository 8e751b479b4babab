"""GuardedDataset: a torch data set whose masks go through a stage, with a rule for those that are rejected."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from torch.utils.data import Dataset, IterableDataset

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.integrations.torch.guarded import Guarded, count_rejection
from labelguard.integrations.torch.rejections import Rejection, Rejections, called, rejection_within
from labelguard.integrations.torch.sample import with_mask
from labelguard.spec.argument_checks import choice
from labelguard.stages import Stage
from labelguard.text import count

OnReject = Literal["raise", "skip", "replace"]

_MOST_TRIES = 1000


class GuardedDataset(Guarded, Dataset[Any]):  # type: ignore[misc, unused-ignore]  # without PyTorch at hand, Dataset is Any
    """A map-style data set whose masks go through a stage.

    Parameters
    ----------
    dataset
        Anything with ``__len__`` and ``__getitem__`` for the indices from 0 on.
    stage
        What each mask goes through. None: the data set applies stages itself, and only their rejections are handled here.
    on_reject
        What happens when a mask is rejected. ``"raise"``: `MaskRejectedError`, which names the sample. ``"skip"``: the sample is left out
        of its batch, which becomes smaller. ``"replace"``: the next sample that passes takes its place; the first follows the last.
    mask
        Where the mask is in a sample: an index into a tuple or list, a key of a dictionary, or the name of an attribute.
    name
        The names of the samples, such as the paths of their masks: one for each, or a function of the index. Without names, a sample is
        identified by its index alone.

    Attributes
    ----------
    rejections : Rejections
        What was rejected so far, in this process and in all DataLoader workers.

    Raises
    ------
    UsageError
        When an argument makes no sense; while a sample is read, when it has no mask in the place that `mask` names.

    Notes
    -----
    A batch is never empty, and a single index always gives a sample: where ``"skip"`` would have to leave out everything, it acts like
    ``"replace"`` for one sample. After 1000 rejected samples in a row, the search for a replacement ends with `MaskRejectedError`.

    Counts are kept in shared memory and written without a lock: a sample that two workers reject at the same instant may be counted once.
    A copy, by `copy.deepcopy` or `pickle`, starts with the counts of its original and then counts for itself.

    Examples
    --------
    >>> guarded = GuardedDataset(dataset, clean, on_reject="skip", name=dataset.masks)             # doctest: +SKIP
    >>> loader = DataLoader(guarded, batch_size=8, num_workers=4, shuffle=True)                    # doctest: +SKIP
    >>> print(guarded.rejections)                                                                  # doctest: +SKIP
    Sample 41 (SegmentationClass/2007_000187.png): ... (3 times)
    """

    record = np.dtype([("times", np.uint32), ("codes", "S44")])

    def __init__(self, dataset: Any, stage: Stage | None, on_reject: OnReject = "raise", mask: int | str = 1,
                 name: Sequence[object] | Callable[[int], object] | None = None) -> None:
        if stage is not None and not isinstance(stage, Stage):
            raise UsageError(f"stage is {stage!r}; it must be a stage, such as Validate(spec), or None.")
        choice("on_reject", on_reject, get_args(OnReject))
        if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__") or isinstance(dataset, IterableDataset):
            stream = " GuardedIterable takes a stream." if hasattr(dataset, "__iter__") else ""
            raise UsageError(f"{type(dataset).__qualname__} is not a map-style data set: it needs __len__ and __getitem__.{stream}")
        if name is not None and not callable(name) and len(name) != len(dataset):
            raise UsageError(f"There {'is' if len(name) == 1 else 'are'} {count(len(name), 'name')} for {count(len(dataset), 'sample')}.")
        self._guard(dataset, mask, name, max(1, len(dataset)))
        self.stage = stage
        self.on_reject = on_reject

    def __getitem__(self, index: int) -> Any:
        try:
            return self._load(index)
        except MaskRejectedError as rejected:
            if self.on_reject == "raise":
                raise
            return self._replacement(index, rejected)

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """The samples of a batch, as a DataLoader requests them; ``"skip"`` leaves samples out here."""
        if self.on_reject != "skip":
            return [self[index] for index in indices]
        samples, refused = [], None
        for index in indices:
            try:
                samples.append(self._load(index))
            except MaskRejectedError as rejected:
                refused = refused or (index, rejected)
        if not samples and refused is not None:
            samples.append(self._replacement(*refused))
        return samples

    def __repr__(self) -> str:
        named = "" if self.name is None else ", name=..."
        return f"GuardedDataset({self.dataset!r}, {self.stage!r}, on_reject={self.on_reject!r}, mask={self.mask!r}{named})"

    @property
    def rejections(self) -> Rejections:
        """What was rejected so far, in this process and in all DataLoader workers."""
        records = self._records
        return Rejections(tuple(
            Rejection(index, self._name_of(index), int(records[index]["times"]), tuple(records[index]["codes"].decode().split()))
            for index in np.flatnonzero(records["times"]).tolist()))

    def _load(self, index: int) -> Any:
        """The sample with its mask put through the stage; a rejection is counted, and raised with the name of the sample."""
        try:
            sample = self.dataset[index]
            return sample if self.stage is None else with_mask(sample, self.mask, self.stage)
        except Exception as problem:
            rejected = rejection_within(problem)
            if rejected is not None:
                raise self._counted(index, rejected) from None
            if isinstance(problem, TypeError):
                problem.add_note(f"This is {called(index, self._name_of(index)).lower()}.")
            raise

    def _counted(self, index: int, rejected: MaskRejectedError) -> MaskRejectedError:
        at = operator.index(index) % len(self)
        name = self._name_of(at)
        return count_rejection(self._records[at], rejected, at, name, name or rejected.name)

    def _replacement(self, index: int, rejected: MaskRejectedError) -> Any:
        """The next sample that passes."""
        tries = min(len(self) - 1, _MOST_TRIES)
        for step in range(1, tries + 1):
            try:
                return self._load((index + step) % len(self))
            except MaskRejectedError:
                continue
        raise MaskRejectedError(rejected.findings, f"{rejected.name}, like the {tries} after it," if tries else rejected.name)

    def _name_of(self, index: int) -> str:
        if self.name is None:
            return ""
        return str(self.name(index) if callable(self.name) else self.name[index])
