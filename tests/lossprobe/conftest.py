"""What the tests of the probe share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from labelguard.lossprobe.supervisor.launcher import ADAPTERS, Launcher
from tests.lossprobe import siblings  # noqa: F401

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Workers inherit this; the masks are small, and the machine is shared."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    yield
    os.environ.pop("OMP_NUM_THREADS")
    if before is not None:
        os.environ["OMP_NUM_THREADS"] = before


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Launcher:
    """Starts workers in which losses are in numpy, and no framework is imported."""
    folder = tmp_path_factory.mktemp("adapters")
    shutil.copy(ADAPTERS / "arrays.py", folder)
    shutil.copy(HERE / "plain.py", folder / "torch.py")
    return Launcher(folder)
