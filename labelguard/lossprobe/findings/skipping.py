"""What to do where a loss does not skip an id that is declared as ignored."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, Step
from labelguard.lossprobe.supervisor.settings import ImportPath

_PLACE = re.compile(r"(?P<place>[^:]*:\d+): (?!.*\(in \w+\)$)")  # of the user's own, not of a library
_STAYS_NAN = ("Where the loss multiplies by a mask afterwards, 0 * inf is NaN again: select the other pixels before, or add an epsilon "
              "inside the logarithm or the division.")


def how_to_skip(label: int, loss: ImportPath, handshake: Mapping[str, Any], step: Step) -> str:
    """The fix, by what the loss can be told.

    Parameters
    ----------
    label
        The id.
    loss
        What the worker imported.
    handshake
        What it said about it; see worker/skipping.py.
    step
        What the loss made of such a pixel.
    """
    known: Mapping[str, Any] = handshake.get("skipping") or {"any": True}
    argument, attribute, part = (str(known.get(key) or "") for key in ("argument", "attribute", "part"))
    if argument and loss.arguments.get(argument) != label:
        return f"Tell the loss: --loss-arg {argument}={label}."
    has_it = bool(attribute) and known.get("value") == label
    if attribute and not argument and not has_it:
        return f"Give {part} {attribute}={label} where it is made."
    if known.get("any") and not argument and not has_it:
        return f"Tell the loss: --loss-arg ignore_index={label}, or whatever that argument is called."
    found = _PLACE.match(step.source)
    before = f"the line {found['place'].removeprefix(os.getcwd() + os.sep)}" if found else "a logarithm or a sum is taken"
    why = (f"{argument}={label} is not enough" if argument else f"{part} has {attribute}={label}, and that is not enough" if has_it else
           "The loss has no argument for an ignored id")
    tail = f" {_STAYS_NAN}" if step.status in NOT_FINITE else ""
    return f"{why}: inside the loss, leave pixels of {label} out before {before}.{tail}"
