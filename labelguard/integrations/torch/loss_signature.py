"""What a loss says of itself: the names of its first two arguments, and the id that it skips."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch

from labelguard.errors import UsageError
from labelguard.spec.argument_checks import as_int

_OUR_NAMES = ("logits", "target")
_LABELS = ("target", "label", "mask", "gt", "ground_truth", "truth", "y_true")  # beginnings of the names of labels
_UNSET = -100  # what losses skip whose ignore_index nobody has chosen


def names_of_arguments(loss: Callable[..., Any]) -> tuple[str, str]:
    """The names that a loss has for logits and labels, its first two arguments; ours where it does not say."""
    try:
        parameters = inspect.signature(loss.forward if isinstance(loss, torch.nn.Module) else loss).parameters.values()
    except (ValueError, TypeError):  # no signature
        return _OUR_NAMES
    named = [parameter for parameter in parameters if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]
    if len(named) < 2:
        return _OUR_NAMES
    first, second = named[:2]
    swapped = first.kind is first.KEYWORD_ONLY and first.name.lower().startswith(_LABELS) and not second.name.lower().startswith(_LABELS)
    return (second.name, first.name) if swapped else (first.name, second.name)  # without places, the order says nothing


def find_arguments(names: tuple[str, str], args: tuple[Any, ...], kwargs: Mapping[str, Any],
                   ) -> tuple[dict[int | str, Any], tuple[int | str, int | str]]:
    """The arguments of a loss by their places, positions or names; and the places of the logits and of the labels.

    Raises
    ------
    UsageError
        When one of the two is missing.
    """
    given: dict[int | str, Any] = dict([*enumerate(args), *kwargs.items()])
    places: list[int | str] = []
    for position, (own, ours) in enumerate(zip(names, _OUR_NAMES, strict=True)):
        if position not in given and own not in given and ours in given:
            given[own] = given.pop(ours)
        place = next((place for place in (position, own) if place in given), None)
        if place is None:
            raise UsageError(f"The {('logits', 'labels')[position]} are missing: give logits and labels first, or by name as "
                             f"{names[0]}= and {names[1]}=.")
        places.append(place)
    return given, (places[0], places[1])


def skipped_by(loss: Callable[..., Any], given: int | None) -> int | None:
    """The id that a loss skips: what it says itself, which must equal what was given; otherwise what was given.

    A loss that says nothing may hold others that skip an id. Whether the whole does cannot be seen, and a warning says so.

    Raises
    ------
    UsageError
        When the loss says something else than what was given.
    """
    try:
        own: Any = loss.ignore_index if hasattr(loss, "ignore_index") else inspect.signature(loss).parameters["ignore_index"].default
    except (KeyError, ValueError, TypeError):  # no such argument, or no signature
        own = inspect.Parameter.empty
    if own is not None and as_int(own) is None:
        if given is None:
            _warn_of_parts(loss)
        return given
    if given is not None and given != own:
        raise UsageError(f"ignore_index is {given}, but the loss skips {'nothing' if own is None else own}: {given} would crash it. Give "
                         f"the loss ignore_index={given} as well.")
    return None if own is None else int(own)


def _warn_of_parts(loss: Callable[..., Any]) -> None:
    for part in loss.modules() if isinstance(loss, torch.nn.Module) else ():
        skipped = as_int(getattr(part, "ignore_index", None))
        if skipped is not None and skipped != _UNSET:
            warnings.warn(f"{type(part).__qualname__} inside of {type(loss).__qualname__} skips {skipped}; whether the whole loss does is "
                          f"not known, so {skipped} counts as a bad label. If it does, write GuardedLoss(..., ignore_index={skipped}).",
                          stacklevel=4)
            return
