"""For training with PyTorch: GuardedDataset or GuardedIterable in front of the loader, GuardedLoss behind it.

Only the modules of this folder import torch; nothing else of the package imports them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labelguard.integrations.torch.dataset import GuardedDataset, OnReject
from labelguard.integrations.torch.rejections import Rejection, Rejections
from labelguard.integrations.torch.stream import GuardedIterable

if TYPE_CHECKING:
    from labelguard.integrations.torch.loss import GuardedLoss, OnBad

__all__ = ["GuardedDataset", "GuardedIterable", "GuardedLoss", "OnBad", "OnReject", "Rejection", "Rejections"]


def __getattr__(name: str) -> Any:
    if name not in ("GuardedLoss", "OnBad"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from labelguard.integrations.torch import loss  # imports torch's compiler, which no worker of a loader needs
    return getattr(loss, name)
