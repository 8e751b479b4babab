"""What a scan takes at most, measured in a process of its own: what it takes for small files, and the budget.

``LABELGUARD_MEMORY=500 pytest tests/runs/test_peak_memory.py -s`` draws each folder with files of so many megabytes, and prints the peaks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs.nasty import FOLDERS

MEGABYTE = 10 ** 6
LARGE = int(os.environ.get("LABELGUARD_MEMORY", "0")) * MEGABYTE
MARGIN = 120 * MEGABYTE  # pieces of a few megabytes for each worker, which are not counted, and what the C library keeps of freed memory
SCAN = """
import json, sys, labelguard
report = labelguard.scan(sys.argv[1], max_memory=int(sys.argv[2]), jobs=int(sys.argv[3]))
with open("/proc/self/status") as status:  # ru_maxrss begins with what the parent had taken
    peak = next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps([peak, [f"{finding.path}: {finding.message}" for finding in report.findings if finding.code == "LG001"]]))
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell what a process has taken at most")


def scanned(folder: Path, budget: int, jobs: int) -> tuple[int, list[str]]:
    """The peak of a scan in bytes, and what was refused."""
    done = subprocess.run([sys.executable, "-c", SCAN, folder, str(budget), str(jobs)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    peak, refused = json.loads(done.stdout)
    return peak, refused


def drawn(folder: Path, size: int, names: tuple[str, ...] = tuple(FOLDERS)) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        FOLDERS[name](folder / name, size)
    return folder


def test_the_budget_holds_for_all_workers_together(tmp_path: Path) -> None:
    budget = 100 * MEGABYTE
    base, _ = scanned(drawn(tmp_path / "small", MEGABYTE // 20, ("sparse_arrays", "photographs")), budget, 1)
    large = drawn(tmp_path / "large", 70 * MEGABYTE, ("sparse_files", "sparse_arrays"))
    drawn(large / "more", 3 * MEGABYTE // 10, ("many_ids", "empty_chunks", "comments", "photographs"))
    peak, refused = scanned(large, budget, 4)
    assert peak < base + budget + MARGIN
    assert [line for line in refused if "--max-memory" in line] == [  # its bytes must be swapped, so that it is held twice
        "sparse_arrays/swapped.npy: Takes 0.14 GB of memory or more, and there are 0.10 GB for one file; --max-memory 0.2 (max_memory, in "
        "bytes) allows that much."]


@pytest.mark.skipif(not LARGE, reason="LABELGUARD_MEMORY says how many megabytes each file has")
@pytest.mark.parametrize("name", FOLDERS)
def test_the_budget_holds_for_large_files(name: str, tmp_path: Path) -> None:
    base, _ = scanned(drawn(tmp_path / "small", MEGABYTE // 20, (name,)), 10 ** 9, 1)
    peak, refused = scanned(drawn(tmp_path / "large", LARGE, (name,)), 10 ** 9, 2)
    print(f"\n{name}: {peak / 1e6:,.0f} MB, {base / 1e6:,.0f} of them for small files", *refused, sep="\n    ")
    assert peak < base + 10 ** 9 + MARGIN
