"""The ready-made pipelines against tables that are written here by other means, for every id of a byte."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard.errors import MaskRejectedError
from labelguard.spec.declarations import read_preset
from labelguard.stages import Remap, Validate
from labelguard.stages.pipeline_file import find_pipeline, pipelines, read_pipeline, write_pipeline

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "pipelines.md"

# cityscapesScripts, labels.py: the column trainId, in the order of the column id.
CITYSCAPES = [255, 255, 255, 255, 255, 255, 255, 0, 1, 255, 255, 2, 3, 4, 255, 255, 255, 5, 255, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
              255, 255, 16, 17, 18]
# COCO-Stuff, README, section "Labels": numbers without annotation, as labels.txt counts.
NEVER_ANNOTATED = {12: "street sign", 26: "hat", 29: "shoe", 30: "eye glasses", 45: "plate", 66: "mirror", 68: "window", 69: "desk",
                   71: "door", 83: "blender", 91: "hair brush"}
COCO_STUFF = {number - 1: place for place, number in enumerate(sorted(set(range(1, 183)) - set(NEVER_ANNOTATED)))}

TABLES: dict[str, dict[int, int]] = {
    "cityscapes-train-ids": {**dict(enumerate(CITYSCAPES)), 255: 255},
    "ade20k-reduce-zero-label": {0: 255, 255: 255, **{label: label - 1 for label in range(1, 151)}},
    "oxford-pets-trimap": {1: 0, 2: 1, 3: 2},
    "binary-255": {0: 0, 255: 1},
    "coco-stuff": {**COCO_STUFF, 255: 255},
    "dataset-a-repair": {0: 11, **{label: label - 1 for label in range(1, 13)}},
    "voc-check": {label: label for label in (*range(21), 255)},
}
every_pipeline = pytest.mark.parametrize("name", TABLES)


def test_these_are_the_ready_made_ones() -> None:
    assert pipelines().keys() == TABLES.keys() and [*pipelines()] == sorted(TABLES)
    assert {path.parent for path in pipelines().values()} == {ROOT / "pipelines"}


@every_pipeline
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64])
def test_every_id_goes_where_the_table_says_or_is_refused(name: str, dtype: type[Any]) -> None:
    stage, table = read_pipeline(find_pipeline(name)), TABLES[name]
    other = next(label for label, target in table.items() if target != 255)  # a mask of nothing but ignored ids is refused by a check
    for label in range(256):
        mask = np.array([[label, other]], dtype)
        if label in table:
            assert stage(mask).tolist() == [[table[label], table[other]]]
        else:
            with pytest.raises(MaskRejectedError, match=str(label)):
                stage(mask)


@every_pipeline
def test_a_mask_of_all_ids_equals_a_look_up_in_wide_integers(name: str) -> None:
    ids = np.array([*TABLES[name]], np.uint8)
    mask = np.concatenate([ids, ids[::-1], np.roll(ids, 1)]).reshape(3, -1).repeat(2, axis=0)
    wide = np.full(256, -1, np.int64)
    wide[ids] = [*TABLES[name].values()]
    np.testing.assert_array_equal(read_pipeline(find_pipeline(name))(mask), wide[mask])


@every_pipeline
def test_a_file_says_what_it_is_and_reads_back(name: str, tmp_path: Path) -> None:
    about = tomllib.loads(find_pipeline(name).read_text(encoding="utf-8"))
    assert about["name"] == name and about["description"] and about["source"]
    pipeline = read_pipeline(find_pipeline(name))
    (tmp_path / "copy.toml").write_text(write_pipeline(pipeline), encoding="utf-8")
    assert read_pipeline(tmp_path / "copy.toml") == pipeline


def test_the_targets_are_the_spec_that_comes_with_labelguard() -> None:
    (stage,) = read_pipeline(find_pipeline("cityscapes-train-ids")).stages
    assert isinstance(stage, Remap) and stage.spec == replace(read_preset("cityscapes-train"), colors=())
    (check,) = read_pipeline(find_pipeline("voc-check")).stages
    assert isinstance(check, Validate) and check.spec == read_preset("voc")


def rows(name: str) -> dict[int, tuple[int, str]]:
    """The rows of the table in a file, with the name in the comment of each."""
    lines = re.findall(r"^(\d+) = (\d+) +# (.+)$", find_pipeline(name).read_text(encoding="utf-8"), re.MULTILINE)
    return {int(source): (int(target), comment) for source, target, comment in lines}


def test_the_comments_name_the_right_classes() -> None:
    names = read_preset("cityscapes").names
    assert {label: comment for label, (_, comment) in rows("cityscapes-train-ids").items()} == dict(enumerate(names))
    coco = rows("coco-stuff")
    assert {label: target for label, (target, _) in coco.items()} == COCO_STUFF and len(coco) == 171
    assert not set(NEVER_ANNOTATED.values()) & {comment for _, comment in coco.values()}
    assert [coco[label][1] for label in (0, 10, 12, 79, 81, 89, 91, 181)] == [
        "person", "fire hydrant", "stop sign", "toaster", "refrigerator", "toothbrush", "banner", "wood"]


def test_the_repair_of_data_set_a_gives_what_the_two_lines_were_meant_to() -> None:
    labels = np.array([[0, 1, 2, 12], [0, 0, 7, 5]], np.uint8)
    wide = labels.astype(np.int64) - 1
    wide[wide == -1] = 12 - 1
    repair = read_pipeline(find_pipeline("dataset-a-repair"))
    np.testing.assert_array_equal(repair(labels), wide)
    wrong = labels.copy()
    wrong -= 1
    assert (wrong == 255).sum() == 3  # no -1 is in there for the second line to find
    with pytest.raises(MaskRejectedError, match="255"):
        repair(wrong)


@every_pipeline
def test_the_page_shows_the_table(name: str) -> None:
    section = re.search(rf"^### `{name}`\n(.*?)(?=^##|\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    shown: dict[int, int] = {}
    for source, target in re.findall(r"^\| ([\d, -]+) \| ([\d-]+)\b", section[1], re.MULTILINE):
        sources = [label for part in source.split(",") for label in span(part)]
        targets = [*span(target)]
        shown |= dict(zip(sources, targets * len(sources) if len(targets) == 1 else targets, strict=len(targets) > 1))
    assert shown == TABLES[name]


def span(text: str) -> range:
    first, _, last = text.strip().partition("-")
    return range(int(first), int(last or first) + 1)


def test_every_room_is_in_the_wheel() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    rooms = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "labelguard").rglob("*.py")}
    assert set(config["options"]["packages"].split()) == rooms | {"labelguard.pipelines"}
    assert config["options.package_data"]["labelguard.pipelines"].split() == ["*.toml"]


def test_the_ready_made_ones_are_found_where_a_wheel_puts_them(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    for folder in ("labelguard", "pipelines", "building"):
        shutil.copytree(ROOT / folder, tmp_path / "tree" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, tmp_path / "tree")
    build = [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q", "build_py", "--build-lib", str(tmp_path / "site")]
    subprocess.run(build, cwd=tmp_path / "tree", check=True, capture_output=True)
    program = (f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
               "from labelguard.stages.pipeline_file import pipelines, read_pipeline\n"
               "for name, path in pipelines().items(): read_pipeline(path); print(name, path)")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    installed = tmp_path / "site" / "labelguard" / "pipelines"
    assert done.stdout.splitlines() == [f"{name} {installed / name}.toml" for name in sorted(TABLES)]
