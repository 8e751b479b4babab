"""What to do where the worker cannot import or build what it should."""

from __future__ import annotations

import os
import re
from pathlib import Path

from labelguard.lossprobe.supervisor.interpreter import install
from labelguard.lossprobe.supervisor.outcome import Step
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings

_UNEXPECTED = re.compile(r"unexpected keyword argument '(?P<name>\w+)'")
_NEAR = re.compile(r"has no attribute '(?P<name>\w+)'(?:; it has '(?P<near>\w+)')?$")
_NO_MODULE = re.compile(r"^No module named '(?P<module>[\w.]+)'")
_OWN_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+): (?!.*\(in \w+\)$)")  # and not a library's
_MISSING = re.compile(r"missing \d+ required [\w-]+(?: [\w-]+)? arguments?: (?P<names>.*)")


def how_to_load(what: str, wanted: ImportPath, step: Step, settings: Settings) -> str:
    """The fix, by what the worker said.

    Parameters
    ----------
    what
        ``framework``, ``loss``, ``model``, or ``import`` where the worker did not come to say.
    wanted
        The loss, or the network.
    step
        How it ended.
    settings
        Of the probe.
    """
    option = "--model" if what == "model" else "--loss"
    if "attempted relative import" in step.error and (found := as_module(wanted.path)):
        folder, path = found
        here = "" if folder == Path.cwd() else f" in the folder {folder}, from which it is imported"
        return f"The file belongs to a package and imports from it: give {option} {path}{here}."
    if missing := _MISSING.search(step.error):
        names = re.findall(r"'(\w+)'", missing["names"])
        return f"Give what is missing: {' '.join(f'{option}-arg {name}=VALUE' for name in names)}."
    if step.error_type == "SystemExit":
        return ("Move what leaves, or reads the command line, below `if __name__ == \"__main__\":`, so that the file can be imported; or "
                "write the loss into a file of its own.")
    if what == "framework" and "cuda" in step.error.lower():
        return ("The GPU is taken, full or reserved: --device cpu probes without it, and CUDA_VISIBLE_DEVICES=1 in the environment names "
                "another one.")
    python = settings.python or "this interpreter"
    if what == "framework" and (no := _NO_MODULE.match(step.error)):
        return f"{install(settings.python or 'python', no['module'].partition('.')[0])}, or name with --python an interpreter that has it."
    return _by_what_was_said(option, wanted, step) or (
        f"Check that {python} can import it from the current folder. --python names another interpreter, and {option}-arg passes "
        "arguments.")


def _by_what_was_said(option: str, wanted: ImportPath, step: Step) -> str:
    """The fix for a mistake in a name, an argument or a line of the user's; empty for anything else."""
    if (near := _NEAR.search(step.error)) and near["near"]:
        head, colon, name = wanted.path.rpartition(":")
        parts = [near["near"] if part == near["name"] else part for part in name.split(".")]
        return f"Did you mean {option} {head}{colon}{'.'.join(parts)}?"
    if (unexpected := _UNEXPECTED.search(step.error)) and (name := unexpected["name"]) in wanted.arguments:
        return f"Leave out {option}-arg {name}={wanted.arguments[name]}, or correct its name: there is no such argument."
    if (own := _OWN_LINE.match(step.source)) and not _NO_MODULE.match(step.error):
        return f"Correct line {own['line']} of {own['file'].removeprefix(os.getcwd() + os.sep)}."
    if wanted.arguments and step.error_type in ("TypeError", "ValueError", "RuntimeError"):
        given = " ".join(f"{option}-arg {name}={value}" for name, value in wanted.arguments.items())
        return f"Check what was given: {given}."
    return ""


def as_module(path: str) -> tuple[Path, str] | None:
    """The folder from which ``FILE.py:NAME`` can be imported as part of its package, and its path as a module; None for a module."""
    file, _, name = path.rpartition(":")
    if not file.endswith(".py"):
        return None
    folder = Path(file).resolve().parent
    parts = [Path(file).stem, folder.name]
    while (folder / "__init__.py").exists() and (folder.parent / "__init__.py").exists():
        folder = folder.parent
        parts.append(folder.name)
    return folder.parent, f"{'.'.join(reversed(parts))}:{name}"
