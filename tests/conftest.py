"""What several rooms of tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the first call compiles
settings.load_profile("no clock")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real masks, which lies beside the checkout or where LABELGUARD_REAL_DATA says; tests skip without it."""
    named = os.environ.get("LABELGUARD_REAL_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no folder of real masks here")
    return folder
