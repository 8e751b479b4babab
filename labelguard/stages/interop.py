"""What stages take and give in a data loader: arrays, PIL images and torch tensors, out as they came in; no framework is imported."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.mask import Mask

_Labels = NDArray[np.integer]


def as_labels(labels: Any) -> tuple[_Labels, Callable[[_Labels], Any]]:
    """The labels as a read-only view, and what turns new labels into what the caller gave.

    Raises
    ------
    TypeError
        When `labels` is not a mask: integers of shape (H, W).
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(labels, torch.Tensor):
        return _from_tensor(labels)
    if isinstance(labels, Mask):  # as `labelguard.read` gives it
        labels = labels.labels
    if isinstance(labels, np.ndarray) or type(labels).__module__.partition(".")[0] == "PIL":
        array = _checked(np.asarray(labels), labels)
        return array, lambda new: _fresh(new, array)
    raise TypeError(f"A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is {_kind(labels)}.")


def _from_tensor(tensor: Any) -> tuple[_Labels, Callable[[_Labels], Any]]:
    if tensor.device.type != "cpu":
        raise TypeError(f"A mask must be a CPU tensor; this one is on {tensor.device}. Put stages into the loader, before the transfer.")
    planes = tensor.detach().numpy()
    alone = planes.ndim == 3 and len(planes) == 1  # (1, H, W), as torchvision's Mask of an image and MONAI's channel-first give it
    array = _checked(planes[0] if alone else planes, tensor)

    def close(new: _Labels) -> Any:
        result = sys.modules["torch"].from_numpy(_fresh(new, array))
        return _like(tensor, result[None] if alone else result)

    return array, close


def _like(tensor: Any, result: Any) -> Any:
    """A plain tensor as the kind of tensor that a library made; `result` itself where the kind is not known."""
    kind = type(tensor)
    if kind.__module__.startswith("torchvision."):
        return sys.modules["torchvision"].tv_tensors.wrap(result, like=tensor)
    if hasattr(kind, "copy_meta_from") and result.shape == tensor.shape:  # MONAI; what it knows of space is no longer true after a resize
        return result.as_subclass(kind).copy_meta_from(tensor)
    return result


def _checked(array: NDArray[Any], given: Any) -> _Labels:
    if array.dtype.kind not in "iub":
        raise TypeError(f"A mask must hold integers; this is {_kind(given)} of type {array.dtype}.")
    if array.ndim != 2 or 0 in array.shape:
        raise TypeError(f"A mask must have the shape (H, W); this is {_kind(given)} of shape {array.shape}.")
    view = array.astype(np.uint8) if array.dtype.kind == "b" else array.view()  # the truth of a PIL image is 255
    view.flags.writeable = False
    return view


def _fresh(new: _Labels, given: _Labels) -> _Labels:
    """A writable array of the given type where that holds the new ids; never the caller's memory."""
    limits = np.iinfo(given.dtype)
    holds = np.can_cast(new.dtype, given.dtype) or (limits.min <= int(new.min()) and int(new.max()) <= limits.max)
    dtype = given.dtype if holds else new.dtype
    made = new.dtype == dtype and isinstance(new.base, np.ndarray) and new.base.flags.writeable and not np.may_share_memory(new, given)
    if not made:
        return new.astype(dtype, copy=True)
    own = new.view()  # of an array that a stage has made, and that nobody else holds
    own.flags.writeable = True
    return own


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
