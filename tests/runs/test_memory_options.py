"""The budget of memory, as functions and commands take it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import labelguard
from labelguard.cli import main
from labelguard.errors import UsageError
from tests.drawn import bands, folder

ENOUGH, SHORT = 10 ** 6, 10 ** 5


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    """A small mask, and one that takes 160 kB."""
    root = folder(tmp_path / "masks", {"a.png": bands(0, 1, 2)})
    np.save(root / "large.npy", np.zeros((400, 400), np.uint8))
    return root


def refused(report: labelguard.ScanReport | labelguard.RewriteReport) -> list[str | None]:
    found = [finding for finding in report.findings if finding.code == "LG001"]
    assert all("--max-memory 0.1 (max_memory, in bytes) allows that much" in finding.message for finding in found)
    return [finding.path for finding in found]


@pytest.mark.parametrize(("jobs", "backend"), [(1, "threading"), (2, "threading"), (2, "loky")])
def test_a_scan_refuses_what_does_not_fit(masks: Path, jobs: int, backend: labelguard.runs.pool.Backend) -> None:
    budgets: list[tuple[int, list[str]]] = [(SHORT, ["large.npy"]), (ENOUGH, [])]
    for budget, expected in budgets[:1 if backend == "loky" else 2]:  # processes take seconds to start
        report = labelguard.scan(masks, num_classes=3, max_memory=budget, jobs=jobs, backend=backend)
        assert refused(report) == expected and len(report.data.records) == 2 - len(expected)


def test_masks_that_do_not_fit_are_not_rewritten(masks: Path, tmp_path: Path) -> None:
    report = labelguard.remap(masks, tmp_path / "out", shift=1, num_classes=4, max_memory=SHORT)
    assert refused(report) == ["large.npy"] and [file.name for file in report.written] == ["a.png"]
    assert refused(labelguard.remap(masks, tmp_path / "again", shift=1, num_classes=4, max_memory=4 * ENOUGH)) == []


@pytest.mark.parametrize("wrong", [0, -1, "1GB", None, True])
def test_a_budget_is_a_number_of_bytes(masks: Path, wrong: object) -> None:
    with pytest.raises(UsageError, match=r"max_memory is .*; it must be a number of bytes above 0"):
        labelguard.scan(masks, max_memory=wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"max_memory is .*; it must be a number of bytes above 0"):
        labelguard.remap(masks, shift=1, max_memory=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("command", ["scan", "remap", "resize", "run", "init"])
def test_commands_count_in_gigabytes(command: str) -> None:
    assert "--max-memory GB" in " ".join(CliRunner().invoke(main, [command, "--help"]).output.split())


@pytest.mark.parametrize("value", ["inf", "nan", "1e300"])
@pytest.mark.parametrize("command", [["scan"], ["remap", "--shift", "1"], ["init"]], ids=lambda command: command[0])
def test_a_budget_that_is_no_number_of_bytes_is_a_fault_of_use(command: list[str], value: str, tmp_path: Path,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "masks", {"a.png": bands(0, 1)})
    result = CliRunner().invoke(main, [*command, "--max-memory", value])
    assert result.exit_code == 2 and "must be a number of bytes above 0" in " ".join(result.output.split())


def test_the_option_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "masks").mkdir()
    with (tmp_path / "masks" / "a.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (11_000, 11_000)})
        file.truncate(file.tell() + 11_000 ** 2)
    result = CliRunner().invoke(main, ["scan", "--max-memory", "0.1", "--jobs", "1"])
    assert result.exit_code == 1 and "takes 0.12 GB" in " ".join(result.output.lower().replace("gb", "GB").split())
