"""In what a run differs from an earlier one over the same output folder, in words."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

_NOT_GIVEN = ("None", "()", "''", "")


def difference(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What was otherwise, as a part of a sentence: ``height was 256 and is 128``.

    Parameters
    ----------
    earlier, now
        What was done to the files, as a journal or a receipt records it; the first may have been written by anybody.
    """
    before, after = dict(_options(earlier)), dict(_options(now))
    if _steps(before) == _steps(after):
        changed = [f"{name.partition(' ')[2]} was {_shown(before.get(name, 'None'))} and is {_shown(after.get(name, 'None'))}"
                   for name in before | after if before.get(name) != after.get(name)]
    else:
        changed = [f"the steps were {_steps(before)} and are {_steps(after)}"]
    if earlier.get("part", "") != now.get("part", ""):
        changed.append(f"the masks to be changed were {_part(earlier)} and are {_part(now)}")
    return "; ".join(changed) or "another command"


def _options(work: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The options of each step, by the step's place and name and their own: ``1:Resize height``."""
    try:
        steps = [node for node in ast.walk(ast.parse(str(work.get("stages")), mode="eval")) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for place, step in enumerate(steps):
        for option in step.keywords:
            if not any(isinstance(node, ast.Call) for node in ast.walk(option.value)):
                yield f"{place}:{ast.unparse(step.func)} {option.arg}", ast.unparse(option.value)


def _steps(options: Mapping[str, str]) -> str:
    steps = [step.partition(":")[2] for step in dict.fromkeys(name.partition(" ")[0] for name in options)]
    return ", ".join(step for step in steps if step != "LabelSpec") or "others"


def _shown(value: str) -> str:
    return "not given" if value in _NOT_GIVEN else value if len(value) <= 60 else f"{value[:57]}..."


def _part(work: Mapping[str, Any]) -> str:
    """Which masks those were, without the digest of their names."""
    return str(work.get("part") or "all").rpartition(", names ")[0] or "all"
