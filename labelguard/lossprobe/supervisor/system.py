"""What the system says about processes; on systems without /proc that is nothing."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MARK = "LABELGUARD_WORKER"  # in the environment of a worker, and so of every process that it starts


def memory_of(pid: int) -> int:
    """Memory in bytes that a process holds, in swap or not; 0 where the system does not say."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("VmRSS:", "VmSwap:")))
    except (OSError, IndexError, ValueError):
        return 0


def memory_kills() -> int | None:
    """How many processes the system has ended so far because memory ran out; None where it does not say."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
    except (OSError, IndexError, ValueError, StopIteration):
        return None


def seconds_starved(pid: int) -> float:
    """Seconds for which a process was ready to run while others ran instead; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return 0.0


def inheritors(mark: str) -> list[int]:
    """Processes that inherited the environment of a worker; none where the system does not say."""
    found, wanted = list[int](), f"{MARK}={mark}".encode()
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if wanted in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.append(int(name))
    return found


def available_memory() -> float:
    """Memory in bytes that the system reports as available, within the limit of the control group."""
    amounts = []
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        amounts.append(float(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) * 1024)
    with contextlib.suppress(OSError, ValueError):
        limit = float(Path("/sys/fs/cgroup/memory.max").read_text())
        amounts.append(limit - float(Path("/sys/fs/cgroup/memory.current").read_text()))
    return min(amounts, default=float("inf"))
