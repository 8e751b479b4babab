"""Losses of PyTorch, segmentation-models-pytorch, MONAI, kornia and torchmetrics, and how each is called by hand."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SMP = f"{__file__}:smp"


def smp(name: str, **arguments: Any) -> Any:
    """A loss of segmentation-models-pytorch. The package itself imports torchvision and timm, which its losses do not need."""
    package = "segmentation_models_pytorch"
    if package not in sys.modules:
        found = importlib.util.find_spec(package)
        if found is None:
            raise ImportError(f"{package} is not installed")
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = list(found.submodule_search_locations or ())
    return getattr(importlib.import_module(f"{package}.losses"), name)(**arguments)


@dataclass(frozen=True)
class Loss:
    """One loss, where it is, and what it is given."""

    path: str
    arguments: dict[str, Any] = field(default_factory=dict)
    layout: str = "index"      # of the labels: index, index1 and onehot, or, with one channel of logits, binary and foreground
    activation: str = "none"   # before the loss

    @property
    def classes(self) -> int:
        return 2 if self.layout in ("binary", "foreground") else 4

    @property
    def ignored(self) -> tuple[int, ...]:
        return (255,) if 255 in self.arguments.values() else ()

    @property
    def library(self) -> str:
        return "smp" if self.path == SMP else self.path.partition(".")[0]

    @property
    def title(self) -> str:
        arguments = {key: value for key, value in self.arguments.items() if key != "name"}
        name = self.arguments.get("name") or self.path.rpartition(":")[2]
        return f"{self.library} {name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"

    def build(self) -> Callable[..., Any]:
        if self.path == SMP:
            return smp(**self.arguments)
        module, _, name = self.path.rpartition(":")
        loss = getattr(importlib.import_module(module), name)
        if isinstance(loss, type):
            return loss(**self.arguments)
        return lambda logits, labels: loss(logits, labels, **self.arguments)


def _smp(name: str, layout: str = "index", **arguments: Any) -> Loss:
    return Loss(SMP, {"name": name, **arguments}, layout)


def _monai(name: str, layout: str = "index1", **arguments: Any) -> Loss:
    return Loss(f"monai.losses:{name}", arguments, layout)


def _kornia(name: str, layout: str = "index", **arguments: Any) -> Loss:
    return Loss(f"kornia.losses:{name}", arguments, layout)


_BOTH = {"to_onehot_y": True, "softmax": True}
LOSSES = [
    Loss("torch.nn:CrossEntropyLoss"),
    Loss("torch.nn:CrossEntropyLoss", {"ignore_index": 255}),
    Loss("torch.nn:CrossEntropyLoss", {"label_smoothing": 0.1}),
    Loss("torch.nn:NLLLoss", activation="log_softmax"),
    Loss("torch.nn:BCEWithLogitsLoss", layout="binary"),
    Loss("torch.nn:BCELoss", layout="binary", activation="sigmoid"),
    Loss("torch.nn:MSELoss", layout="onehot", activation="softmax"),
    _smp("DiceLoss", mode="multiclass"),
    _smp("DiceLoss", mode="multiclass", ignore_index=255),
    _smp("DiceLoss", "binary", mode="binary"),
    _smp("JaccardLoss", mode="multiclass"),
    _smp("JaccardLoss", "binary", mode="binary"),
    _smp("TverskyLoss", mode="multiclass"),
    _smp("TverskyLoss", "binary", mode="binary"),
    _smp("FocalLoss", mode="multiclass"),
    _smp("FocalLoss", mode="multiclass", ignore_index=255),
    _smp("FocalLoss", "binary", mode="binary"),
    _smp("LovaszLoss", mode="multiclass"),
    _smp("LovaszLoss", mode="multiclass", ignore_index=255),
    _smp("LovaszLoss", "binary", mode="binary"),
    _smp("SoftBCEWithLogitsLoss", "binary"),
    _smp("SoftBCEWithLogitsLoss", "binary", ignore_index=255),
    _smp("SoftCrossEntropyLoss", smooth_factor=0.1),
    Loss(SMP, {"name": "MCCLoss"}, "binary", "sigmoid"),
    _monai("DiceLoss", **_BOTH),
    _monai("DiceLoss", **_BOTH, smooth_nr=0.0, smooth_dr=0.0),
    _monai("DiceLoss", "binary", sigmoid=True),
    _monai("GeneralizedDiceLoss", **_BOTH),
    _monai("DiceCELoss", **_BOTH),
    _monai("DiceFocalLoss", **_BOTH),
    _monai("GeneralizedDiceFocalLoss", **_BOTH),
    _monai("FocalLoss", to_onehot_y=True),
    _monai("TverskyLoss", **_BOTH),
    _monai("HausdorffDTLoss", **_BOTH),
    Loss("monai.losses:SoftDiceclDiceLoss", layout="onehot", activation="softmax"),
    _monai("NACLLoss", "index", classes=4, dim=2),
    _kornia("DiceLoss"),
    _kornia("FocalLoss", alpha=0.5),
    _kornia("TverskyLoss", alpha=0.5, beta=0.5),
    _kornia("LovaszSoftmaxLoss"),
    _kornia("LovaszHingeLoss", "foreground"),
    _kornia("BinaryFocalLossWithLogits", "binary", alpha=0.5),
    Loss("torchmetrics.functional.classification:multiclass_hinge_loss", {"num_classes": 4}),
]
