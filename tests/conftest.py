"""What several rooms of tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side, and their arrays are small

# No clock: the first call compiles. `--hypothesis-profile=quick` draws a tenth, also where a test says a number with `drawn.examples`.
full = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("full", full)
settings.register_profile("quick", full, max_examples=10)
settings.load_profile("full")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real masks, which lies beside the checkout or where LABELGUARD_REAL_DATA says; tests skip without it."""
    named = os.environ.get("LABELGUARD_REAL_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no folder of real masks here")
    return folder
