"""Mutations: would the tests notice if the code were wrong? Each is tried in a copy of the checkout; the checkout itself is left alone.

    python -m tests.mutations                                  the list below
    python -m tests.mutations accounting resume                those of the list whose names begin so
    python -m tests.mutations --thresholds labelguard/checks   every number that a module names in capitals, a little more and a little less

A mutation is *killed* where a test fails, and *survives* where all pass. What survives is a gap in the tests, unless it changes nothing
that can be observed; the list says why where that is so.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LEFT_OUT = shutil.ignore_patterns(".*", "build", "*.egg-info")
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")


@dataclass(frozen=True)
class Mutation:
    """One wrong line.

    Parameters
    ----------
    name
        What is wrong then.
    file
        The file, from the root of the checkout.
    old, new
        A text that occurs once in the file, and what it becomes.
    tests
        The tests that should notice, from the root.
    equivalent
        Why nothing that can be observed changes; empty where something does.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str = ""


def mutations() -> tuple[Mutation, ...]:
    """The list: guards that never fire in a healthy run, corrections, and numbers of rules."""
    from tests.mutation_list import MUTATIONS
    return MUTATIONS


def thresholds(folder: Path) -> Iterator[Mutation]:
    """Every number in capitals of the modules of a folder, or of one module: an integer one more and one less, a float a tenth."""
    for path in sorted(folder.glob("*.py")) if folder.is_dir() else [folder]:
        lines = path.read_text(encoding="utf-8").splitlines()
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
                continue
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
            if not all(map(_CONSTANT.fullmatch, names)):
                continue
            for number in (node for node in ast.walk(statement.value) if isinstance(node, ast.Constant)):
                if type(number.value) not in (int, float):
                    continue
                line = lines[number.lineno - 1]
                for value in _near(number.value):
                    yield Mutation(f"{path.stem} {', '.join(names)}: {number.value:g} -> {value:g}", str(path.relative_to(ROOT)), line,
                                   line[:number.col_offset] + repr(value) + line[number.end_col_offset:], _tests_of(path))


def _near(number: float) -> tuple[float, float]:
    return (number - 1, number + 1) if isinstance(number, int) else (number * 0.9, number * 1.1)


def _tests_of(path: Path) -> tuple[str, ...]:
    """The test files of a module and of the modules of its room that import it; all of the room's where there are none."""
    room = path.relative_to(ROOT / "labelguard").parent
    name = re.compile(rf"\b{'.'.join(room.parts)}\.{path.stem}\b")
    users = [path.stem, *(other.stem for other in path.parent.glob("*.py") if name.search(other.read_text(encoding="utf-8")))]
    files = [Path("tests", room, f"test_{user.lstrip('_')}.py") for user in dict.fromkeys(users)]
    found = [str(file) for file in files if (ROOT / file).is_file()]
    return tuple(found or [str(Path("tests", room))])


def killed(mutation: Mutation, copy: Path) -> bool:
    """Whether a test fails in a copy of the checkout; the copy is as it was afterwards.

    Raises
    ------
    ValueError
        When the text to replace is not there exactly once, or the tests cannot be run.
    """
    path = copy / mutation.file
    whole = path.read_text(encoding="utf-8")
    if whole.count(mutation.old) != 1:
        raise ValueError(f"{mutation.file} holds the text of '{mutation.name}' {whole.count(mutation.old)} times; it must be there once.")
    path.write_text(whole.replace(mutation.old, mutation.new), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *mutation.tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    finally:
        path.write_text(whole, encoding="utf-8")
    if ended.returncode not in (0, 1):
        raise ValueError(f"the tests of '{mutation.name}' cannot be run: {ended.stdout[-500:]}{ended.stderr[-500:]}")
    return ended.returncode == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="beginnings of the names of mutations; all without any")
    parser.add_argument("--thresholds", action="append", type=Path, default=[], metavar="PATH", help="a folder or module of labelguard/")
    given = parser.parse_args()
    chosen = [each for path in given.thresholds for each in thresholds(path.resolve())]
    if not given.thresholds or given.names:
        chosen += [each for each in mutations() if not given.names or each.name.startswith(tuple(given.names))]
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(ROOT, Path(folder, "checkout"), ignore=_LEFT_OUT))
        for mutation in chosen:
            try:
                dead = killed(mutation, copy)
            except ValueError as problem:
                survivors += 1
                print(problem, flush=True)
                continue
            survivors += not dead and not mutation.equivalent
            said = "killed" if dead else f"equivalent: {mutation.equivalent}" if mutation.equivalent else "SURVIVED"
            print(f"{mutation.file}: {mutation.name}: {said}", flush=True)
    print(f"{len(chosen)} mutations, {survivors} survived")
    return min(survivors, 1)


if __name__ == "__main__":
    sys.exit(main())
