"""What to probe: losses, the batches that training will form, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from labelguard.errors import UsageError

DEVICES = ("auto", "cuda", "cpu")
PRECISIONS = ("fp32", "fp16", "bf16")
FRAMEWORKS = ("torch", "jax", "tensorflow", "paddle", "mindspore", "mxnet")
TARGETS = ("index", "index1", "binary", "onehot", "foreground")
ACTIVATIONS = ("none", "sigmoid", "softmax")


@dataclass(frozen=True)
class ImportPath:
    """Something of the user's to import: a loss or a network.

    Parameters
    ----------
    path
        ``MODULE:NAME`` or ``FILE.py:NAME``. A class is made, and a function that can be called with nothing but `arguments` is called
        to make it; any other function is the loss itself.
    arguments
        Keyword arguments.
    """

    path: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        module, colon, name = self.path.rpartition(":")
        if not (module and colon and name.replace(".", "").isidentifier()):
            raise UsageError(f"'{self.path}' is no import path; write MODULE:NAME, such as torch.nn:CrossEntropyLoss, or FILE.py:NAME.")

    def __str__(self) -> str:
        return f"{self.path}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"


@dataclass(frozen=True)
class Settings:
    """How the training run will feed its loss.

    Parameters
    ----------
    batch_size
        Masks in a batch, on one device.
    drop_last
        Whether the last, partial batch is dropped.
    seed
        Shuffles the files; None keeps them in order.
    device
        ``"auto"`` takes a GPU where there is one.
    require_gpu
        Refuse to go on without one.
    amp
        ``"fp32"``, or the half precision of automatic mixed precision.
    framework
        What the loss is written in.
    target
        How masks reach the loss. ``"index"``: ids (N, H, W); ``"index1"``: ids (N, 1, H, W); ``"binary"``: one channel of logits, floats
        (N, 1, H, W), the id itself; ``"onehot"``: floats (N, C, H, W); ``"foreground"``: the same without class 0. None: found by trying.
    activation
        What logits go through before the loss; None: found by trying.
    python
        The interpreter that has the framework; None: this one.
    timeout
        Seconds that one pass may take at the least; a pass may take 20 times the median of those before it.
    start_timeout
        Seconds for importing framework and loss.
    max_restarts
        How often a worker that died is replaced.
    max_memory
        Bytes of memory that the worker may take; None: 85 % of what is available when it starts.
    """

    batch_size: int = 8
    drop_last: bool = False
    seed: int | None = 0
    device: str = "auto"
    require_gpu: bool = False
    amp: str = "fp32"
    framework: str = "torch"
    target: str | None = None
    activation: str | None = None
    python: str | None = None
    timeout: float = 10.0
    start_timeout: float = 120.0
    max_restarts: int = 12
    max_memory: float | None = None

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise UsageError(f"batch_size is {self.batch_size}; it must be at least 1.")
        choices = {"device": DEVICES, "amp": PRECISIONS, "framework": FRAMEWORKS, "target": (None, *TARGETS),
                   "activation": (None, *ACTIVATIONS)}
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                raise UsageError(f"{name} is {value!r}; it is one of {', '.join(str(choice) for choice in known if choice)}.")

    def on(self, device: str) -> Settings:
        """The same on another device."""
        return replace(self, device=device)


def parse_arguments(texts: Iterable[str]) -> dict[str, Any]:
    """Keyword arguments from ``K=V`` texts: V as Python writes it, or else as the text that it is.

    Examples
    --------
    >>> parse_arguments(["ignore_index=255", "reduction=none", "weight=[1, 2.5]"])
    {'ignore_index': 255, 'reduction': 'none', 'weight': [1, 2.5]}
    """
    arguments = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and key.isidentifier()):
            raise UsageError(f"'{text}' is no argument; write K=V, such as ignore_index=255.")
        try:
            arguments[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            arguments[key] = value
    return arguments
