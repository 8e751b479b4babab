"""Class lists in Python files, as mmsegmentation and its kin keep them: read as text, never run.

Found are ``METAINFO = dict(classes=(...), palette=[...])`` and ``CLASSES = (...)`` with ``PALETTE = [...]``, at the top of a module or in
a class (mmsegmentation's documentation on custom data sets).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from labelguard.spec.class_files.class_list import ClassList, NotClassesError


def read_code(text: str) -> ClassList:
    """Classes from the assignments of a Python file.

    Raises
    ------
    NotClassesError
        When it is not Python, or holds no class list, or several.
    """
    try:
        module = ast.parse(text)
    except SyntaxError as problem:
        raise NotClassesError(f"line {problem.lineno} is not Python: {problem.msg}") from None
    found: dict[str, ClassList] = {}
    classes = ((node.name, node.body) for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    for where, body in (("the module", module.body), *classes):
        values = dict(_assigned(body))
        info = values.get("metainfo")
        values = {**values, **({str(key).lower(): value for key, value in info.items()} if isinstance(info, dict) else {})}
        if isinstance(values.get("classes"), (list, tuple)):
            palette = values.get("palette")
            found[where] = ClassList.in_order(list(values["classes"]), list(palette) if isinstance(palette, (list, tuple)) else ())
    if not found:
        raise NotClassesError("it assigns neither METAINFO nor CLASSES")
    if len(found) > 1:
        raise NotClassesError(f"it holds several class lists, in {', '.join(found)}: give a file with one of them")
    return next(iter(found.values()))


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, Any]]:
    """What is assigned to the names that hold class lists, by the name in lower case; constants only."""
    for statement in body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            continue
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            if isinstance(target, ast.Name) and target.id.lower() in ("metainfo", "classes", "palette"):
                yield target.id.lower(), _constant(statement.value)


def _constant(node: ast.expr) -> Any:
    """The value of a literal, calls of ``dict(...)`` included; None for anything that would have to be run."""
    try:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
            return {each.arg: _constant(each.value) for each in node.keywords if each.arg is not None}
        return ast.literal_eval(node)
    except ValueError:
        return None
