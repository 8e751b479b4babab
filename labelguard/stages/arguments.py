"""Arguments in TOML: a table to the arguments of a constructor and back, as its type hints say.

cattrs was tried in its place and does less: a stage is typed by what its constructor takes (one id or several, pairs or a table), unions
that cattrs leaves to hooks, and hooks for these, for strict numbers and for ids as keys are what stands below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from labelguard.errors import UsageError
from labelguard.text import listed

_ID = re.compile(r"0|-?[1-9]\d*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def keys_of(cls: type[Any]) -> dict[str, Field[Any]]:
    """The arguments that a stage, or a LabelSpec, is made with: the keys that its table may have."""
    return {field.name: field for field in fields(cls) if field.init}


def from_table(cls: type[Any], values: Mapping[str, Any], where: str, **made: Any) -> Any:
    """A stage or a LabelSpec from its table.

    Parameters
    ----------
    cls
        A dataclass; the hints of its constructor say what each key takes.
    values
        The table as `tomllib` gives it.
    where
        The file and the path of the table, for errors.
    made
        Arguments that need no reading.

    Raises
    ------
    UsageError
        When a key is unknown, is missing, or has a value that makes no sense; the sentence begins with the path of the key.
    """
    hints, known = get_type_hints(cls.__init__), keys_of(cls)
    for key in values:
        if key not in known:
            raise UsageError(f"{where}.{key_text(key)}: unknown key; known are {listed(known, 50)}.")
    arguments = {key: _value(hints[key], value, f"{where}.{key}") for key, value in values.items()} | made
    for name, field in known.items():
        if field.default is MISSING and field.default_factory is MISSING and name not in arguments:
            raise UsageError(f"{where}.{name}: it is missing.")
    try:
        return cls(**arguments)
    except UsageError as problem:
        entry = "" if problem.entry is None else f".{key_text(problem.entry)}"
        raise type(problem)(f"{where}{'.' * bool(problem.argument)}{problem.argument}{entry}: {problem}") from None


def table_of(made: Any) -> dict[str, Any]:
    """What a stage or a LabelSpec was made with, as TOML knows it."""
    hints = get_type_hints(type(made).__init__)
    values = {name: getattr(made, name) for name, field in keys_of(type(made)).items() if getattr(made, name) != field.default}
    return {name: _as_table(hints[name], value) for name, value in values.items()}


def key_text(key: object) -> str:
    """A key as TOML writes it."""
    return str(key) if _BARE_KEY.fullmatch(str(key)) else value_text(str(key))


def value_text(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key_text(key)} = {value_text(item)}' for key, item in value.items())}}}"
    return str(value)


def _value(hint: Any, value: Any, where: str) -> Any:
    """A TOML value as the argument that a type hint describes."""
    fitting = [choice for choice in _choices(hint) if _fits(choice, value)]
    if not fitting:
        wanted = " or ".join(dict.fromkeys(map(_word, _choices(hint))))
        raise UsageError(f"{where}: it must be {wanted}, not {value_text(value)}.")
    hint, parts = fitting[0], get_args(fitting[0])
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return from_table(hint, value, where)
    if _is_list(hint) or get_origin(hint) is tuple:
        items = value if isinstance(value, list) else [value]
        kinds = [parts[0]] * len(items) if _is_list(hint) else parts
        return tuple(_value(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, items, strict=True)))
    if get_origin(hint) is Mapping:
        return {_entry(parts[0], key, where): _value(parts[1], item, f"{where}.{key_text(key)}") for key, item in value.items()}
    return value


def _entry(hint: Any, key: str, where: str) -> int | str:
    """The key of a table as an id; other texts stay what they are where the argument takes texts."""
    if _ID.fullmatch(key):
        return int(key)
    if hint is not Any and str not in _choices(hint):
        raise UsageError(f"{where}.{key_text(key)}: {value_text(key)} is not an id; write a whole number.")
    return key


def _choices(hint: Any) -> tuple[Any, ...]:
    """The types that a hint allows, but for None, which a file says by leaving the key out."""
    if get_origin(hint) not in (Union, UnionType):
        return (hint,)
    return tuple(choice for choice in get_args(hint) if choice is not NoneType)


def _is_list(hint: Any) -> bool:
    origin = get_origin(hint)
    return origin in (Iterable, Sequence) or (origin is tuple and get_args(hint)[-1] is Ellipsis)


def _fits(hint: Any, value: Any) -> bool:
    if hint is Any:
        return True
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return value in parts
    if _is_list(hint):
        return isinstance(value, list) or (get_origin(parts[0]) is not tuple and _fits(parts[0], value))  # one stands for a list of one
    if origin is tuple:
        return isinstance(value, list) and len(value) == len(parts)
    if origin is Mapping or is_dataclass(hint):
        return isinstance(value, dict)
    if isinstance(value, bool):
        return hint is bool
    return isinstance(value, (int, float) if hint is float else hint)


def _word(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join(value_text(part) for part in parts)
    if _is_list(hint):
        return "a list"
    if origin is tuple:
        return f"a list of {len(parts)}"
    return "a table" if origin is Mapping or is_dataclass(hint) else _WORDS[hint]


def _as_table(hint: Any, value: Any) -> Any:
    if is_dataclass(value):
        return table_of(value)
    return dict(value) if not isinstance(value, str) and any(get_origin(choice) is Mapping for choice in _choices(hint)) else value
