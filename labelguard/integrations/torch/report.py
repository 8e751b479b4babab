"""What is wrong with a batch of labels: counted on the device, copied to the host without waiting, and put into words here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from labelguard.checks.registry import rule_named
from labelguard.finding import Arguments, Finding, Fix


def where_bad(labels: torch.Tensor, num_classes: int, ignore_index: int | None) -> torch.Tensor:
    """Where labels are neither a class nor ignored; a boolean tensor."""
    bad = labels < 0
    bad |= labels >= num_classes
    if ignore_index is not None and not 0 <= ignore_index < num_classes:
        bad &= labels != ignore_index
    return bad


def all_legal(labels: torch.Tensor, num_classes: int, ignore_index: int | None) -> bool:
    """Whether `where_bad` would find nothing; waits for the device.

    It takes three passes over the labels where `where_bad` takes five. On a CPU each pass is distributed over threads, which on a busy
    machine costs many times as much as the pass itself.
    """
    kept = labels if ignore_index is None else torch.where(labels == ignore_index, 0, labels)
    low, high = torch.aminmax(kept)
    return bool(low >= 0) and bool(high < num_classes)


def pixel_records(bad: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """For each mask of a batch: how many labels are bad, the position of the first in row-major order, and its value.

    Shapes are fixed and no branch depends on values, so that nothing waits for the device.

    Returns
    -------
    torch.Tensor
        (N, 3) int64. For a mask without a bad label the last two mean nothing.
    """
    flat = bad.flatten(1)
    first = flat.view(torch.uint8).argmax(1, keepdim=True)  # of equal values, the first
    return torch.cat((flat.sum(1, keepdim=True), first, labels.flatten(1).gather(1, first)), 1)


def reads_later(labels: torch.Tensor) -> bool:
    """Whether reading a value from the device of the labels would make the host wait."""
    return bool(labels.is_cuda)


class BadMask(NamedTuple):
    """One mask of a batch with bad labels: how many, where the first is, and its value."""

    sample: int
    pixels: int
    row: int
    column: int
    label: int


@dataclass(slots=True)
class PendingCheck:
    """What one call of a GuardedLoss saw.

    Parameters
    ----------
    records
        The result of `pixel_records`, on the CPU; not to be read before it has `arrived`.
    event
        Set once the records are there; None where they were there from the beginning.
    step, width, names
        The number of the call, the width of its masks, and their names.
    bad
        The masks with bad labels; empty before `read`.
    """

    records: torch.Tensor
    event: Any
    step: int
    width: int
    names: Sequence[object] | torch.Tensor | None
    bad: tuple[BadMask, ...] = ()

    @classmethod
    def send(cls, records: torch.Tensor, step: int, width: int, names: Sequence[object] | torch.Tensor | None) -> PendingCheck:
        """Copy records to the host; only from CUDA does that take a while."""
        if not records.is_cuda:
            return cls(records.cpu(), None, step, width, names)
        home = torch.empty(records.shape, dtype=records.dtype, pin_memory=True).copy_(records, non_blocking=True)
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(records.device))
        return cls(home, event, step, width, names)

    @property
    def arrived(self) -> bool:
        """Whether reading it would not wait."""
        return self.event is None or bool(self.event.query())

    def read(self) -> PendingCheck:
        """Wait until the records have arrived, and fill in `bad`; returns the check itself."""
        if self.event is not None:
            self.event.synchronize()
        self.bad = tuple(BadMask(sample, pixels, at // self.width, at % self.width, label)
                         for sample, (pixels, at, label) in enumerate(self.records.tolist()) if pixels)
        return self

    def findings(self, num_classes: int, ignore_index: int | None) -> tuple[Finding, ...]:
        """One for each bad mask, in the order of the batch."""
        ignored, flag = "", Arguments()
        if ignore_index is not None:
            ignored, flag = f" nor ignored ({ignore_index})", ("--ignore-index", str(ignore_index))
        legal = f"{'neither' if ignored else 'not'} a class (0-{num_classes - 1}){ignored}"
        scan = ("labelguard", "scan", "MASKS", "--num-classes", str(num_classes), *flag)
        fix = Fix.advice("Find out why with '", scan, "', which names the cause.")
        names = self.names.tolist() if isinstance(self.names, torch.Tensor) else self.names

        rule = rule_named("out-of-range")

        def finding(mask: BadMask) -> Finding:
            name = None if names is None else str(names[mask.sample])
            which = f"the first of {mask.pixels:,} pixels that are {legal}" if mask.pixels > 1 else f"which is {legal}"
            where = f"Sample {mask.sample}{'' if name is None else f' ({name})'}"
            return rule.finding(f"{where} holds {mask.label} at row {mask.row}, column {mask.column}, {which}.",
                                path=name, ids=(mask.label,), pixels=mask.pixels, first=(mask.row, mask.column), fix=fix, says_where=True)

        return tuple(finding(mask) for mask in self.bad)
