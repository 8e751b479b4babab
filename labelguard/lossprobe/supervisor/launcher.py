"""Launcher: how worker processes are started. It can be replaced, as tests do to run losses without a framework."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelguard.errors import IncompleteError
from labelguard.lossprobe.supervisor.process import WorkerProcess
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from labelguard.text import reason

ADAPTERS = Path(__file__).parent.parent / "worker" / "adapters"


@dataclass(frozen=True)
class Launcher:
    """Starts workers.

    Parameters
    ----------
    adapters
        Folder with one adapter file for each framework, such as ``torch.py``, and the files that these import.
    """

    adapters: Path = ADAPTERS

    def launch(self, loss: ImportPath, model: ImportPath | None, settings: Settings) -> WorkerProcess:
        """Start a worker without waiting for its imports.

        Raises
        ------
        IncompleteError
            When the interpreter cannot be started.
        """
        init = {"op": "init", "adapter": str(self.adapters / f"{settings.framework}.py"), "device": settings.device, "amp": settings.amp,
                "sys_path": [os.getcwd()], "loss": _message(loss), "model": _message(model), "limit": settings.start_timeout}
        python = settings.python or sys.executable
        try:
            return WorkerProcess.start(python, init, settings.max_memory)
        except OSError as problem:
            raise IncompleteError(f"'{python}' cannot be started: {reason(problem)}. Give --python the path of an interpreter "
                                  "that has the framework.") from None


def _message(wanted: ImportPath | None) -> dict[str, Any] | None:
    return None if wanted is None else {"path": wanted.path, "arguments": dict(wanted.arguments)}
