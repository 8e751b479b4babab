"""What one call of a GuardedLoss saw: copied to the host without waiting for the device, and put into words here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from labelguard.checks.registry import rule_named
from labelguard.finding import Finding, Fix
from labelguard.integrations.torch.batch_labels import BatchLabels, value_of

_NOT_ARRIVED = -1


class BadMask(NamedTuple):
    """One mask of a batch with bad labels: how many, where the first is, and its value."""

    sample: int
    pixels: int
    place: tuple[int, ...]
    label: float


@dataclass(slots=True)
class PendingCheck:
    """What one call saw.

    Parameters
    ----------
    records
        The result of `pixel_records`, on the CPU; not to be read before it has `arrived`.
    event
        Set once the records are there; None where they were there from the beginning.
    step, names
        The number of the call, and the names of its samples.
    shape, axes, is_float, planes, ignore_index
        Of the target: what it measures without the batch, what its places count, what it holds, and what is skipped of it.
    """

    records: torch.Tensor
    event: Any
    step: int
    names: Sequence[object] | torch.Tensor | None
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    is_float: bool
    planes: bool
    ignore_index: int | None

    @classmethod
    def send(cls, records: torch.Tensor, target: BatchLabels, step: int, names: Sequence[object] | torch.Tensor | None) -> PendingCheck:
        """Copy records to the host; only from CUDA does that take a while."""
        about = (step, names, tuple(target.values.shape[1:]), target.axes, target.values.is_floating_point(), target.planes,
                 target.ignore_index)
        if not records.is_cuda:
            return cls(records.cpu(), None, *about)
        with torch.cuda.device(records.device):
            home = torch.full(records.shape, _NOT_ARRIVED, dtype=records.dtype, pin_memory=True).copy_(records, non_blocking=True)
            event = torch.cuda.Event()
            event.record(torch.cuda.current_stream(records.device))
        return cls(home, event, *about)

    @property
    def arrived(self) -> bool:
        """Whether reading it would not wait.

        Raises
        ------
        RuntimeError
            When the device is lost.
        """
        return self.event is None or bool(self.event.query())

    def wait(self) -> PendingCheck:
        """Wait until the records have arrived; returns the check itself.

        Raises
        ------
        RuntimeError
            When the device is lost.
        """
        if self.event is not None:
            self.event.synchronize()
        return self

    @property
    def is_whole(self) -> bool:
        """Whether the records came home, though the device may be lost by now."""
        return bool((self.records[:, 0] != _NOT_ARRIVED).all())

    def bad(self) -> tuple[BadMask, ...]:
        """The masks with bad labels."""
        return tuple(BadMask(sample, pixels, self._place(at), value_of(label, self.is_float))
                     for sample, (pixels, at, label) in enumerate(self.records.tolist()) if pixels)

    def _place(self, at: int) -> tuple[int, ...]:
        return tuple(int(number) for number in np.unravel_index(at, self.shape))[-len(self.axes):]

    def findings(self, num_classes: int) -> tuple[Finding, ...]:
        """One for each bad mask, in the order of the batch."""
        legal = "a share from 0 to 1" if self.planes else f"a class (0-{num_classes - 1})"
        ignored = "" if self.ignore_index is None else f" nor ignored ({self.ignore_index})"
        legal = f"{'neither' if ignored else 'not'} {legal}{ignored}"
        names = self.names.tolist() if isinstance(self.names, torch.Tensor) else self.names
        rule, fix = rule_named("out-of-range"), _fix(num_classes, self.ignore_index)

        def finding(mask: BadMask) -> Finding:
            name = None if names is None else str(names[mask.sample])
            which = f"the first of {mask.pixels:,} {'values' if self.planes else 'pixels'} that are {legal}" if mask.pixels > 1 \
                else f"which is {legal}"
            whole = isinstance(mask.label, int) or mask.label.is_integer()
            at = ", ".join(f"{axis} {number}" for axis, number in zip(self.axes, mask.place, strict=True))
            sample = f"Sample {mask.sample}{'' if name is None else f' ({name})'}"
            return rule.finding(f"{sample} holds {int(mask.label) if whole else f'{mask.label:.6g}'} at {at}, {which}.",
                                path=name, ids=(int(mask.label),) if whole else (), pixels=mask.pixels,
                                first=(mask.place[-2], mask.place[-1]), fix=fix, says_where=True)

        return tuple(map(finding, self.bad()))


def _fix(num_classes: int, ignore_index: int | None) -> Fix:
    flag = () if ignore_index is None else ("--ignore-index", str(ignore_index))
    scan = ("labelguard", "scan", "MASKS", "--num-classes", str(num_classes), *flag)
    told = " Where the loss skips an id, and does not say so by an attribute of its own, tell GuardedLoss by ignore_index." \
        if ignore_index is None else ""
    return Fix.advice("Find out why with '", scan, f"', which names the cause.{told}")
