"""What must not be read is a finding, and what must not be written to an error; as a user whom the system refuses something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drawn import bands, folder

# The superuser may open anything, but for one who gives that right up.
RIGHTS = "-dac_override,-dac_read_search"
REFUSED = [] if os.name != "posix" or os.geteuid() != 0 else ["setpriv", f"--bounding-set={RIGHTS}", f"--inh-caps={RIGHTS}"]
pytestmark = pytest.mark.skipif(os.name != "posix" or bool(REFUSED and not shutil.which("setpriv")), reason="needs a user with few rights")


@pytest.fixture
def masks(tmp_path: Path) -> Iterator[Path]:
    """Three masks: one that must not be opened, one in a folder that must not, and one that may."""
    masks = folder(tmp_path / "masks", {name: bands(0, 1) for name in ("a.png", "b.png", "locked/c.png")})
    (masks / "b.png").chmod(0)
    (masks / "locked").chmod(0)
    (tmp_path / "full").mkdir(mode=0o555)
    yield masks
    (masks / "locked").chmod(0o755)


def labelguard(masks: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run([*REFUSED, sys.executable, "-m", "labelguard", *arguments], cwd=masks.parent, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_mask_that_must_not_be_read_is_a_finding_and_the_others_are_written(masks: Path) -> None:
    code, said = labelguard(masks, "remap", "masks", "--shift", "1", "--num-classes", "3", "--out", "out")
    assert code == 1 and "error LG001 unreadable (2 files)\n  Cannot be opened: permission denied.\n    b.png\n    locked/\n" in said
    assert {path.name for path in (masks.parent / "out").iterdir()} == {"a.png", "labelguard-receipt.json"}


@pytest.mark.parametrize(("arguments", "sentence"), [
    (("scan", "masks/locked"), "'masks/locked' does not exist, or cannot be opened.\n"),
    (("remap", "masks/a.png", "--shift", "1", "--num-classes", "3", "--out", "full/out"),
     "The output folder 'full/out' cannot be made: permission denied."),
], ids=["read", "written"])
def test_a_folder_that_must_not_be_opened_is_an_error(masks: Path, arguments: tuple[str, ...], sentence: str) -> None:
    code, said = labelguard(masks, *arguments)
    assert code == 3 and sentence in said
