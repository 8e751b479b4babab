"""WorkerProcess: a worker, its line, its standard error, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_SIZES = struct.Struct("<II")
_KEPT = 1 << 16      # bytes of standard error that are kept, of the beginning and of the end
_MOST_CHUNKS = 64    # are taken from standard error at a time: somebody may print without end
_LOOK_EVERY = 0.05   # seconds between two looks at the memory
_OF_MEMORY = 0.85    # of what was available at the start, a worker may take
_NEVER_INHERITED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
_ENVIRONMENT = {"CUDA_LAUNCH_BLOCKING": "1", "PYTORCH_USE_CUDA_DSA": "1", "PYTHONFAULTHANDLER": "1", "TF_CPP_MIN_LOG_LEVEL": "2",
                "GLOG_v": "0", "PYTHONIOENCODING": "utf-8"}
# The two forms in which CUDA kernels of PyTorch report a failed assertion (c10/macros/Macros.h).
_ASSERTIONS = re.compile(r"[^\n]*?Assertion `(?P<old>[^`\n]*)` failed|\[CUDA_KERNEL_ASSERT\][^\n]*?Assertion failed: `(?P<new>[^`\n]*)`")
_FAULT_LINE = re.compile(r'^  File "(?P<path>[^"<]+)", line (?P<line>\d+) in ', re.MULTILINE)


class Hung(Exception):
    """Nothing came in time."""


class Ended(Exception):
    """The worker is gone."""


class TooMuchMemory(Exception):
    """The worker took more memory than there is to spare, and was ended."""


class WorkerProcess:
    """A worker that has been started.

    Parameters
    ----------
    python
        The interpreter.
    init
        The first message; see worker.py.
    max_memory
        Bytes that it may take; None: a share of what is available.
    """

    def __init__(self, python: str, init: dict[str, Any], max_memory: float | None = None) -> None:
        foreign = os.path.realpath(python) != os.path.realpath(sys.executable)
        environment = {key: value for key, value in os.environ.items() if not (foreign and key in _NEVER_INHERITED)} | _ENVIRONMENT
        self._popen = subprocess.Popen([python, "-u", str(_HERE / "worker.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment, start_new_session=True, bufsize=0)
        self._memory = _OF_MEMORY * _available_memory() if max_memory is None else max_memory
        with contextlib.suppress(OSError):  # should memory run out all the same, the worker goes first
            Path(f"/proc/{self._popen.pid}/oom_score_adj").write_text("1000")
        self._errors = _Tail(self._popen.stderr)
        self._waiting = b""
        self.send(init)

    def send(self, header: dict[str, Any], payload: bytes | memoryview = b"") -> None:
        """Send a message; a worker that is gone is noticed by `receive`."""
        text = json.dumps(header).encode()
        assert self._popen.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            for part in (_SIZES.pack(len(text), len(payload)) + text, payload):
                rest = memoryview(part)
                while rest:
                    rest = rest[self._popen.stdin.write(rest):]

    def receive(self, seconds: float) -> dict[str, Any]:
        """The next message.

        Raises
        ------
        Hung
            When there is none within `seconds`.
        Ended
            When there will be none.
        TooMuchMemory
            When the worker had to be ended.
        """
        deadline = time.monotonic() + seconds
        header: dict[str, Any] = json.loads(self._take(_SIZES.unpack(self._take(_SIZES.size, deadline))[0], deadline))
        return header

    def _take(self, count: int, deadline: float) -> bytes:
        assert self._popen.stdout is not None
        while len(self._waiting) < count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Hung
            ready, _, _ = select.select([self._popen.stdout], [], [], min(left, _LOOK_EVERY))
            if not ready:
                if self.memory() > self._memory:
                    self.kill()
                    raise TooMuchMemory
                continue
            chunk = os.read(self._popen.stdout.fileno(), 1 << 16)
            if not chunk:
                raise Ended
            self._waiting += chunk
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    def memory(self) -> int:
        """Bytes that the worker holds; 0 where that cannot be told."""
        try:
            return int(Path(f"/proc/{self._popen.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0

    def kill(self) -> None:
        """End the worker and whatever it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()

    def close(self) -> None:
        """Hang up; a worker that does not leave by itself is ended, and so is whatever it leaves behind."""
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(2)
        self.kill()
        self._errors.join()

    def ending(self) -> tuple[str, str]:
        """How the worker ended, as ``death`` or ``exit`` or ``out-of-memory``, and in words."""
        try:
            code = self._popen.wait(5)
        except subprocess.TimeoutExpired:  # it closed its line, and lives on
            self.kill()
            return "exit", "closed its line"
        if code == -signal.SIGKILL:
            return "out-of-memory", "killed by the system (signal SIGKILL), which mostly means that memory ran out"
        if code < 0:
            return "death", f"signal {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"signal {-code}"
        return "exit", f"exit code {code}"

    def assertion(self) -> str:
        """The device-side assertion that standard error reports, since the last call; empty where there is none."""
        found = _ASSERTIONS.search(self._errors.fresh())
        return (found["old"] or found["new"]).strip() if found else ""

    def place(self) -> str:
        """The user's line that was running when the worker died or hung, as Python's fault handler reports it."""
        self._errors.join(0.5)
        for frame in _FAULT_LINE.finditer(self._errors.text()):
            path = frame["path"]
            if "site-packages" in path or "dist-packages" in path or path.startswith(str(_HERE)) or "/lib/python" in path:
                continue
            with contextlib.suppress(OSError, IndexError):
                line = Path(path).read_text(errors="replace").splitlines()[int(frame["line"]) - 1].strip()
                return f"{path}:{frame['line']}: {line}"
            return f"{path}:{frame['line']}"
        return ""


class _Tail(threading.Thread):
    """Empties a pipe, and keeps the beginning and the end of what came."""

    def __init__(self, pipe: Any) -> None:
        super().__init__(daemon=True)
        self._pipe, self._head, self._tail, self._seen = pipe, b"", b"", 0
        self._lock = threading.Lock()
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while select.select([self._pipe], [], []) and self._take() != b"":
                pass
        with self._lock:
            self._pipe.close()

    def _take(self) -> bytes | None:
        """Take what lies in the pipe: nothing at its end, None where nothing lies there yet."""
        with self._lock:
            if not select.select([self._pipe], [], [], 0)[0]:
                return None
            chunk = os.read(self._pipe.fileno(), 1 << 16)
            room = _KEPT - len(self._head)
            self._head += chunk[:room] if room > 0 else b""
            self._tail = (self._tail + chunk[max(room, 0):])[-_KEPT:]
            return chunk

    def text(self) -> str:
        """Everything that was kept."""
        with self._lock:
            return (self._head + self._tail).decode(errors="replace")

    def fresh(self) -> str:
        """What was kept since the last call, and what the worker wrote before its latest message: that lies in the pipe at least."""
        with contextlib.suppress(OSError, ValueError):
            for _ in range(_MOST_CHUNKS):
                if not self._take():
                    break
        text = self.text()
        fresh, self._seen = text[min(self._seen, len(text)):] if len(text) < _KEPT else text[-_KEPT:], len(text)
        return fresh


def _available_memory() -> float:
    """Bytes that could be taken: what the system reports as available, within the limit of the control group."""
    amounts = []
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        amounts.append(float(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) * 1024)
    with contextlib.suppress(OSError, ValueError):
        limit = float(Path("/sys/fs/cgroup/memory.max").read_text())
        amounts.append(limit - float(Path("/sys/fs/cgroup/memory.current").read_text()))
    return min(amounts, default=float("inf"))
