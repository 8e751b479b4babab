"""Stage: what every stage can do; Pipeline: a stage that holds stages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.facts.mask import Mask
from labelguard.finding import Finding, Severity
from labelguard.stages.interop import as_mask, as_painted, is_sample, with_masks


class Stage(ABC):
    """One step on the road of a mask.

    Stages are frozen and picklable, hold plain values, and their ``repr`` builds them again. Arguments that make no sense fail when
    the stage is made. A stage never writes into what it is given.
    """

    moves_ids: ClassVar[bool] = False
    resizes: ClassVar[bool] = False
    reads_colors: ClassVar[bool] = False
    container: ClassVar[str] = ""

    @property
    def ignore_index(self) -> tuple[int, ...]:
        """The ids that are ignored after this stage, as far as it says."""
        return ()

    def _set(self, **values: Any) -> None:
        """Give the fields of a frozen stage their values. Constructors are written out, since they take more than fields hold:
        one ignored id for a tuple of one, a dictionary for pairs."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """What the stage finds wrong with a mask; with an error among it, `apply` refuses the mask."""

    @abstractmethod
    def apply(self, mask: Mask) -> Mask:
        """The mask after this stage.

        Raises
        ------
        MaskRejectedError
            When the stage refuses the mask; the findings are on the exception.
        """

    def target(self, label: int) -> int | None:
        """Where an id goes; None where it is refused."""
        return label

    def source_text(self, label: int) -> str:
        """What to call an id before this stage."""
        return str(label)

    def moved(self, pixels: Mapping[int, int]) -> Counter[int]:
        """The pixels of each id once their ids are moved; ids that are refused stay what they are."""
        moved: Counter[int] = Counter()
        for label, count in pixels.items():
            target = self.target(label)
            moved[label if target is None else target] += count
        return moved

    def whole_table(self, given: np.dtype[np.integer]) -> tuple[NDArray[np.int32], np.dtype[np.integer]] | None:  # noqa: ARG002
        """Where each id of an unsigned type goes, negative where it is refused, and the type of the result; None where the stage does
        more than such a table says."""
        return None

    def moved_palette(self, palette: bytes) -> bytes:
        """The colors of the ids of the result, given those of a palette file."""
        return palette

    def __call__(self, labels: Any, *more: Any) -> Any:
        """Put a mask of a data loader through the stage.

        Parameters
        ----------
        labels
            A mask of shape (H, W): numpy array of any integer type and strides, `labelguard.Mask`, PIL image (a palette image gives its
            indices), CPU torch tensor or ``tv_tensors.Mask``.
        *more
            As a joint transform of torchvision, a stage takes an image and its mask, or any inputs, or a dictionary, tuple or list of
            them, with a ``tv_tensors.Mask`` among them. It changes masks only: the image stays as it is, with `Resize` too.

        Returns
        -------
        ndarray or Tensor
            A fresh, writable array, or a tensor for a tensor. The integer type is kept where it holds every value of the type that the
            stage gives; it never depends on which ids a mask holds. For several inputs, or a sample in one piece: the same, with clean
            masks.

        Raises
        ------
        MaskRejectedError
            When the stage refuses the mask.
        TypeError
            When there is no mask.
        """
        if more or is_sample(labels):
            return with_masks((labels, *more), self)
        mask, restore_type = as_painted(labels) if self.reads_colors else as_mask(labels)
        return restore_type(self.apply(mask).labels)


@dataclass(frozen=True, init=False)
class Pipeline(Stage):
    """Stages in their order; a stage itself.

    Parameters
    ----------
    stages
        At least one.

    Examples
    --------
    >>> clean = Pipeline([Validate(LabelSpec(13)), Remap(shift=-1, merge={0: "last"}, num_classes=12)])
    >>> mask = clean(mask)                                                                   # doctest: +SKIP
    """

    stages: tuple[Stage, ...]

    def __init__(self, stages: Iterable[Stage]) -> None:
        given: tuple[object, ...] = tuple(stages) if isinstance(stages, Iterable) else (stages,)
        for stage in given:
            if not isinstance(stage, Stage):
                raise UsageError(f"A pipeline holds stages; {stage!r} is not a stage.")
        if not given:
            raise UsageError("A pipeline needs at least one stage.")
        for stage in given[1:]:
            if isinstance(stage, Stage) and stage.reads_colors:
                raise UsageError(f"{type(stage).__name__} reads colors, and the stages before it leave ids; put it first.")
        self._set(stages=given)

    @property
    def moves_ids(self) -> bool:  # type: ignore[override]
        """Whether a stage among them moves ids."""
        return any(stage.moves_ids for stage in self.stages)

    @property
    def resizes(self) -> bool:  # type: ignore[override]
        """Whether a stage among them resizes."""
        return any(stage.resizes for stage in self.stages)

    @property
    def reads_colors(self) -> bool:  # type: ignore[override]
        """Whether the first stage takes colors."""
        return self.stages[0].reads_colors

    @property
    def container(self) -> str:  # type: ignore[override]
        """The format that the first stage asks for."""
        return self.stages[0].container

    @property
    def ignore_index(self) -> tuple[int, ...]:
        """The ids that are ignored after all stages, as the last one says that moves any."""
        return next((stage.ignore_index for stage in reversed(self.stages) if stage.moves_ids), ())

    def source_text(self, label: int) -> str:
        """What the first stage calls an id."""
        return self.stages[0].source_text(label)

    def target(self, label: int) -> int | None:
        """Where an id goes through all stages; None where it is refused."""
        moved: int | None = label
        for stage in self.stages:
            moved = None if moved is None else stage.target(moved)
        return moved

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """The findings of all stages, each on the mask as the stages before it leave it; up to the first refusal."""
        found: list[Finding] = []
        for stage in self.stages:
            found.extend(stage.findings(mask))
            if any(finding.severity is Severity.ERROR for finding in found):
                break
            mask = stage.apply(mask)
        return tuple(found)

    def apply(self, mask: Mask) -> Mask:
        """The mask after all stages."""
        for stage in self.stages:
            mask = stage.apply(mask)
        return mask


def reject_errors(findings: Iterable[Finding], mask: Mask) -> None:
    """Raise `MaskRejectedError` where an error is among the findings."""
    found = sorted(findings, key=lambda finding: -finding.severity.rank)
    if found and found[0].severity is Severity.ERROR:
        raise MaskRejectedError(tuple(found), mask.name)
