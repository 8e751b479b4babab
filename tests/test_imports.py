"""What comes along with an import, in a fresh interpreter: start-up is measured by what is loaded, not by a clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from compileall import compile_dir
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import labelguard
from tests.drawn import bands, folder

HEAVY = {"torch", "click", "joblib", "cv2", "skimage", "PIL", "tifffile", "imagecodecs", "rich", "scipy"}
OURS = ["labelguard", "labelguard.files.read", "labelguard.files.mask", "labelguard.facts.mask_facts", "labelguard.checks.registry",
        "labelguard.runs.scan", "labelguard.stages", "labelguard.stages.pipeline_file", "labelguard.pairing.by_name",
        "labelguard.runs.examine_image", "labelguard.runs.rewrite", "labelguard.runs.show", "labelguard.integrations"]


def loaded_by(code: str) -> set[str]:
    program = f"import sys, json\n{code}\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", OURS)
def test_importing_brings_nothing_heavy_along(module: str) -> None:
    assert not loaded_by(f"import {module}") & HEAVY


def test_the_package_itself_brings_nothing_at_all_along() -> None:
    assert not loaded_by("import labelguard") & {"numpy", "ast", "re"} - loaded_by("")


def test_every_public_name_is_there() -> None:
    loaded_by("import labelguard\nfor name in labelguard.__all__: assert getattr(labelguard, name) is not None\n"
              "assert set(labelguard.__all__) <= set(dir(labelguard))\nassert callable(labelguard.scan)\n"
              "import labelguard.runs.scan\nassert callable(labelguard.scan)")


def test_star_imports_every_public_name() -> None:
    loaded_by("from labelguard import *\nassert callable(scan) and callable(rules) and functional.remap and ScanOptions")


def test_it_works_without_its_sources(tmp_path: Path) -> None:
    package = Path(labelguard.__file__).parent
    copied = copytree(package, tmp_path / "labelguard", ignore=ignore_patterns("__pycache__"))
    assert compile_dir(copied, legacy=True, quiet=1)
    for source in copied.rglob("*.py"):
        source.unlink()
    code = "import labelguard; assert labelguard.__file__.endswith('.pyc'); print(labelguard.LabelSpec(3), *labelguard.__all__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path,
                          env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert done.stdout.startswith("LabelSpec(num_classes=3") and "scan_splits" in done.stdout


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    loaded_by("import labelguard\ntry: labelguard.nothing\nexcept AttributeError as error: assert 'nothing' in str(error)\n"
              "else: raise SystemExit('no error')")


def test_help_loads_click_and_little_else() -> None:
    loaded = loaded_by("from labelguard.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass")
    assert "click" in loaded and not loaded & (HEAVY - {"click"}) and "numpy" not in loaded


SCAN = """
import sys
sys.argv = ["labelguard", "scan", {root!r}, "--num-classes", "4", "--ignore-index", "255"]
from labelguard.__main__ import main
try:
    main()
except SystemExit:
    pass
print(*sys.modules)
"""
UNUSED = {"asyncio", "csv", "decimal", "difflib", "email", "hashlib", "html", "http", "multiprocessing", "sqlite3", "statistics", "tomllib",
          "tempfile", "unittest", "xml"}
UNUSED_OURS = {"labelguard.cli.changing", "labelguard.cli.probe", "labelguard.report.report_file", "labelguard.integrations",
               "labelguard.lossprobe", "labelguard.pairing.alignment.edge_maps", "labelguard.pairing.alignment.verdict",
               "labelguard.report.html", "labelguard.report.splits", "labelguard.runs.compare_splits", "labelguard.runs.rewrite",
               "labelguard.spec.class_files", "labelguard.stages"}


def test_a_scan_loads_what_it_needs_and_nothing_else(tmp_path: Path) -> None:
    root = folder(tmp_path / "masks", {f"{i}.png": bands(255, 0, 1, 2) for i in range(3)})
    done = subprocess.run([sys.executable, "-S", "-c", SCAN.format(root=str(root))], capture_output=True, text=True, cwd=tmp_path,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    assert "3 masks read" in done.stdout, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    others = {name.split(".")[0] for name in loaded} - sys.stdlib_module_names
    assert others == {"labelguard", "click", "numpy", "zlib_ng", "deflate", "__main__"}
    assert not loaded & UNUSED and not loaded & UNUSED_OURS


def test_names_are_there_for_all_threads_at_once() -> None:
    loaded_by("import dis, labelguard\n"
              "steps = dis.get_instructions\n"
              "def watched(code):\n"
              "    for step in steps(code):\n"
              "        assert not labelguard._known, 'some names only'\n"
              "        yield step\n"
              "dis.get_instructions = watched\n"
              "assert callable(labelguard.scan) and labelguard._known")
