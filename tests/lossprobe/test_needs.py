"""The probe runs where the loss runs, with the standard library, numpy, Pillow and click, and never imports a framework itself."""

from __future__ import annotations

import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.drawn import bands, folder

_BLOCKED = """
import sys
from configparser import ConfigParser
BLOCKED = {"joblib", "rich", "zlib_ng", "deflate", "tifffile", "imagecodecs", "torch", "cv2", "jax", "tensorflow"}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
"""

_COMMAND = _BLOCKED + """
from labelguard.cli import main
try:
    main(sys.argv[1:])
finally:
    assert not BLOCKED & set(sys.modules)
"""


@pytest.mark.slow
def test_it_needs_no_more_than_numpy_pillow_and_click(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    stray = bands(0, 1, 2)
    stray[4, 5] = 9
    masks = folder(tmp_path / "masks", {"good.png": bands(0, 1, 2), "stray.png": stray})
    done = subprocess.run([sys.executable, "-c", _COMMAND, "probe", str(masks), "--loss", "torch.nn:CrossEntropyLoss",
                           "--num-classes", "3", "--python", sys.executable], capture_output=True, text=True,
                          cwd=Path(__file__).parents[2])
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "LG503" in done.stdout and "stray.png (row 4, column 5)" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_the_tests_of_a_gpu_need_no_more_than_that_and_torch() -> None:
    pytest.importorskip("torch")
    script = ("import sys\nfor name in ('pytest', 'hypothesis', 'joblib', 'rich', 'cv2', 'skimage', 'tifffile', 'imagecodecs',"
              " 'zlib_ng', 'deflate'): sys.modules[name] = None\nimport benchmarks.gpu, tests.gpu.__main__, tests.gpu.one\n"
              "from tests.gpu.__main__ import MODULES\nfrom importlib import import_module\n"
              "for module in MODULES: import_module(f'tests.gpu.{module}')\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr


def test_the_supervisor_imports_no_framework() -> None:
    script = "import sys, labelguard.lossprobe, labelguard.lossprobe.report\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "jax", "tensorflow", "paddle", "mindspore", "mxnet", "rich"} & set(loaded)


def test_the_adapters_are_installed_too() -> None:
    """They are files beside the worker, which nothing imports."""
    root = Path(__file__).parents[2]
    config = ConfigParser()
    config.read(root / "setup.cfg")
    packages = config["options"]["packages"].split()
    for folder_ in {path.parent for path in (root / "labelguard").rglob("*.py")}:
        assert ".".join(folder_.relative_to(root).parts) in packages
