"""Resize: each cell of the result takes the id that covers the largest exact area of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from labelguard.checks.registry import findings_of_resize, rule_named
from labelguard.errors import UsageError
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.limits import MAX_BYTES, MAX_SIDE
from labelguard.files.memory import take
from labelguard.finding import Finding
from labelguard.kernels.factorize import factorize
from labelguard.spec.argument_checks import as_int, as_number
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.stage import Stage, reject_errors

Ties = Literal["lowest", "center"]
Shares = tuple[tuple[int, float], ...]
_FINEST = 10 ** 6
_LARGEST_SCALE = 1000


@dataclass(frozen=True, init=False)
class Resize(Stage):
    """Resize by exact area vote, at any ratio, down or up.

    Parameters
    ----------
    height, width
        Size of the result in pixels; both, or neither.
    ties
        Among ids of equal area: ``"lowest"`` takes the lowest, ``"center"`` the one nearest to the middle of the cell.
    keep
        Thin classes and the share of a cell from which on they take it, as in ``{7: 0.25}``.
    scale
        Instead of height and width: the factor by which both sides are multiplied, rounded to whole pixels.
    num_classes, ignore_index
        What the ids should be. Where the class count is given, other ids are refused before resizing, which would hide them.

    Raises
    ------
    UsageError
        When an argument makes no sense.

    Notes
    -----
    Equal to INTER_AREA on one-hot planes and argmax wherever there is no tie; see `labelguard.kernels.area_vote`.
    """

    resizes: ClassVar[bool] = True

    height: int | None = None
    width: int | None = None
    ties: Ties = "lowest"
    keep: Shares = ()
    scale: float | None = None
    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()

    def __init__(self, height: int | None = None, width: int | None = None, ties: Ties = "lowest",
                 keep: Mapping[int, float] | Sequence[tuple[int, float]] = (), scale: float | None = None,
                 num_classes: int | None = None, ignore_index: int | Iterable[int] = ()) -> None:
        height, width, scale = _checked_size(height, width, scale)
        if ties not in ("lowest", "center"):
            raise UsageError(f"ties is {ties!r}; it must be 'lowest' or 'center'.", argument="ties")
        spec = LabelSpec(num_classes, ignore_index)
        self._set(height=height, width=width, ties=ties, keep=_shares(keep), scale=scale, num_classes=spec.num_classes,
                  ignore_index=spec.ignore_index)

    def size(self, shape: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the result for a mask of a shape."""
        if self.scale is None:
            assert self.height is not None and self.width is not None
            return self.height, self.width
        factor = Fraction(str(self.scale))
        height, width = (max(1, int(side * factor + Fraction(1, 2))) for side in shape)
        return height, width

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """Ids that are refused; else the classes that the resize would lose."""
        before = MaskFacts.of_labels(mask.labels)
        refused = self._refused(before, mask.name)
        if refused:
            return refused
        found = findings_of_resize(before.counts, MaskFacts.of_labels(self._resized(mask.labels)).counts)
        return tuple(replace(finding, path=mask.name or None) for finding in found)

    def apply(self, mask: Mask) -> Mask:
        """The mask at its new size, in its type."""
        if self.num_classes is not None:
            reject_errors(self._refused(MaskFacts.of_labels(mask.labels), mask.name), mask)
        return Mask(self._resized(mask.labels), mask.name, mask.stored)

    def _refused(self, facts: MaskFacts, name: str) -> tuple[Finding, ...]:
        """Ids that are not classes, where those are known."""
        if self.num_classes is None:
            return ()
        check = rule_named("out-of-range").mask_check
        assert check is not None
        found = check(facts, LabelSpec(self.num_classes, self.ignore_index))
        return tuple(replace(finding, path=name or None) for finding in found)

    def _resized(self, labels: NDArray[np.integer]) -> NDArray[np.integer]:
        from labelguard.kernels.area_vote import area_vote
        codes, size, ids = factorize(labels, take)
        height, width = self.size((labels.shape[0], labels.shape[1]))
        take(height * width * (codes.itemsize + labels.itemsize))
        keep = self.keep
        if ids is not None:
            keep = tuple((int(np.searchsorted(ids, label)), share) for label, share in keep if label in ids)
        out: NDArray[np.integer] = area_vote(codes, height, width, size, _thresholds(keep, labels.size, size), self.ties == "center")
        return (out if ids is None else ids[out]).astype(labels.dtype, copy=False)


def _checked_size(height: int | None, width: int | None, scale: float | None) -> tuple[int | None, int | None, float | None]:
    """Height, width and scale as plain numbers; refuses a size that is missing, given twice, or no size."""
    if scale is None:
        rows, columns = _checked_side("height", height), _checked_side("width", width)
        if rows * columns > MAX_BYTES:
            raise UsageError(f"{rows} x {columns} pixels are {rows * columns:,}; a mask may have at most {MAX_BYTES:,}.", argument="height")
        return rows, columns, None
    if height is not None or width is not None:
        raise UsageError("Give height and width, or scale, not both.", argument="scale")
    factor = as_number(scale)
    if factor is None or not 0 < factor < _LARGEST_SCALE:
        raise UsageError(f"scale is {scale!r}; it must be a factor above 0 and below {_LARGEST_SCALE}, such as 0.5.", argument="scale")
    return None, None, factor


def _checked_side(name: str, value: int | None) -> int:
    if value is None:
        raise UsageError(f"{name} is missing: give height and width, or scale.", argument=name)
    pixels = as_int(value)
    if pixels is None or not 1 <= pixels <= MAX_SIDE:
        raise UsageError(f"{name} is {value!r}; it must be a number of pixels from 1 to {MAX_SIDE}.", argument=name)
    return pixels


def _shares(keep: object) -> Shares:
    """The shares of kept classes as sorted pairs."""
    given: object = tuple(keep.items()) if isinstance(keep, Mapping) else keep
    if not isinstance(given, (tuple, list)) or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in given):
        raise UsageError(f"keep is {keep!r}; it must be a dictionary such as {{7: 0.25}}.", argument="keep")
    pairs: list[tuple[int, float]] = []
    for label, share in given:
        kept, part = as_int(label), as_number(share)
        if kept is None or part is None or not 0 < part <= 1:
            raise UsageError(f"keep has {label!r}: {share!r}; write an id and a share above 0 and up to 1, such as 7: 0.25.",
                             argument="keep")
        pairs.append((kept, part))
    shares: Shares = tuple(sorted(pairs))
    for (label, share), (other, larger) in pairwise(shares):
        if label == other:
            raise UsageError(f"keep has {label} with {share} and with {larger}; give one share.", argument="keep")
    return shares


def parse_keep(text: str) -> tuple[int, float]:
    """``ID:FRACTION`` as on the command line, such as ``5:0.25``.

    Raises
    ------
    UsageError
        When it is something else.
    """
    label, _, share = text.partition(":")
    try:
        return int(label), float(share)
    except ValueError:
        raise UsageError(f"'{text}' does not say what to keep; write ID:FRACTION, such as 5:0.25.") from None


@lru_cache(maxsize=64)
def _thresholds(keep: Shares, cell: int, size: int) -> NDArray[np.int64]:
    """The area from which on each label takes a cell of this area; 0 for labels that vote like others."""
    thresholds = np.zeros(size, np.int64)
    for label, share in keep:
        if 0 <= label < size:
            thresholds[label] = max(1, ceil(Fraction(str(share)).limit_denominator(_FINEST) * cell))
    return thresholds
