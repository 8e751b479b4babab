"""What looks after a worker where the system hands no orphans over; the keeper itself is tested in test_runner.py."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from labelguard.lossprobe.supervisor.launcher import ADAPTERS

_WORKER = """
import sys
sys.path.insert(0, sys.argv[1])
import keeper
keeper._prctl = lambda *_: False
keeper.split()
import os, subprocess, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(3600)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(3600)
"""
_SUPERVISOR = ("import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', sys.argv[1], sys.argv[2]], start_new_session=True)\n"
               "sys.stdin.read()")


def runs(pid: str) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_without_a_keeper_a_thread_ends_the_process_group_once_the_supervisor_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", _SUPERVISOR, _WORKER, str(ADAPTERS.parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as supervisor:
        assert supervisor.stdout is not None
        left = supervisor.stdout.readline().split()
        assert len(left) == 2 and all(map(runs, left))
        supervisor.kill()
    for _ in range(100):
        if not any(map(runs, left)):
            return
        time.sleep(0.1)
    raise AssertionError(f"{left} are still there")
