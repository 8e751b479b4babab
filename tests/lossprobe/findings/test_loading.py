"""What to do about a loss that cannot be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from labelguard.lossprobe.findings.loading import as_module, how_to_load
from labelguard.lossprobe.supervisor.outcome import Step
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings


def package(root: Path) -> str:
    folder = root / "pkg" / "sub"
    folder.mkdir(parents=True)
    for init in (folder, folder.parent):
        (init / "__init__.py").touch()
    return f"{folder / 'losses.py'}:Focal"


def fix(path: str, error: str, error_type: str = "TypeError", what: str = "loss") -> str:
    return how_to_load(what, ImportPath(path), Step("", "exception", "import", error_type=error_type, error=error), Settings())


def test_a_file_of_a_package_is_named_as_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = package(tmp_path)
    assert as_module(path) == (tmp_path, "pkg.sub.losses:Focal")
    assert as_module("pkg.losses:Focal") is None
    said = "attempted relative import with no known parent package"
    assert f"give --loss pkg.sub.losses:Focal in the folder {tmp_path}," in fix(path, said, "ImportError")
    monkeypatch.chdir(tmp_path)
    assert fix(path, said, "ImportError").endswith("give --loss pkg.sub.losses:Focal.")


def test_a_file_beside_others_without_a_package_file_is_part_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    assert as_module(f"{tmp_path}/pkg/losses.py:Focal") == (tmp_path, "pkg.losses:Focal")


@pytest.mark.parametrize(("error", "error_type", "what", "words"), [
    ("__init__() missing 2 required positional arguments: 'weight' and 'gamma'", "TypeError", "loss",
     "Give what is missing: --loss-arg weight=VALUE --loss-arg gamma=VALUE."),
    ("Net.__init__() missing 1 required keyword-only argument: 'classes'", "TypeError", "model", "--model-arg classes=VALUE."),
    ("the loss ended the process: sys.exit(2)", "SystemExit", "loss", '`if __name__ == "__main__":`'),
    ("CUDA-capable device(s) is/are busy or unavailable", "AcceleratorError", "framework", "CUDA_VISIBLE_DEVICES"),
    ("module 'pkg' has no attribute 'Focal'; it has 'FocalLoss'", "AttributeError", "loss", "Did you mean --loss pkg:FocalLoss?"),
    ("module 'pkg' has no attribute 'Focal'", "AttributeError", "loss", "--python"),
    ("No module named 'jax'", "ModuleNotFoundError", "framework", "python -m pip install jax, or"),
    ("no such module", "ImportError", "loss", "--python"),
])
def test_each_failure_has_its_way_out(error: str, error_type: str, what: str, words: str) -> None:
    assert words in fix("pkg:Focal", error, error_type, what)


def loaded(error_type: str, error: str, source: str = "", **arguments: object) -> str:
    step = Step("", "exception", "import", error_type=error_type, error=error, source=source)
    return how_to_load("loss", ImportPath("pkg:Focal", arguments), step, Settings())


def test_a_mistake_of_the_users_is_named() -> None:
    assert loaded("SyntaxError", "'(' was never closed (mine.py, line 3)", "/x/mine.py:3: x = (") == "Correct line 3 of /x/mine.py."
    assert "Correct line" not in loaded("ValueError", "bad", "/x/site-packages/monai/dice.py:3: raise ValueError (in monai)")
    assert "Correct line" not in loaded("ModuleNotFoundError", "No module named 'ext'", "/x/mine.py:1: import ext")
    said = "Focal.__init__() got an unexpected keyword argument 'gama'"
    assert loaded("TypeError", said, gama=2).startswith("Leave out --loss-arg gama=2, or correct its name")
    assert loaded("ValueError", "gamma must be a number", gamma="a") == "Check what was given: --loss-arg gamma=a."
