"""What the CUDA tests share: whether there is a device, notes of what was seen, probes, and programs in a process of their own.

Nothing here needs more than torch, numpy, Pillow and click: a machine with a GPU may have no pytest.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe import ImportPath, ProbeReport, Probing, Settings
from labelguard.lossprobe.mask_source import MaskArrays, MaskSource
from labelguard.spec.labelspec import LabelSpec

DEVICE = "cuda"
NOTES = "LABELGUARD_GPU_NOTES"     # the file that notes are appended to, one JSON object a line
_LOSSES = Path(__file__).with_name("losses.py")
_ASSERTION = re.compile(r"[^\n]*Assertion[^\n]*")
_PROGRAM = """
import json, sys
import torch
from torch.nn import functional
device, told = sys.argv[1], {}
try:
    exec(sys.argv[2])
    if device == "cuda":
        torch.cuda.synchronize()
except BaseException as error:
    told.update(raised=type(error).__module__ + "." + type(error).__name__, text=str(error).strip().split("\\n")[0])
    if hasattr(error, "error_code"):
        told["error_code"] = str(error.error_code)
sys.stdout.write("\\n" + json.dumps(told) + "\\n")
sys.stdout.flush()
"""


def there() -> bool:
    """Whether torch sees a CUDA device."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


needed = unittest.skipUnless(there(), "no CUDA device")


def note(topic: str, text: str) -> None:
    """Say what was seen; `make gpu-check` writes it to docs/gpu.md."""
    if os.environ.get(NOTES):
        with open(os.environ[NOTES], "a", encoding="utf-8") as notes:
            notes.write(json.dumps({"topic": topic, "text": text}) + "\n")


# Probes

def ours(name: str, **arguments: Any) -> ImportPath:
    """A loss or network of losses.py."""
    return ImportPath(f"{_LOSSES}:{name}", arguments)


def drawn(count: int, classes: int, height: int = 32, width: int = 48) -> list[NDArray[np.int64]]:
    """Masks of random ids."""
    return [np.random.default_rng(i).integers(0, classes, (height, width)) for i in range(count)]


def probe(masks: Sequence[NDArray[np.integer[Any]]] | MaskSource, loss: ImportPath, classes: int, model: ImportPath | None = None,
          images: Path | None = None, **settings: Any) -> ProbeReport:
    """Put masks through a loss on the device."""
    source = masks if isinstance(masks, MaskSource) else MaskArrays(masks)
    probing = Probing(source, [loss], LabelSpec(classes), Settings(**{"batch_size": 4, "device": "cuda", **settings}), model, images)
    for _ in probing:
        pass
    return probing.result()


# Programs in a process of their own

@dataclass(frozen=True)
class Ran:
    """What became of a program: its exit code, what it told (`raised`, `text`, ...), and the assertions on its standard error."""

    code: int
    told: dict[str, Any]
    assertions: tuple[str, ...]
    errors: str

    def __str__(self) -> str:
        parts = [f"exit code {self.code}"]
        if "raised" in self.told:
            parts.append(f"{self.told['raised']}: {self.told['text']}")
        parts += [f"{key} {value}" for key, value in self.told.items() if key not in ("raised", "text")]
        if self.assertions:
            parts.append(f"{len(self.assertions):,} assertion lines, the first: {self.assertions[0].strip()[-200:]}")
        elif self.code:
            parts.append(f"standard error ends with: {' '.join(self.errors.split())[-200:]}")
        return "; ".join(parts)


def program(code: str, timeout: float = 100, **environment: str) -> Ran:
    """Run code that finds `torch`, `functional`, `device`, and `told` to be filled."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM, DEVICE, code], capture_output=True, text=True, errors="replace", timeout=timeout,
                          env=os.environ | environment)
    last = (done.stdout.strip().splitlines() or ["{}"])[-1]
    return Ran(done.returncode, json.loads(last) if last.startswith("{") else {}, tuple(_ASSERTION.findall(done.stderr)), done.stderr)
