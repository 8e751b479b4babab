"""Each public word of the package has one meaning: no two modules define the same public name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import labelguard

PACKAGE = Path(labelguard.__file__).parent

# Names that say the same wherever they stand, since whoever uses the modules asks each of them for it.
ASKED_OF_EACH = {
    "a rule": {"rule", "check", "between", "why_not"},
    "a format": {"NAME", "SUFFIXES", "matches", "decode", "shape_of"},
    "a kernel": {"definition"},
    "a command": {"command"},
    "a report format": {"write", "write_findings", "write_facts"},
    "a family of explanations": {"families"},
    "a framework's adapter": {"Adapter"},
    "a way in": {"main"},
    "a stage on arrays, and on folders": {"remap", "resize"},
}


def public_names(source: str) -> Iterator[str]:
    """The names that a module defines at its top level, without those that begin with an underscore."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            written = (name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
            names = [name.id for name in written if isinstance(name.ctx, ast.Store)]  # `os` in ``os.environ["A"] = ...`` is not
        else:
            names = []
        yield from (name for name in names if not name.startswith("_"))


def defined_twice(modules: dict[str, str]) -> dict[str, list[str]]:
    """For each public name that several modules define, those modules."""
    homes: dict[str, list[str]] = defaultdict(list)
    for module, source in modules.items():
        for name in set(public_names(source)):
            homes[name].append(module)
    return {name: sorted(found) for name, found in sorted(homes.items()) if len(found) > 1}


def test_no_public_name_has_two_meanings() -> None:
    modules = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert len(modules) > 100
    known = set[str]().union(*ASKED_OF_EACH.values())
    assert {name: homes for name, homes in defined_twice(modules).items() if name not in known} == {}


@pytest.mark.parametrize("definition", ["def tally(): ...", "class tally: ...", "tally = 1", "tally: int = 1", "other, tally = 1, 2"])
def test_a_name_that_is_defined_twice_is_found(definition: str) -> None:
    assert defined_twice({"a": "def tally(): ...", "b": definition, "c": "_tally = 1\nfrom a import tally"}) == {"tally": ["a", "b"]}
