"""Guarded: what GuardedDataset and GuardedIterable have in common."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from labelguard.errors import MaskRejectedError
from labelguard.integrations.torch.rejections import called, error_codes
from labelguard.integrations.torch.sample import check_place

_PASSED_ON = ("set_epoch", "state_dict", "load_state_dict", "n_shards", "num_shards")


class Guarded:
    """A data set in front of which a stage stands, and the counts of what was rejected, in memory that all workers share.

    What a training loop asks of a data set beside its samples is passed on: its length, its epoch, its state and its shards. Nothing
    else is: methods such as ``map`` and ``shuffle`` give a data set without the guard.
    """

    record: ClassVar[np.dtype[np.void]]  # of one sample: "times", "codes" and what finds it

    dataset: Any
    mask: int | str
    name: Any
    _shared: torch.Tensor

    def _guard(self, dataset: Any, mask: int | str, name: Any, records: int) -> None:
        check_place("mask", mask)
        self.dataset, self.mask, self.name = dataset, mask, name
        self._shared = torch.zeros(records * self.record.itemsize, dtype=torch.uint8).share_memory_()

    def __len__(self) -> int:
        return len(self.dataset)

    def __getattr__(self, name: str) -> Any:
        if name in _PASSED_ON:
            return getattr(self.dataset, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def _records(self) -> NDArray[np.void]:
        """The records of the samples; a view of the shared memory."""
        records: NDArray[np.void] = self._shared.numpy().view(self.record)
        return records


def count_rejection(record: np.void, rejected: MaskRejectedError, index: int, name: str, shown: str) -> MaskRejectedError:
    """Count a rejection in the record of its sample, and give it the name of the sample.

    Parameters
    ----------
    record
        One of `Guarded`.
    rejected
        What the stage raised.
    index, name
        The sample; without a name, the findings keep theirs.
    shown
        What the sample is called.
    """
    record["codes"] = error_codes(rejected)
    record["times"] += 1
    findings = rejected.findings if not name else tuple(dataclasses.replace(finding, path=name) for finding in rejected.findings)
    return MaskRejectedError(findings, called(index, shown))
