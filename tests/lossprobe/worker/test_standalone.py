"""What a worker is made of stands alone: any Python from 3.8 on reads it, and it needs numpy and one framework."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import labelguard.lossprobe

HOME = Path(labelguard.lossprobe.__file__).parent / "worker"
ADAPTERS = sorted((HOME / "adapters").glob("*.py"))
OWN = sorted(HOME.glob("*.py"))
FILES = [*OWN, *ADAPTERS]
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import, in a file that belongs to no package"
            yield str(node.module).partition(".")[0]


@every_file
def test_it_is_python_3_8_and_imports_no_more_than_numpy_and_its_framework(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    others = set(imported(tree)) - sys.stdlib_module_names - {"numpy"}
    framework = path.stem.partition("_")[0]
    own, beside = ({f"labelguard_{other.stem}" for other in files} for files in (OWN, ADAPTERS))
    assert others <= (own | {framework, *beside} if path.parent.name == "adapters" else own)


def old_interpreters() -> Iterator[str]:
    yield from filter(None, map(shutil.which, ("python3.8", "python3.9", "python3.10")))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, (found for version in ("3.8", "3.9", "3.10") for found in pyenv.glob(f"{version}.*/bin/python")))


def test_an_old_interpreter_reads_all_of_it() -> None:
    program = "import sys\nfor path in sys.argv[1:]: compile(open(path, encoding='utf-8').read(), path, 'exec')"
    for python in old_interpreters():
        done = subprocess.run([python, "-c", program, *map(str, FILES)], capture_output=True, text=True)
        if "pyenv:" not in done.stderr:  # a shim that leads nowhere
            assert done.returncode == 0, done.stderr
            return
    pytest.skip("no Python 3.8, 3.9 or 3.10 here")


def load(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
def test_thin_adapters_get_the_axes_that_they_want_and_answer_in_one_order(last: bool) -> None:
    arrays, job_file = load(HOME / "adapters" / "arrays.py", "arrays_alone"), load(HOME / "job.py", "job_alone")
    seen, phases = [], []

    class Adapter(arrays.Arrays):
        CHANNELS_LAST = last

        def loss_and_gradient(self, logits: NDArray[Any], target: NDArray[Any], _activation: str,
                              phase: Callable[..., Any]) -> tuple[NDArray[Any], ...]:
            phase("backward")
            seen.append((logits.shape, target.shape))
            gradient = np.zeros_like(logits)
            gradient[(0, 1, 1, 2) if last else (0, 2, 1, 1)] = -3.0
            return logits.max(-1 if last else 1), gradient

    adapter = Adapter({"amp": "fp32", "device": "cpu"})
    masks = np.array([[[0, 1, 2], [3, 2, 255]]], np.uint8)
    header = {"classes": 4, "dtype": "|u1", "shape": masks.shape, "target": "index", "activation": "none", "probe_pixel": [0, 1, 1]}
    job = job_file.Job(header, masks.tobytes())
    job.regime = "right"
    result = adapter.step(job, phases.append)
    assert seen == [((1, 2, 3, 4) if last else (1, 4, 2, 3), (1, 2, 3))]
    assert phases == ["target", "logits", "forward", "backward", "loss", "gradient"]
    assert result["loss"] == 6000.0
    assert result["pixel"] == {"largest": 3.0, "total": -3.0, "lowest": 2}


def test_thin_adapters_refuse_what_they_cannot_do() -> None:
    arrays = load(HOME / "adapters" / "arrays.py", "arrays_alone")
    with pytest.raises(NotImplementedError, match="half precision"):
        arrays.Arrays({"amp": "fp16", "device": "cpu"})
    with pytest.raises(NotImplementedError, match="networks"):
        arrays.Arrays({"amp": "fp32", "device": "cpu"}).use(None, object())
