"""LossSummary: what was done for one loss."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class LossSummary:
    """What was done for one loss.

    Parameters
    ----------
    loss
        The loss, with its arguments.
    input_format
        How it was called, in words.
    batches, worst, failed
        Training batches and worst batches that were run, and how many of both failed.
    passes, starts
        Forward and backward passes, and workers started.
    largest
        Masks in the largest batch that passed.
    handshake
        What the worker said about itself: `framework`, `device`, `python`, ...
    stopped
        Why not everything was probed; empty where it was.
    """

    loss: str
    input_format: str = ""
    batches: int = 0
    worst: int = 0
    failed: int = 0
    passes: int = 0
    starts: int = 0
    largest: int = 0
    handshake: dict[str, object] = field(default_factory=dict)
    stopped: str = ""
