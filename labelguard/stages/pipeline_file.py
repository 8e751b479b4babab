"""Pipeline files: TOML to a Pipeline and back. The keys of a stage are its constructor's arguments; no list repeats them here."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from labelguard.errors import SpecError, UsageError
from labelguard.spec.declarations import presets, read_preset
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, RejectEmpty, Remap, Resize, Stage, Validate
from labelguard.text import listed

KINDS: dict[str, type[Stage]] = {"remap": Remap, "validate": Validate, "resize": Resize, "reject-empty": RejectEmpty}
ABOUT = ("name", "description", "source")  # what a file may say about itself
PROBE = "probe"                            # the table that says what the result is put through; read by `labelguard.lossprobe.stage`

_PACKAGE = Path(__file__).parent.parent
_FOLDERS = (_PACKAGE / "pipelines", _PACKAGE.parent / "pipelines")  # in an installed wheel; in a checkout
_ID = re.compile(r"0|-?[1-9]\d*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
Made = TypeVar("Made")

_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def pipelines() -> dict[str, Path]:
    """The ready-made pipeline files that come with labelguard, by name."""
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_pipeline(name_or_path: str | Path) -> Path:
    """The file of a ready-made pipeline, or one's own; where both exist, a name means the ready-made one.

    Raises
    ------
    UsageError
        When it is neither; the sentence lists the ready-made ones.
    """
    ready = pipelines().get(str(name_or_path))
    if ready is not None:
        return ready
    path = Path(name_or_path)
    if not path.is_file():
        raise UsageError(f"'{name_or_path}' is no file and no ready-made pipeline; ready-made are {listed(pipelines(), 50)}.")
    return path


def read_pipeline(path: str | Path) -> Pipeline:
    """Read a pipeline file.

    Raises
    ------
    UsageError
        When the file cannot be read, or a key is unknown or its value makes no sense. The sentence begins with the file and the
        path of the key, such as ``street.toml: stage[1].height:``; stages are counted from 0.
    """
    content = _content(path)
    for key, value in content.items():
        if key not in ("stage", PROBE, *ABOUT):
            raise UsageError(f"{path}: {_key(key)}: unknown key; a pipeline file has {listed(ABOUT)}, one [[stage]] for each stage, and "
                             f"perhaps a [{PROBE}] table.")
        if key in ABOUT and not isinstance(value, str):
            raise UsageError(f"{path}: {key}: it must be a text, not {_text(value)}.")
    stages = content.get("stage", [])
    if not isinstance(stages, list) or not all(isinstance(stage, dict) for stage in stages):
        raise UsageError(f"{path}: stage: begin every stage with [[stage]], in two brackets.")
    if not stages:
        raise UsageError(f"{path}: stage: there is none; begin every stage with [[stage]].")
    return Pipeline(tuple(_stage(stage, f"{path}: stage[{i}]") for i, stage in enumerate(stages)))


def read_table(path: str | Path, name: str, cls: type[Made]) -> Made | None:
    """A table of a pipeline file, as the arguments of a class; None where the file has no such table.

    Raises
    ------
    UsageError
        As `read_pipeline`.
    """
    table = _content(path).get(name)
    if table is None:
        return None
    if not isinstance(table, dict):
        raise UsageError(f"{path}: {name}: it must be a table; write [{name}].")
    values = dict(table)
    made: Made = _build(cls, values, f"{path}: {name}", **_preset(values, f"{path}: {name}", "probe"))
    return made


def write_pipeline(pipeline: Pipeline) -> str:
    """The text of a pipeline file that reads back to an equal pipeline; arguments at their defaults are left out.

    Raises
    ------
    UsageError
        When it holds a stage that has no name in pipeline files.
    """
    kinds = {cls: kind for kind, cls in KINDS.items()}
    for stage in pipeline.stages:
        if isinstance(stage, Pipeline):
            raise UsageError("A file cannot hold a pipeline inside a pipeline; list the stages of both one after the other.")
        if type(stage) not in kinds:
            raise UsageError(f"{stage!r} cannot be written; a file can hold the stages {listed(KINDS)}.")
    return "\n".join(_section("[[stage]]", {"kind": kinds[type(stage)], **_arguments(stage)}) for stage in pipeline.stages)


def keys_of(cls: type[Any]) -> dict[str, Field[Any]]:
    """The arguments that a stage, or a LabelSpec, is made with: the keys that its table may have."""
    return {field.name: field for field in fields(cls) if field.init}


# ---------------------------------------------------------------------------------------------------------------- reading

def _content(path: str | Path) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as problem:
        raise UsageError(f"{path} cannot be read as a pipeline: {problem}") from None


def _stage(content: Mapping[str, Any], where: str) -> Stage:
    values = dict(content)
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        given = "it is missing" if kind is None else f"there is no {_text(kind)}"
        raise UsageError(f"{where}.kind: {given}; kinds are {listed(KINDS)}.")
    stage: Stage = _build(KINDS[kind], values, where, **_preset(values, where) if KINDS[kind] is Validate else {})
    return stage


def _preset(values: dict[str, Any], where: str, table: str = "stage") -> dict[str, LabelSpec]:
    """The spec of a preset, which `values` may name instead of giving a spec; the key is taken out of them."""
    if "preset" not in values:
        if "spec" not in values:
            raise UsageError(f"{where}.spec: it is missing; say what the ids mean in [{table}.spec], or give preset = \"voc\" or another.")
        return {}
    if "spec" in values:
        raise UsageError(f"{where}.preset: give spec or preset, not both.")
    name = values.pop("preset")
    if not isinstance(name, str) or name not in presets():
        raise SpecError(f"{where}.preset: there is no preset {_text(name)}; there are {listed(presets(), 50)}.")
    return {"spec": read_preset(name)}


def _build(cls: type[Any], values: Mapping[str, Any], where: str, **made: Any) -> Any:
    """A stage or a LabelSpec from its table; `made` are arguments that need no reading."""
    hints, known = get_type_hints(cls.__init__), keys_of(cls)
    for key in values:
        if key not in known:
            raise UsageError(f"{where}.{_key(key)}: unknown key; known are {listed(known, 50)}.")
    arguments = {key: _value(hints[key], value, f"{where}.{key}") for key, value in values.items()} | made
    for name, field in known.items():
        if field.default is MISSING and field.default_factory is MISSING and name not in arguments:
            raise UsageError(f"{where}.{name}: it is missing.")
    try:
        return cls(**arguments)
    except UsageError as problem:
        raise type(problem)(f"{where}{_culprit(cls, arguments, str(problem))}: {problem}") from None


def _culprit(cls: type[Any], arguments: Mapping[str, Any], sentence: str) -> str:
    """The key that makes the arguments impossible: the one that the sentence begins with, or else the one without which they are not."""
    for name in keys_of(cls):
        if sentence.startswith(f"{name} "):
            return f".{name}"
    for key, value in sorted(arguments.items(), key=lambda argument: not isinstance(argument[1], dict)):  # tables first
        others = {name: other for name, other in arguments.items() if name != key}
        if not _possible(cls, others):
            continue
        if isinstance(value, dict) and _possible(cls, {**others, key: {}}):
            for entry, target in value.items():
                if not _possible(cls, {**others, key: {entry: target}}):
                    return f".{key}.{_key(entry)}"
        return f".{key}"
    return ""


def _possible(cls: type[Any], arguments: Mapping[str, Any]) -> bool:
    try:
        cls(**arguments)
    except (UsageError, TypeError):  # a TypeError: an argument is missing
        return False
    return True


def _value(hint: Any, value: Any, where: str) -> Any:
    """A TOML value as the argument that a type hint describes."""
    fitting = [choice for choice in _choices(hint) if _fits(choice, value)]
    if not fitting:
        wanted = " or ".join(dict.fromkeys(map(_word, _choices(hint))))
        raise UsageError(f"{where}: it must be {wanted}, not {_text(value)}.")
    hint, parts = fitting[0], get_args(fitting[0])
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return _build(hint, value, where)
    if _is_list(hint) or get_origin(hint) is tuple:
        items = value if isinstance(value, list) else [value]
        kinds = [parts[0]] * len(items) if _is_list(hint) else parts
        return tuple(_value(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, items, strict=True)))
    if get_origin(hint) is Mapping:
        return {_entry(parts[0], key, where): _value(parts[1], item, f"{where}.{_key(key)}") for key, item in value.items()}
    return value


def _entry(hint: Any, key: str, where: str) -> int | str:
    """The key of a table as an id; other texts stay what they are where the argument takes texts."""
    if _ID.fullmatch(key):
        return int(key)
    if hint is not Any and str not in _choices(hint):
        raise UsageError(f"{where}.{_key(key)}: {_text(key)} is no id; write a whole number.")
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
        return " or ".join(_text(part) for part in parts)
    if _is_list(hint):
        return "a list"
    if origin is tuple:
        return f"a list of {len(parts)}"
    return "a table" if origin is Mapping or is_dataclass(hint) else _WORDS[hint]


# ---------------------------------------------------------------------------------------------------------------- writing

def _arguments(made: Any) -> dict[str, Any]:
    """What a stage or a LabelSpec was made with, as TOML knows it."""
    hints = get_type_hints(type(made).__init__)
    values = {name: getattr(made, name) for name, field in keys_of(type(made)).items() if getattr(made, name) != field.default}
    return {name: _as_table(hints[name], value) for name, value in values.items()}


def _as_table(hint: Any, value: Any) -> Any:
    if is_dataclass(value):
        return _arguments(value)
    return dict(value) if any(get_origin(choice) is Mapping for choice in _choices(hint)) else value


def _section(head: str, values: Mapping[str, Any]) -> str:
    """Lines below a head, then the tables that belong to it."""
    lines = [head, *(f"{_key(key)} = {_text(value)}" for key, value in values.items() if not isinstance(value, dict))]
    tables = [_section(f"[{head.strip('[]')}.{key}]", value) for key, value in values.items() if isinstance(value, dict)]
    return "\n".join([*lines, "", *tables])


def _key(key: object) -> str:
    return str(key) if _BARE_KEY.fullmatch(str(key)) else _text(str(key))


def _text(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_text(item)}' for key, item in value.items())}}}"
    return str(value)
