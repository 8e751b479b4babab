"""The house: few rooms in one order, no rings, small files, and rules that only their own room knows by code.

The table of rooms in docs/design.md is read here, so that it cannot tell another story than the imports do. Imports for types count.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from labelguard.checks.registry import all_rules

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ROOT / "labelguard"
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
FILES = sorted(HOUSE.rglob("*.py"))
MOST_ENTRIES = 20  # files and folders at the root; the empty marker py.typed aside
MOST_LINES = 300

Graph = dict[str, set[str]]


def module_of(path: Path) -> str:
    """``labelguard/facts/mask.py`` is ``labelguard.facts.mask``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    """``labelguard.facts.mask`` stands in the room ``facts``; the package itself in ``__init__``."""
    return module.split(".")[1] if "." in module else "__init__"


def imported_by(path: Path, modules: set[str]) -> Iterator[str]:
    """Every module of ours that a file imports, at its top, inside a function or for types only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if module in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@cache
def imports() -> Graph:
    """Who imports whom; `__init__`, which imports lazily, is left out."""
    modules = {module_of(path) for path in FILES}
    return {module_of(path): set(imported_by(path, modules)) & modules for path in FILES if path != HOUSE / "__init__.py"}


@cache
def rooms() -> list[list[str]]:
    """The rooms in the order of the table in docs/design.md, lowest first; those of one row stand side by side."""
    table = DESIGN[DESIGN.index("| room |"):].partition("\n\n")[0]
    return [re.findall(r"`(\w+?)(?:\.py|/)`", row.split("|")[1]) for row in table.splitlines()[2:]]


def rings(graph: Graph) -> list[list[str]]:
    """Groups of nodes that reach each other (Tarjan 1972, strongly connected components of more than one node)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        path.append(node)
        for other in graph.get(node, set()) - {node}:
            if other not in number:
                visit(other)
            if other in path:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            ring = path[path.index(node):]
            del path[path.index(node):]
            if len(ring) > 1:
                found.append(sorted(ring))

    for node in graph:
        if node not in number:
            visit(node)
    return found


def test_a_ring_is_found_where_there_is_one() -> None:
    assert rings({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set()}) == [["a", "b", "c"]]
    assert rings({"a": {"b", "c"}, "b": {"c"}, "c": {"c"}}) == []


def test_no_module_imports_itself_around_a_corner() -> None:
    assert len(imports()) > 100 and rings(imports()) == []


def test_no_room_imports_itself_around_a_corner() -> None:
    graph: Graph = {}
    for module, others in imports().items():
        graph.setdefault(room_of(module), set()).update(map(room_of, others))
    assert rings(graph) == []


def test_the_table_of_rooms_names_all_that_stands_at_the_root_and_nothing_else() -> None:
    there = {path.stem for path in HOUSE.iterdir() if path.name not in ("__pycache__", "py.typed")}
    named = [room for row in rooms() for room in row]
    assert len(named) == len(set(named)) and set(named) == there
    assert len(there) <= MOST_ENTRIES


def test_a_room_imports_only_what_stands_above_it_in_the_table() -> None:
    place = {room: at for at, row in enumerate(rooms()) for room in row}
    arrows = {(module, other) for module, others in imports().items() for other in others if room_of(module) != room_of(other)}
    assert not {(module, other) for module, other in arrows if place[room_of(other)] >= place[room_of(module)]}


def test_the_linter_is_told_the_same_order() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = settings["contracts"][0]["layers"]
    told = [sorted(layer.split(" | ")) for layer in reversed(layers)]
    assert told == [sorted(row) for row in rooms() if row != ["__init__"]]
    assert "exclude_type_checking_imports" not in settings


@pytest.mark.parametrize("path", [*FILES, *sorted(HOUSE.rglob("*.[ch]"))], ids=lambda path: path.relative_to(HOUSE).as_posix())
def test_a_file_is_short_enough_to_be_read_at_once(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_no_rule_is_known_by_its_code_outside_its_room() -> None:
    knowing = {path.relative_to(HOUSE).as_posix() for path in FILES
               if path.parent != HOUSE / "checks" and re.search(r"LG\d\d\d", path.read_text(encoding="utf-8"))}
    assert not knowing


def test_a_rule_knows_no_other_rule() -> None:
    rules = {rule.module for rule in all_rules()}
    assert len(rules) > 60 and not {(rule, other) for rule in rules for other in imports()[rule] & rules}


def test_what_one_looks_for_is_where_one_would_look() -> None:
    section = DESIGN.partition("## Where to look")[2].partition("\n## ")[0]
    places = [row.split("|")[2] for row in section.splitlines() if row.startswith("| ")][1:]
    named = [name for place in places for name in re.findall(r"`(\w+(?:/\w+)*(?:\.py|/))`", place)]
    assert len(places) >= 14 and not [name for name in named if not (HOUSE / name).exists()]
