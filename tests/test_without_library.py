"""Where the compiled kernels cannot be loaded everything still works, and it is said once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labelguard import LabelSpec, scan
from tests.drawn import bands, folder

PROGRAM = """
import ctypes, sys
def no_library(*_): raise OSError("of another machine")
ctypes.CDLL = no_library
from labelguard import LabelSpec, scan
from labelguard.kernels import native
assert not native.COMPILED
for finding in scan(sys.argv[1], spec=LabelSpec(4)).findings:
    print(repr(finding))
"""
COMMAND = """
import ctypes, sys
def no_library(*_): raise OSError("of another machine")
ctypes.CDLL = no_library
from labelguard.__main__ import main
sys.exit(main())
"""


@pytest.mark.slow
def test_findings_are_the_same_and_the_loss_is_said_once(tmp_path: Path) -> None:
    root = folder(tmp_path / "masks", {f"{i}.png": bands(255, 0, 1, 2) for i in range(4)})
    np.save(root / "wide.npy", np.array([[0, 1], [2, 70_000]]))
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(root)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [repr(finding) for finding in scan(root, spec=LabelSpec(4)).findings]
    assert done.stderr.count("Install labelguard again") == 1


def test_the_command_says_it_in_a_sentence(tmp_path: Path) -> None:
    root = folder(tmp_path / "masks", {"0.png": bands(0, 1)})
    done = subprocess.run([sys.executable, "-c", COMMAND, "scan", str(root), "--num-classes", "2"], capture_output=True, text=True)
    assert done.returncode == 0 and "no findings" in done.stdout
    said, = done.stderr.splitlines()
    assert said.startswith("labelguard: labelguard's compiled kernels cannot be loaded (of another machine)")
