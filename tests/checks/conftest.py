"""What the tests of the rules share that only a probe can find."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard import LabelSpec
from labelguard.lossprobe import probe
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.supervisor.launcher import ADAPTERS, Launcher
from tests.drawn import bands, folder

PROBE = Path(__file__).parents[1] / "lossprobe"
Probed = Callable[..., list[LossFinding]]


def at_99(act: str) -> str:
    """A loss that does something where a batch holds the id 99, and clamps it otherwise."""
    return (f"def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n    if (target == 99).any():\n        {act}\n"
            "    return value, gradient")


@pytest.fixture
def probed(tmp_path: Path) -> Probed:
    """Puts drawn masks of 3 classes through a loss in numpy, in a real worker; one of them has a pixel of 99, unless others are given."""
    adapters = tmp_path / "adapters"
    adapters.mkdir()
    shutil.copy(ADAPTERS / "arrays.py", adapters)
    shutil.copy(PROBE / "plain.py", adapters / "torch.py")

    def run(source: str, masks: dict[str, np.ndarray] | None = None, **settings: Any) -> list[LossFinding]:
        """`source` makes ``loss(logits, target)``, which gives its value and its gradient; it may use `cross_entropy`, which clamps."""
        odd = bands(0, 1, 2)
        odd[7, 8] = 99
        held = {"a.png": bands(0, 1, 2), "b.png": bands(2, 1, 0), "odd.png": odd} if masks is None else masks
        (tmp_path / "mine.py").write_text(f"import sys; sys.path.insert(0, {str(PROBE)!r})\nimport os, time\nimport numpy as np\n"
                                          f"from crashes import *\nfrom crashes import cross_entropy\n{source}\n")
        report = probe(folder(tmp_path / "masks", held), loss=f"{tmp_path / 'mine.py'}:loss", spec=LabelSpec(3),
                       launcher=Launcher(adapters), **({"batch_size": 2, "timeout": 60.0} | settings))
        return [finding for finding in report.findings if isinstance(finding, LossFinding)]
    return run
