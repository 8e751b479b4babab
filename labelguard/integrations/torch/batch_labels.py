"""What a loss is given as its target: ids, or a plane for each class; and what of it is bad, told on its device without waiting for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from labelguard.errors import UsageError


@dataclass(frozen=True, slots=True, eq=False)
class BatchLabels:
    """A batch of labels on its way into a loss.

    Parameters
    ----------
    values
        Ids of shape (N, H, W), (N, 1, H, W) or, for volumes, (N, D, H, W) or (N, 1, D, H, W); or planes of shape (N, C, H, W) or
        (N, C, D, H, W), whose values say how much of a class a pixel is, from 0 to 1. Of any type of integers or floats.
    highest
        The highest legal value: ``num_classes - 1``, or 1 for planes. The lowest is 0. Ids are whole numbers.
    ignore_index
        The value that the loss skips; None where it skips nothing.
    planes
        Whether these are planes.
    """

    values: torch.Tensor
    highest: int
    ignore_index: int | None
    planes: bool

    @classmethod
    def of(cls, target: Any, logits: Any, num_classes: int, ignore_index: int | None) -> BatchLabels:
        """The target of a loss; its integers as int64, since 255 in a uint8 mask stays 255, and since what is skipped may be -100.

        Raises
        ------
        UsageError
            When it is not a batch of labels.
        """
        if not isinstance(target, torch.Tensor):
            raise UsageError(f"target is {type(target).__qualname__}; it must be a tensor of labels.")
        if target.is_complex():
            raise UsageError(f"target is {str(target.dtype).removeprefix('torch.')}; labels are integers, or floats with whole values.")
        planes = _holds_planes(tuple(target.shape), _shape_of(logits), num_classes)
        if not target.is_floating_point() and not (planes and target.dtype == torch.bool):  # which index with what they hold
            target = target.to(torch.int64)
        return cls(target, 1 if planes else num_classes - 1, ignore_index, planes)

    @property
    def axes(self) -> tuple[str, ...]:
        """What the numbers of a place within one sample count, such as ``("row", "column")``."""
        spatial = ("slice", "row", "column")[5 - self.values.ndim if self._has_channel else 4 - self.values.ndim:]
        return ("plane", *spatial) if self.planes else spatial

    @property
    def _has_channel(self) -> bool:
        return self.planes or self.values.ndim == 5 or (self.values.ndim == 4 and self.values.shape[1] == 1)

    @property
    def _more(self) -> int | None:
        """What is ignored and would be bad otherwise."""
        return None if self.ignore_index is None or 0 <= self.ignore_index <= self.highest else self.ignore_index

    def where_bad(self) -> torch.Tensor:
        """Where values are neither legal nor ignored; a boolean tensor."""
        values = self.values
        if values.is_floating_point():
            bad = ~((values >= 0) & (values <= self.highest))  # NaN is bad
            if not self.planes:
                bad |= values != values.floor()
        else:
            bad = values < 0
            bad |= values > self.highest
        if self._more is not None:
            bad &= values != self._more
        return bad

    def is_legal(self) -> bool:
        """Whether `where_bad` would find nothing; waits for the device.

        It takes three passes over integers where `where_bad` takes five. On a CPU each pass is distributed over threads, which on a busy
        machine costs many times as much as the pass itself.
        """
        values = self.values
        if values.dtype == torch.bool or not values.numel():
            return True
        if self._more is not None:
            values = torch.where(values == self._more, 0, values)
        low, high = torch.aminmax(values)
        within = bool(low >= 0) and bool(high <= self.highest)
        return within and (self.planes or not values.is_floating_point() or torch.equal(values, values.floor()))

    def without(self, bad: torch.Tensor) -> BatchLabels:
        """The target with the ignored value, or 0 where none is, in the place of bad values; a tensor of its own."""
        stand_in = 0 if self.ignore_index is None else self.ignore_index
        return replace(self, values=torch.where(bad, stand_in, self.values))

    def leaves_something(self, records: torch.Tensor) -> torch.Tensor:
        """Whether there is something to learn from a target `without` bad values; a boolean tensor without dimensions.

        There is where no value was bad. Otherwise there is where a loss that skips the stand-ins has something beside them.

        Parameters
        ----------
        records
            The result of `pixel_records`.
        """
        untouched: torch.Tensor = records[:, 0].sum() == 0
        return untouched if self.ignore_index is None else untouched | (self.values != self.ignore_index).any()


def pixel_records(bad: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """For each sample of a batch: how many values are bad, the position of the first in row-major order, and the value.

    Shapes are fixed and no branch depends on values, so that nothing waits for the device.

    Returns
    -------
    torch.Tensor
        (N, 3) int64. Where nothing is bad the last two mean nothing. Floats are there as the bits of a float32; see `value_of`.
    """
    flat = bad.flatten(1)
    first = flat.view(torch.uint8).argmax(1, keepdim=True)  # of equal values, the first
    value = values.flatten(1).gather(1, first)
    bits = value.to(torch.float32).view(torch.int32) if value.is_floating_point() else value
    return torch.cat((flat.sum(1, keepdim=True), first, bits.to(torch.int64)), 1)


def value_of(number: int, is_float: bool) -> float:
    """The value in a record."""
    return torch.tensor(number, dtype=torch.int32).view(torch.float32).item() if is_float else number


def reads_later(labels: torch.Tensor) -> bool:
    """Whether reading a value from the device of the labels would make the host wait."""
    return bool(labels.is_cuda)


def _holds_planes(shape: tuple[int, ...], logits: tuple[int, ...] | None, num_classes: int) -> bool:
    """Whether a target of a shape holds a plane for each class, not ids; what tells them apart is the shape of the logits."""
    if len(shape) == 3 or (len(shape) in (4, 5) and shape[1] == 1):
        return False
    if len(shape) == 4 and logits is not None and len(logits) == 5:
        return False
    if len(shape) in (4, 5) and logits is not None and len(logits) == len(shape) and shape[1] == logits[1] == num_classes:
        return True
    beside = "" if logits is None else f" beside logits of the shape {logits}"
    raise UsageError(f"target has the shape {shape}{beside}; it must be (N, H, W) or (N, 1, H, W), with a D before the H for volumes, or "
                     f"have a plane for each of the {num_classes} classes, as the logits do.")


def _shape_of(logits: Any) -> tuple[int, ...] | None:
    """The shape of the first tensor among what a network gives; None where there is none."""
    if isinstance(logits, torch.Tensor):
        return tuple(logits.shape)
    parts = logits.values() if isinstance(logits, Mapping) else logits if isinstance(logits, (tuple, list)) else ()
    return next((shape for part in parts if (shape := _shape_of(part)) is not None), None)
