from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from labelguard.cli import main
from tests.checks.recipes import drawn_set
from tests.drawn import folder


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path / "masks", {f"{number}.png": labels for number, labels in enumerate(drawn_set(3, 25))})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_writes_what_was_inferred_and_scan_takes_it(inside: Path) -> None:
    done = CliRunner().invoke(main, ["init"])
    assert done.exit_code == 0 and "3 classes (ids 0-2), from 25 files." in done.stdout and "labelguard scan ./masks" in done.stdout
    text = (inside / "labelguard.toml").read_text()
    assert "num_classes = 3\n" in text and "ignore_index = [255]" in text and "\n# 1: " in text
    scanned = CliRunner().invoke(main, ["scan"])
    assert scanned.exit_code == 0 and "declared: 3 classes, 255 ignored" in scanned.stdout


def test_does_not_overwrite(inside: Path) -> None:
    (inside / "labelguard.toml").write_text("num_classes = 7\n")
    done = CliRunner().invoke(main, ["init", "masks"])
    assert done.exit_code == 2 and "exists already" in done.stderr and (inside / "labelguard.toml").read_text() == "num_classes = 7\n"


def test_without_masks_nothing_is_written(inside: Path) -> None:
    assert CliRunner().invoke(main, ["init", "nowhere"]).exit_code == 3 and not (inside / "labelguard.toml").exists()
