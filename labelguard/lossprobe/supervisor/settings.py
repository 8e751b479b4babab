"""What to probe: losses, the batches that training will form, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from labelguard.errors import UsageError
from labelguard.spec.argument_checks import checked_path, choice, keyword_arguments, positive_number, whole_number

Device = Literal["auto", "cuda", "cpu"]
Precision = Literal["fp32", "fp16", "bf16"]
Framework = Literal["torch", "jax", "tensorflow", "paddle", "mindspore", "mxnet"]
Target = Literal["index", "index1", "binary", "onehot", "foreground"]
Activation = Literal["none", "sigmoid", "softmax", "log-softmax"]
Outputs = Literal["tensor", "list", "dict", "pixels", "quarter", "whole"]

DEVICES: tuple[Device, ...] = get_args(Device)
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)
TARGETS: tuple[Target, ...] = get_args(Target)
ACTIVATIONS: tuple[Activation, ...] = get_args(Activation)


@dataclass(frozen=True)
class ImportPath:
    """Code of the user's to import in the worker: a loss or a network.

    Parameters
    ----------
    path
        ``MODULE:NAME`` or ``FILE.py:NAME``. A class is instantiated with `arguments`. A function that can be called with nothing but
        `arguments` is called and returns the loss; any other function is the loss itself.
    arguments
        Keyword arguments.

    Raises
    ------
    UsageError
        When `path` has another form, or `arguments` is not a dictionary.
    """

    path: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.path, str):
            raise UsageError(f"{self.path!r} is not an import path; write a text such as 'torch.nn:CrossEntropyLoss' or "
                             "'my_losses.py:build'. It is imported in a process of its own, which an object cannot be handed to.",
                             argument="path")
        keyword_arguments("arguments", self.arguments)
        module, colon, name = self.path.rpartition(":")
        if not (module and colon and name.replace(".", "").isidentifier()):
            raise UsageError(f"'{self.path}' is not an import path; write MODULE:NAME, such as torch.nn:CrossEntropyLoss, or FILE.py:NAME.",
                             argument="path")

    def __str__(self) -> str:
        return f"{self.path}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"


@dataclass(frozen=True)
class Settings:
    """How the training run calls its loss, and the limits of the worker.

    Parameters
    ----------
    batch_size
        Masks in a batch, on one device.
    drop_last
        Whether the last, partial batch is dropped.
    seed
        Seed of the shuffle; None keeps the files in the order of their names.
    device
        ``"auto"`` uses a GPU where there is one.
    require_gpu
        Whether to stop where there is no GPU.
    amp
        ``"fp32"``, or the half precision of automatic mixed precision.
    framework
        The framework that the loss is written in.
    target
        The form in which masks reach the loss. ``"index"``: ids (N, H, W), integers. ``"index1"``: ids (N, 1, H, W), integers.
        ``"binary"``: the ids as floats (N, 1, H, W), with one channel of logits. ``"onehot"``: floats (N, C, H, W). ``"foreground"``: the
        same without class 0. None: found by trying.
    activation
        What is applied to the logits before the loss; None: found by trying.
    python
        The interpreter that has the framework; None: the running one.
    timeout
        Time limit of one pass in seconds. Where passes are slow, the limit is 20 times their median; the first passes may
        take six times as long.
    start_timeout
        Time limit in seconds for importing the framework and the loss.
    max_restarts
        How often a worker that died is replaced.
    max_memory
        Memory in bytes that the worker may use; None: 85 % of what is available when it starts.

    Raises
    ------
    UsageError
        When a value is not one of those above.
    """

    batch_size: int = 8
    drop_last: bool = False
    seed: int | None = 0
    device: Device = "auto"
    require_gpu: bool = False
    amp: Precision = "fp32"
    framework: Framework = "torch"
    target: Target | None = None
    activation: Activation | None = None
    python: str | None = None
    timeout: float = 10.0
    start_timeout: float = 120.0
    max_restarts: int = 12
    max_memory: float | None = None

    def __post_init__(self) -> None:
        numbers = {
            "batch_size": whole_number("batch_size", self.batch_size, least=1),
            "seed": None if self.seed is None else whole_number("seed", self.seed),
            "timeout": positive_number("timeout", self.timeout, "seconds"),
            "start_timeout": positive_number("start_timeout", self.start_timeout, "seconds"),
            "max_restarts": whole_number("max_restarts", self.max_restarts, least=0),
            "max_memory": None if self.max_memory is None else positive_number("max_memory", self.max_memory, "bytes"),
        }
        for name, number in numbers.items():
            object.__setattr__(self, name, number)  # the class is frozen
        if self.python is not None:
            checked_path("python", self.python)
        choice("device", self.device, DEVICES)
        choice("amp", self.amp, PRECISIONS)
        choice("framework", self.framework, FRAMEWORKS)
        if self.target is not None:
            choice("target", self.target, TARGETS)
        if self.activation is not None:
            choice("activation", self.activation, ACTIVATIONS)

    def on(self, device: Device) -> Settings:
        """The same settings for another device."""
        return replace(self, device=device)


def parse_arguments(texts: Iterable[str]) -> dict[str, Any]:
    """Keyword arguments from ``K=V`` texts: V as a Python literal where it is one, otherwise as text.

    Raises
    ------
    UsageError
        When a text has another form.

    Examples
    --------
    >>> parse_arguments(["ignore_index=255", "reduction=none", "weight=[1, 2.5]"])
    {'ignore_index': 255, 'reduction': 'none', 'weight': [1, 2.5]}
    """
    arguments = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and key.isidentifier()):
            raise UsageError(f"'{text}' is not an argument; write K=V, such as ignore_index=255.")
        try:
            arguments[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            arguments[key] = value
    return arguments
