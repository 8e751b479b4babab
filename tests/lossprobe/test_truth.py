"""What the probe says of losses and masks, held against plain PyTorch: no clean folder is blamed, and nothing silent passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from labelguard import LabelSpec
from labelguard.finding import Severity
from labelguard.lossprobe.one_loss import LossProbe

torch = pytest.importorskip("torch")

from tests.lossprobe import segmentation_losses  # noqa: E402
from tests.lossprobe.inside import probed  # noqa: E402

SEVERAL = ["cross_entropy", "cross_entropy_ignoring", "cross_entropy_smoothed", "cross_entropy_clamped", "focal", "hardest", "dice",
           "jaccard", "tversky", "dice_of_each_mask", "dice_by_one_hot", "dice_ignoring", "lovasz", "entropy_and_dice",
           "mean_of_each_class", "quarter", "quarter_ignoring", "enlarged", "enlarged_ignoring", "shrunk_ignoring"]
BINARY = ["bce", "bce_ignoring", "sigmoid_focal", "binary_dice", "binary_jaccard", "binary_tversky", "focal_tversky", "squared_dice",
          "log_dice", "lovasz_hinge", "squares", "boundary", "dice_above_zero"]
LOSSES = [*((name, 4) for name in SEVERAL), *((name, 2) for name in BINARY)]
PLACE = (8, 12)     # where losses at a quarter of the resolution look, too


def drawn(classes: int, kind: str) -> dict[str, np.ndarray]:
    """Four masks of blocks, each with every class; in the third of them, what `kind` says."""
    random = np.random.default_rng(0)
    masks = {f"{number}": np.kron(random.permutation(np.arange(12) % classes).reshape(3, 4), np.ones((8, 8), int)) for number in range(4)}
    if kind in ("255", "-1"):
        masks["2"][PLACE] = int(kind)
    if kind == "absent":
        masks["2"][masks["2"] == classes - 1] = 0
    return masks


def truth(loss: Callable[..., Any], classes: int, masks: dict[str, np.ndarray], value: int | None) -> str:
    """By plain PyTorch: ``raises``, ``nan``, ``silent`` or ``fine``; silent is an id with a say in the loss, or that is ignored unasked."""
    binary = classes == 2
    ids = torch.from_numpy(np.stack(list(masks.values())))
    target = ids[:, None].float() if binary else ids
    channels = 1 if binary else classes
    random = torch.randn(len(ids), channels, *ids.shape[1:], generator=torch.Generator().manual_seed(1))
    winners = ids.where((ids >= 0) & (ids < classes), torch.zeros_like(ids))
    known = torch.nn.functional.one_hot(winners, classes).movedim(-1, 1).float() if not binary else (ids[:, None] > 0).float()
    for logits in (random, 1000 * (2 * known - 1), 1000 * (1 - 2 * known)):
        logits.requires_grad_()
        try:
            result = loss(logits, target.clone())
            result.backward()
        except (IndexError, RuntimeError):
            return "raises"
        if not (result.isfinite() and logits.grad.isfinite().all()):
            return "nan"
    return "fine" if value is None else "silent"


def verdict(probe: LossProbe) -> str:
    """The worst that the probe says of the masks."""
    codes = {finding.code for finding in probe.findings if finding.severity != Severity.NOTE}
    for code, word in (("LG503", "raises"), ("LG507", "silent"), ("LG504", "nan"), ("LG505", "nan")):
        if code in codes:
            return word
    return "+".join(sorted(codes)) or "fine"


@pytest.mark.parametrize(("name", "classes"), [pytest.param(*one, marks=[pytest.mark.slow] * bool(number % 4), id=one[0])
                                               for number, one in enumerate(LOSSES)])
def test_every_verdict_is_that_of_plain_pytorch(name: str, classes: int) -> None:
    loss = getattr(segmentation_losses, name)
    for kind in ("clean", "255", "-1", "absent"):
        masks, value = drawn(classes, kind), int(kind) if kind in ("255", "-1") else None
        expected = truth(loss, classes, masks, value)
        probe = probed(loss, masks, LabelSpec(classes), batch_size=2, seed=None)
        said = verdict(probe)
        assert said == expected or (said, expected) == ("silent", "nan"), (name, kind, [str(finding) for finding in probe.findings])
        for finding in probe.findings:
            assert finding.concerns == ("2",) or finding.code == "LG512"
            assert value is None or finding.code not in ("LG503", "LG507") or (finding.ids, finding.first) == ((value,), PLACE)
