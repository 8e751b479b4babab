"""What a worker answers, as steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labelguard.lossprobe.supervisor.outcome import PixelGradient, Step
from labelguard.lossprobe.supervisor.process import WorkerGarbledError, WorkerProcess


def with_last_words(step: Step, worker: WorkerProcess) -> Step:
    """A step that left by `sys.exit`, with what was written before, as argparse does."""
    words = worker.last_words() if step.error_type == "SystemExit" else ""
    return replace(step, error=f"{step.error}, after it wrote '{words}'") if words else step


def step_of(answer: dict[str, Any]) -> Step:
    """The step that a message tells of.

    Raises
    ------
    WorkerGarbledError
        Where it is none.
    """
    names = ("regime", "status", "phase", "loss", "gradient", "bad_pixels", "error_type", "error", "source", "operation", "returned",
             "statistics")
    try:
        fields = {name: answer[name] for name in names if name in answer}
        for name in ("bad", "buffers"):
            if name in answer:
                fields[name] = tuple(answer[name])
        pixel = PixelGradient(**answer["pixel"]) if answer.get("pixel") else None
        return Step(**fields, pixel=pixel, nearest=tuple((place[0], place[1], place[2]) for place in answer.get("nearest", ())))
    except (TypeError, ValueError, LookupError):
        raise WorkerGarbledError from None
