"""Argument checks: each gives a value back as the plain type that it stands for, or says in a sentence what is wrong with it.

Whatever Python takes for a whole number is one here, numpy's integers included; what is kept is an int, so that reprs, pickles and files
stay plain. Truth values are not numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from math import isfinite
from numbers import Real
from operator import index
from typing import Any, TypeVar

from labelguard.errors import SpecError, UsageError
from labelguard.text import did_you_mean

StrPath = str | os.PathLike[str]
_Kind = TypeVar("_Kind")


def as_int(value: object) -> int | None:
    """The int that a value stands for; None where it is not a whole number."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def as_number(value: object) -> int | float | None:
    """The int, or the finite float, that a value stands for; None where it is not a number."""
    whole = as_int(value)
    if whole is not None or value is True or value is False or not isinstance(value, Real):
        return whole
    return float(value) if isfinite(value) else None


def whole_number(argument: str, value: object, *, least: int | None = None, error: type[UsageError] = UsageError) -> int:
    """A whole number, not below `least`."""
    number = as_int(value)
    if number is None or (least is not None and number < least):
        at_least = "" if least is None else f", at least {least}"
        raise error(f"{argument} is {value!r}; it must be a whole number{at_least}.", argument=argument)
    return number


def whole_numbers(argument: str, value: object, *, error: type[UsageError] = UsageError) -> tuple[int, ...]:
    """One whole number, or several."""
    several = as_int(value) is None and isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    items: Any = value if several else (value,)
    return tuple(whole_number(argument, item, error=error) for item in items)


def positive_number(argument: str, value: object, unit: str) -> int | float:
    """A number above 0, of some unit."""
    number = as_number(value)
    if number is None or number <= 0:
        raise UsageError(f"{argument} is {value!r}; it must be a number of {unit} above 0.", argument=argument)
    return number


def texts(argument: str, value: object, such_as: str, *, error: type[UsageError] = UsageError) -> tuple[str, ...]:
    """Several texts; a single one is refused, since its letters are hardly meant."""
    given = tuple(value) if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else (None,)
    if not all(isinstance(text, str) for text in given):
        raise error(f"{argument} is {value!r}; it must be {such_as}.", argument=argument)
    return tuple(map(str, given))


def checked_codes(argument: str, value: object) -> tuple[str, ...]:
    """Codes of checks: a text or a list of texts, each with one code or several with commas between them."""
    such_as = "codes or names of checks, such as ['LG1', 'empty-mask']"
    given = (value,) if isinstance(value, str) else texts(argument, value, such_as)
    return tuple(code.strip() for text in given for code in text.split(",") if code.strip())


def choice(argument: str, value: object, known: Iterable[str]) -> None:
    """Refuse what is not one of some texts."""
    if not isinstance(value, str) or value not in known:
        raise UsageError(f"{argument} is {value!r}; it must be one of {', '.join(known)}.", argument=argument)


def checked_path(argument: str, value: object, advice: str = "") -> StrPath:
    """The path of a file or a folder; `advice` says what to do instead of what is often given."""
    if not isinstance(value, (str, os.PathLike)):
        advice = advice and f" {advice}"
        raise UsageError(f"{argument} is {value!r}; it must be a path: a text or a pathlib.Path.{advice}", argument=argument)
    if "\0" in str(value):
        raise UsageError(f"{argument} is {str(value)!r}; no path holds a NUL character.", argument=argument)
    return value


def checked_paths(argument: str, value: object) -> tuple[StrPath, ...]:
    """One path, or several."""
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike))
    items: Any = value if several else (value,)
    return tuple(checked_path(argument, item) for item in items)


def paths_by_name(argument: str, value: object, such_as: str) -> dict[str, StrPath]:
    """A dictionary of paths by name."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"{argument} is {value!r}; it must be a dictionary of names and folders, such as {such_as}.", argument=argument)
    return {name: checked_path(f"{argument}[{name!r}]", folder) for name, folder in value.items()}


def keyword_arguments(argument: str, value: object) -> dict[str, Any]:
    """A dictionary of keyword arguments for somebody else's function."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"{argument} is {value!r}; it must be a dictionary such as {{'ignore_index': 255}}.", argument=argument)
    return dict(value)


def instance(argument: str, value: object, kind: type[_Kind], advice: str) -> _Kind:
    """A value of one of our own types; `advice` says how one is made."""
    if not isinstance(value, kind):
        raise UsageError(f"{argument} is {value!r}; it must be a {kind.__name__}: {advice}.", argument=argument)
    return value


def refuse_unknown(function: Callable[..., Any], given: Iterable[str], keywords: Iterable[str],
                   instead: Mapping[str, str] | None = None) -> None:
    """Refuse keyword arguments that a function does not take, in a sentence that names those it does.

    Parameters
    ----------
    function
        A function, or a class, that ends in ``**keywords``.
    given
        The names of what a call gave as keywords.
    keywords
        The names that it takes as keywords, beside those of its signature.
    instead
        What to write instead of some names that it does not take, as the end of a sentence.

    Raises
    ------
    TypeError
        As Python does, when an argument is not known.
    """
    keywords = tuple(keywords)
    for name in given:
        if name not in keywords:
            written_out = (part.name for part in signature(function).parameters.values() if part.kind is part.KEYWORD_ONLY
                           or part.kind is part.POSITIONAL_OR_KEYWORD)
            known = (*written_out, *keywords)
            from difflib import get_close_matches
            close = get_close_matches(name, known, 1)
            advice = (instead or {}).get(name) or (f"did you mean '{close[0]}'?" if close else "")
            raise TypeError(f"{function.__name__}() has no argument '{name}'{'; ' if advice else '.'}{advice} "
                            f"Its arguments are {', '.join(known)}.")


def refuse_unknown_keys(where: str, given: Iterable[str], known: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
    """Refuse keys that a table does not know.

    Parameters
    ----------
    where
        The table, as the sentence calls it.
    given
        Its keys.
    known
        Those that it may have.
    elsewhere
        What to say of some other keys, as a sentence.

    Raises
    ------
    SpecError
        When one is not known; the sentence names those that are, and what was probably meant.
    """
    known = sorted(known)
    for key in given:
        if key not in known:
            advice = f" {elsewhere[key]}" if elsewhere and key in elsewhere else did_you_mean(str(key), known)
            raise SpecError(f"{where}: unknown key '{key}'; known are {', '.join(known)}.{advice}")
