"""What stages take and give in a data loader: arrays, PIL images and torch tensors, out as they came in; no framework is imported."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.mask import Mask
from labelguard.files.colors import as_numbers

_Labels = NDArray[np.integer]


def as_mask(given: Any) -> tuple[Mask, Callable[[_Labels], Any]]:
    """A mask of a loader, its labels read-only, and what turns new labels into what the caller gave.

    A `Mask` keeps its name and storage. A PIL image that was opened from a file, and a tensor of MONAI, know their file: it is the name.

    Raises
    ------
    TypeError
        When `given` is not a mask: integers of shape (H, W).
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(given, torch.Tensor):
        return _from_tensor(given)
    if isinstance(given, Mask):  # as `labelguard.read` gives it
        labels = _checked(given.labels, given)
        return given, lambda new: _fresh(new, labels)
    if isinstance(given, np.ndarray) or type(given).__module__.partition(".")[0] == "PIL":
        array = _checked(np.asarray(given), given)
        return Mask(array, str(getattr(given, "filename", ""))), lambda new: _fresh(new, array)
    raise TypeError(f"A mask must be a numpy array, a labelguard.Mask, a PIL image or a torch tensor; this is {_kind(given)}."
                    f"{_hint(given)}")


def as_painted(given: Any) -> tuple[Mask, Callable[[_Labels], Any]]:
    """The colors of a picture of a loader as labels (see `labelguard.files.colors`), and what turns ids into what the caller gave.

    Raises
    ------
    TypeError
        When `given` is not a picture: (H, W, 3) or (H, W, 4) of uint8, (3, H, W) for tensors, or a PIL image.
    """
    if isinstance(given, Mask):
        return given, lambda new: new.copy()
    torch = sys.modules.get("torch")
    name = str(getattr(given, "filename", ""))
    if torch is not None and isinstance(given, torch.Tensor):
        if given.device.type != "cpu":
            raise TypeError(f"A mask must be a CPU tensor; this one is on {given.device}. Put stages into the loader, before the transfer.")
        planes = given.detach().numpy()
        if planes.ndim == 3 and len(planes) in (3, 4):
            planes = np.moveaxis(planes, 0, -1)
        return _colors(planes, given, name), lambda new: torch.from_numpy(new.copy())
    if type(given).__module__.partition(".")[0] == "PIL":
        if given.mode not in ("RGB", "RGBA", "P", "L", "1"):
            raise TypeError(f"The PIL image is of mode {given.mode}; colors are read from RGB, RGBA, P, L and 1.")
        planes = np.asarray(given if given.mode in ("RGB", "RGBA") else given.convert("RGB"))
    elif isinstance(given, np.ndarray):
        planes = given
    else:
        raise TypeError(f"Colors must be a numpy array, a PIL image or a torch tensor; this is {_kind(given)}.{_hint(given)}")
    return _colors(planes, given, name), lambda new: new.copy()


def _colors(planes: NDArray[Any], given: Any, name: str) -> Mask:
    if planes.dtype != np.uint8:
        raise TypeError(f"Colors must be of 8 bits; this is {_kind(given)} of type {planes.dtype}.")
    if planes.ndim != 3 or planes.shape[2] not in (3, 4) or 0 in planes.shape:
        raise TypeError(f"Colors must have the shape (H, W, 3); this is {_kind(given)} of shape {planes.shape}.")
    return Mask(as_numbers(planes), name)


def with_masks(inputs: tuple[Any, ...], clean: Callable[[Any], Any]) -> Any:
    """What a joint transform gives for its inputs: the same, with clean masks.

    Masks are what torchvision calls so (``tv_tensors.Mask``), among the inputs or in the one dictionary, tuple or list that they are. Of
    two inputs without any, the second is the mask.

    Raises
    ------
    TypeError
        When no mask is among them.
    """
    sample = inputs[0] if len(inputs) == 1 else inputs
    places = list(sample) if isinstance(sample, Mapping) else list(range(len(sample)))
    masks = [place for place in places if is_tv_mask(sample[place])]
    if not masks and len(inputs) == 2:
        masks = [1]
    if not masks:
        raise TypeError(f"No mask is among {', '.join(_kind(sample[place]) for place in places)}: give one mask, an image and its mask, or "
                        "inputs with a tv_tensors.Mask among them.")
    return exchange(sample, {place: clean(sample[place]) for place in masks})


def exchange(sample: Any, parts: Mapping[Any, Any]) -> Any:
    """A shallow copy of a dictionary, tuple or list with new values at some places."""
    if isinstance(sample, Mapping):
        changed: Any = copy.copy(sample)
        for key, value in parts.items():
            changed[key] = value
        return changed
    values = list(sample)
    for place, value in parts.items():
        values[place] = value
    kind: Any = type(sample)
    return kind._make(values) if hasattr(kind, "_make") else kind(values)


def is_sample(given: Any) -> bool:
    """Whether this is a sample of torchvision in one piece: a dictionary, tuple or list in which something is a ``tv_tensors.Mask``."""
    return isinstance(given, (Mapping, tuple, list)) and any(map(is_tv_mask, given.values() if isinstance(given, Mapping) else given))


def is_tv_mask(value: Any) -> bool:
    """Whether torchvision calls this a mask; torchvision is not imported for it."""
    library = sys.modules.get("torchvision.tv_tensors")
    return library is not None and isinstance(value, library.Mask)


def _from_tensor(tensor: Any) -> tuple[Mask, Callable[[_Labels], Any]]:
    if tensor.device.type != "cpu":
        raise TypeError(f"A mask must be a CPU tensor; this one is on {tensor.device}. Put stages into the loader, before the transfer.")
    planes = tensor.detach().numpy()
    alone = planes.ndim == 3 and len(planes) == 1  # (1, H, W), as torchvision's Mask of an image and MONAI's channel-first give it
    array = _checked(planes[0] if alone else planes, tensor)

    def close(new: _Labels) -> Any:
        result = sys.modules["torch"].from_numpy(_fresh(new, array))
        return _like(tensor, result[None] if alone else result)

    meta = getattr(tensor, "meta", None)  # of MONAI
    return Mask(array, str(meta.get("filename_or_obj", "")) if isinstance(meta, Mapping) else ""), close


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
    """A writable array, never the caller's memory.

    The type is the given one where that holds every value of the type of the new labels. What they hold is not looked at: a stage gives
    one type for all masks of a type, so that they can be stacked.
    """
    dtype = given.dtype if np.can_cast(new.dtype, given.dtype) else new.dtype
    made = new.dtype == dtype and isinstance(new.base, np.ndarray) and new.base.flags.writeable and not np.may_share_memory(new, given)
    if not made:
        return new.astype(dtype, copy=True)
    own = new.view()  # of an array that a stage has made, and that nobody else holds
    own.flags.writeable = True
    return own


def _hint(given: Any) -> str:
    """A way out for whoever gives a stage a whole sample."""
    return (" Give the stage the mask alone, as in stage(sample['mask']), or let GuardedDataset find it."
            if isinstance(given, (Mapping, tuple)) else "")


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
