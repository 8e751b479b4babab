"""The stages as functions of arrays: what they do, once, without an object.

A stage is made once and used for a whole set; these functions are for one array in hand. They take what stages take (numpy arrays, PIL
images, CPU tensors of shape (H, W); `colors_to_ids` takes pictures), leave it as it is, and give back new memory.
What they refuse raises `MaskRejectedError`, whose findings say why; arguments that make no sense raise `UsageError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import ColorsToIds, RejectEmpty, Remap, Resize, Validate
from labelguard.stages.colors_to_ids import ColorIds
from labelguard.stages.interop import as_mask
from labelguard.stages.merge_syntax import Moves
from labelguard.stages.resize import Ties

__all__ = ["colors_to_ids", "is_empty", "remap", "resize", "validate"]


def remap(labels: Any, shift: int = 0, merge: Moves = (), *, table: Moves | None = None, num_classes: int | None = None,
          ignore_index: int | Iterable[int] = (), names: Iterable[str] = ()) -> tuple[Any, dict[int, int]]:
    """Move ids by one whole table; the twin of `labelguard.Remap`.

    Parameters
    ----------
    labels
        (H, W), of any integer type.
    shift, merge, table, num_classes, ignore_index, names
        See `labelguard.Remap`.

    Returns
    -------
    remapped : ndarray or Tensor
        (H, W), of the type of `labels` where that holds the new ids.
    moves : dict
        Where each id of `labels` went, in ascending order of the ids.

    Raises
    ------
    MaskRejectedError
        When an id has no place in the result.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 1, 12, 255]], np.uint8)
    >>> remapped, moves = remap(labels, shift=-1, merge={0: "last"}, num_classes=12, ignore_index=255)
    >>> remapped
    array([[ 11,   0,  11, 255]], dtype=uint8)
    >>> moves
    {0: 11, 1: 0, 12: 11, 255: 255}
    """
    stage = Remap(shift, merge, table, num_classes, ignore_index, names)
    remapped = stage(labels)
    ids = (int(label) for label in _facts(labels).ids)
    return remapped, {label: moved for label in ids if (moved := stage.target(label)) is not None}


def colors_to_ids(picture: Any, colors: ColorIds, *, num_classes: int | None = None, ignore_index: int | Iterable[int] = (),
                  names: Iterable[str] = ()) -> Any:
    """Give each pixel the id of its color; the twin of `labelguard.ColorsToIds`.

    Parameters
    ----------
    picture
        (H, W, 3) of uint8, a PIL image, or a tensor of shape (3, H, W).
    colors, num_classes, ignore_index, names
        See `labelguard.ColorsToIds`.

    Returns
    -------
    ndarray or Tensor
        (H, W), of the smallest unsigned type that holds the ids.

    Raises
    ------
    MaskRejectedError
        When a color has no id.

    Examples
    --------
    >>> import numpy as np
    >>> colors_to_ids(np.array([[[0, 0, 0], [128, 0, 0]]], np.uint8), "voc")
    array([[0, 1]], dtype=uint8)
    """
    return ColorsToIds(colors, num_classes, ignore_index, names)(picture)


def resize(labels: Any, height: int | None = None, width: int | None = None, *, scale: float | None = None, ties: Ties = "lowest",
           keep: Mapping[int, float] | Sequence[tuple[int, float]] = (), num_classes: int | None = None,
           ignore_index: int | Iterable[int] = ()) -> Any:
    """Resize by exact area vote; the twin of `labelguard.Resize`.

    Parameters
    ----------
    labels
        (H, W), of any integer type.
    height, width, scale, ties, keep, num_classes, ignore_index
        See `labelguard.Resize`.

    Returns
    -------
    ndarray or Tensor
        (`height`, `width`), of the type of `labels`.

    Raises
    ------
    MaskRejectedError
        When `num_classes` is given and an id is neither a class nor ignored.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0, 0, 1, 1], [0, 2, 1, 1]], np.uint8), height=1, width=2)
    array([[0, 1]], dtype=uint8)
    """
    return Resize(height, width, ties, keep, scale, num_classes, ignore_index)(labels)


def validate(labels: Any, spec: LabelSpec, *, select: str | Iterable[str] = (), ignore: str | Iterable[str] = ()) -> tuple[Finding, ...]:
    """What is wrong with a mask; the twin of `labelguard.Validate`, which refuses where this tells.

    Parameters
    ----------
    labels
        (H, W), of any integer type. A `labelguard.Mask` is judged by how it lay on disk as well.
    spec
        What the ids mean.
    select, ignore
        See `labelguard.Validate`.

    Returns
    -------
    tuple of Finding
        Warnings and notes too; empty where nothing is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> [finding.name for finding in validate(np.array([[0, 1, 7]]), LabelSpec(num_classes=3))]
    ['out-of-range']
    """
    return Validate(spec, select, ignore).findings(as_mask(labels)[0])


def is_empty(labels: Any, min_foreground: float = 0.0, background: int = 0, ignore_index: int | Iterable[int] = ()) -> bool:
    """Whether a mask shows nothing, or too little; the twin of `labelguard.RejectEmpty`.

    Parameters
    ----------
    labels
        (H, W), of any integer type.
    min_foreground, background, ignore_index
        See `labelguard.RejectEmpty`.

    Examples
    --------
    >>> import numpy as np
    >>> is_empty(np.array([[0, 0, 255]]), ignore_index=255)
    True
    """
    return bool(RejectEmpty(min_foreground, background, ignore_index).findings(as_mask(labels)[0]))


def _facts(labels: Any) -> MaskFacts:
    return MaskFacts.of_labels(as_mask(labels)[0].labels)
