"""A file around a loss that the probe could not call: what is to be written for it, up to the line that only its user knows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from labelguard.lossprobe.supervisor.settings import ImportPath

_OWN = ("build", "criterion", "loss", "logits", "target")          # the names of the file itself
_LOGITS = ("input", "logit", "pred", "output", "score", "y_hat")   # beginnings of the names of parameters
_TARGET = ("target", "label", "mask", "gt", "ground_truth", "truth", "y_true")


def wrapper(loss: ImportPath, handshake: Mapping[str, Any], target_first: bool = False) -> str:
    """The lines of a file that builds the loss and calls it with logits and target; what nobody can know stands as ``...``.

    Parameters
    ----------
    loss
        What the worker imported.
    handshake
        What it said about it: the parameters that a call has to give, and whether the import path names the loss itself.
    target_first
        Whether the loss is known to take the target first.
    """
    module, _, name = loss.path.rpartition(":")
    first, *rest = name.split(".")
    arguments = [f"{key}={value!r}" for key, value in loss.arguments.items()]
    itself = handshake.get("is_itself", False)
    inputs = ["target", "logits"] if target_first else _inputs(handshake.get("parameters", ()))
    call = ", ".join([*inputs, *(arguments if itself else [])])
    known = f"original_{first}" if first in _OWN else first
    path = ".".join([known, *rest])
    made = path if itself else f"{path}({', '.join(arguments)})"
    takes = handshake.get("called", "logits (N, C, H, W), target")
    order = "target, logits" if takes.startswith("target") else "logits, target"
    source = Path(module).stem if module.endswith(".py") else module
    renamed = f" as {known}" if known != first else ""
    found = f"from {source} import {first}{renamed}" if source.replace(".", "").isidentifier() else (
        f'from importlib import import_module\n\n{known} = import_module("{source}").{first}')
    return f"""{found}


def build():
    criterion = {made}

    def loss({order}):  # {takes}{'' if target_first else ', which is ids (N, H, W)'}
        return criterion({call})  # as your training calls it

    return loss
"""


def wrapper_file(loss: ImportPath) -> str:
    """The path of that file: beside the loss, where nothing has that name, and not the module that it imports the loss from."""
    module, _, name = loss.path.rpartition(":")
    folder, own = (os.path.dirname(module), [Path(module).stem]) if module.endswith(".py") else ("", module.split("."))
    taken = {part.lower() for part in own}  # some file systems do not tell cases apart
    wanted = f"probe_{name.replace('.', '_').lower()}"
    for number in count(1):
        stem = wanted if number == 1 else f"{wanted}_{number}"
        path = os.path.join(folder, stem)
        if stem not in taken and not os.path.lexists(path) and not os.path.lexists(f"{path}.py"):
            return f"{path}.py"
    raise AssertionError  # there is always a next number


def missing_arguments(handshake: Mapping[str, Any]) -> str:
    """The options that give what a call has to give, where the call makes a loss."""
    return " ".join(f"--loss-arg {name}=VALUE" for name, _ in handshake.get("parameters", ()))


def _inputs(parameters: list[tuple[str, bool]]) -> list[str]:
    """Logits and target in their places among the parameters, by name where they have to be, and the others as ``...``."""
    values: dict[str, str] = {}
    for value, names in (("logits", _LOGITS), ("target", _TARGET)):
        known = [name for name, _ in parameters if name not in values and name.lower().startswith(names)]
        free = [name for name, by_name in parameters if name not in values and not by_name]
        if chosen := [*known, *free][:1]:
            values[chosen[0]] = value
    given: list[str] = []
    for name, by_name in parameters:
        named = by_name or name not in values or any("=" in other for other in given)
        given.append(f"{name}={values.get(name, '...')}" if named else values[name])
    return given or ["logits", "target"]
