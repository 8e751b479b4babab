"""--quiet and --verbose: how much of a text report is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from labelguard.cli import main
from tests.drawn import bands, folder


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    """Eight masks with an id too many, and one that is empty."""
    return folder(tmp_path / "masks", {**{f"{number}.png": bands(0, 1, 9) for number in range(8)}, "empty.png": bands(0)})


def scanned(masks: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["scan", str(masks), "--num-classes", "3", *options])


def test_quiet_prints_what_makes_the_run_fail_and_nothing_else(masks: Path) -> None:
    done = scanned(masks, "--quiet")
    assert done.exit_code == 1 and done.stdout.startswith("error ")
    assert "warning" not in done.stdout and "masks read" not in done.stdout and "rules" not in done.stdout
    assert "warning LG" in scanned(masks, "-q", "--fail-on", "warning").stdout


def test_quiet_prints_nothing_where_nothing_makes_it_fail(masks: Path) -> None:
    assert scanned(masks, "-q", "--fail-on", "never").output == ""
    assert scanned(masks / "empty.png", "-q").output == ""


def test_verbose_names_every_file(masks: Path) -> None:
    assert "7.png" not in scanned(masks).stdout and "3 more" in scanned(masks).stdout
    verbose = scanned(masks, "--verbose").stdout
    assert all(f"{number}.png" in verbose for number in range(8)) and "more" not in verbose


def test_files_and_other_formats_hold_the_same_as_ever(masks: Path, tmp_path: Path) -> None:
    assert scanned(masks, "-q", "--format", "json").stdout == scanned(masks, "--format", "json").stdout
    scanned(masks, "-q", "--report", str(tmp_path / "report.txt"))
    assert (tmp_path / "report.txt").read_text() == scanned(masks).stdout


@pytest.mark.parametrize("option", ["--report", "--output"])
def test_a_text_in_a_file_is_as_verbose_as_it_was_asked_to_be(masks: Path, tmp_path: Path, option: str) -> None:
    scanned(masks, "-v", option, str(tmp_path / "report.txt"))
    assert (tmp_path / "report.txt").read_text() == scanned(masks, "-v").stdout
    assert scanned(masks, "-q", option, str(tmp_path / "report.txt")).exit_code == 1  # and may be replaced by the next one
    assert (tmp_path / "report.txt").read_text() == scanned(masks).stdout


@pytest.mark.parametrize("other", ["--verbose", "--explain"])
def test_quiet_goes_with_nothing_that_asks_for_more(masks: Path, other: str) -> None:
    done = scanned(masks, "-q", other)
    assert done.exit_code == 2 and "exclude each other" in done.stderr
