"""Pipeline files: TOML to a Pipeline and back. The keys of a stage are its constructor's arguments; no list repeats them here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from labelguard.errors import SpecError, UsageError
from labelguard.spec.declarations import presets, read_preset
from labelguard.spec.labelspec import LabelSpec
from labelguard.spec.toml_file import read_toml
from labelguard.stages import ColorsToIds, Pipeline, RejectEmpty, Remap, Resize, Stage, Validate
from labelguard.stages.arguments import from_table, key_text, table_of, value_text
from labelguard.text import listed, reason

KINDS: dict[str, type[Stage]] = {"remap": Remap, "validate": Validate, "resize": Resize, "reject-empty": RejectEmpty,
                               "colors-to-ids": ColorsToIds}
ABOUT = ("name", "description", "source")  # what a file may say about itself
PROBE = "probe"                            # the table that says what the result is put through; read by `labelguard.lossprobe.stage`

_PACKAGE = Path(__file__).parent.parent
_FOLDERS = (_PACKAGE / "pipelines", _PACKAGE.parent / "pipelines")  # in an installed wheel; in a checkout
Made = TypeVar("Made")


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
        raise UsageError(f"'{name_or_path}' is neither a file nor a ready-made pipeline; ready-made are {listed(pipelines(), 50)}.")
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
            raise UsageError(f"{path}: {key_text(key)}: unknown key; a pipeline file has {listed(ABOUT)}, one [[stage]] for each stage, "
                             f"and perhaps a [{PROBE}] table.")
        if key in ABOUT and not isinstance(value, str):
            raise UsageError(f"{path}: {key}: it must be a text, not {value_text(value)}.")
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
    made: Made = from_table(cls, values, f"{path}: {name}", **_preset(values, f"{path}: {name}", "probe"))
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
    return "\n".join(_section("[[stage]]", {"kind": kinds[type(stage)], **table_of(stage)}) for stage in pipeline.stages)


def _content(path: str | Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except (OSError, ValueError) as problem:
        raise UsageError(f"{path} cannot be read as a pipeline: {reason(problem)}") from None


def _stage(content: Mapping[str, Any], where: str) -> Stage:
    values = dict(content)
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        given = "it is missing" if kind is None else f"there is no {value_text(kind)}"
        raise UsageError(f"{where}.kind: {given}; kinds are {listed(KINDS)}.")
    stage: Stage = from_table(KINDS[kind], values, where, **_preset(values, where) if KINDS[kind] is Validate else {})
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
        raise SpecError(f"{where}.preset: there is no preset {value_text(name)}; there are {listed(presets(), 50)}.")
    return {"spec": read_preset(name)}


def _section(head: str, values: Mapping[str, Any]) -> str:
    """Lines below a head, then the tables that belong to it."""
    lines = [head, *(f"{key_text(key)} = {value_text(value)}" for key, value in values.items() if not isinstance(value, dict))]
    tables = [_section(f"[{head.strip('[]')}.{key}]", value) for key, value in values.items() if isinstance(value, dict)]
    return "\n".join([*lines, "", *tables])
