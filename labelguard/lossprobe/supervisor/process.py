"""WorkerProcess: a worker, the messages to and from it, and its end.

What was started is its keeper, which ends as it does; on other systems than Linux, both are one process.
"""

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
import time
import uuid
from pathlib import Path
from typing import Any

from labelguard.lossprobe.supervisor import system
from labelguard.lossprobe.supervisor.settings import FRAMEWORKS
from labelguard.lossprobe.supervisor.stderr import StandardError

_HOME = Path(__file__).parent.parent
_SIZES = struct.Struct("<II")
_CHECK_EVERY = 0.05   # seconds between two checks of its memory
_MOST_KILLS = 100
_SECONDS_TO_SWEEP = 3.0  # in which a keeper ends everything that belongs to its worker
_LONGEST_HEADER = 1 << 24
_WATCHED, _GROWING = 0.5, 0.01  # seconds, and the share of its limit by which the memory of a worker grows in them that has run wild
_MUCH = 0.5           # of the memory that a worker may use: whoever kills it then may do so for that
_MEMORY_SHARE = 0.85  # of what was available at the start, a worker may use this much
_NEVER_INHERITED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
_ENVIRONMENT = {"CUDA_LAUNCH_BLOCKING": "1", "PYTORCH_USE_CUDA_DSA": "1", "PYTHONFAULTHANDLER": "1", "TF_CPP_MIN_LOG_LEVEL": "2",
                "PYTHONIOENCODING": "utf-8",
                # glibc returns large blocks at once and takes fresh pages for the next ones: more than half of the time of a pass
                "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
_INSTALLED = re.compile(r"/(?:site|dist)-packages/(?P<library>\w+)")
_DUMPS = ("Fatal Python error: ", "Timeout (")    # how the fault handler begins
_FAULT_LINE = re.compile(r'^  File "(?P<path>[^"<]+)", line (?P<line>\d+) in ', re.MULTILINE)


class WorkerHungError(Exception):
    """No message came in time."""


class WorkerEndedError(Exception):
    """The worker is gone."""


class WorkerGarbledError(Exception):
    """Something else than a message came: the loss writes to the line."""


class WorkerMemoryError(Exception):
    """The worker used more memory than there is to spare, and was ended."""


class WorkerProcess:
    """A worker that is running; see `start`.

    Parameters
    ----------
    popen
        Its process, with a pipe for each of the three standard streams.
    mark
        What tells it and all processes that it starts from others, in their environment.
    max_memory
        Memory in bytes that it may use.

    Attributes
    ----------
    started : bool
        Whether it has said that its interpreter and numpy work; nothing of the user's has run before.
    """

    def __init__(self, popen: subprocess.Popen[bytes], mark: str, max_memory: float) -> None:
        self._popen, self._mark, self._max_memory = popen, mark, max_memory
        self._pid = popen.pid
        self._key = b"\xff" + os.urandom(15)  # what it sends begins with this, and no text does: a single byte of it is told from a message
        self._errors = StandardError(popen.stderr)
        self._waiting = b""
        self.started = False
        self._held, self._starved = 0, 0.0
        self._most, self._kills_before = 0, system.memory_kills()

    @classmethod
    def start(cls, python: str, init: dict[str, Any], max_memory: float | None = None) -> WorkerProcess:
        """Start a worker and send it its first message, without waiting for an answer.

        Parameters
        ----------
        python
            The interpreter.
        init
            The first message; see worker.py.
        max_memory
            Memory in bytes that it may use; None: a share of what is available.

        Raises
        ------
        OSError
            When the interpreter cannot be started.
        """
        foreign = os.path.abspath(python) != os.path.abspath(sys.executable)  # environments may share one real file
        environment = _ENVIRONMENT | {key: value for key, value in os.environ.items() if not (foreign and key in _NEVER_INHERITED)}
        mark = uuid.uuid4().hex
        popen = subprocess.Popen([python, "-u", str(_HOME / "worker")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=environment | {system.MARK: mark}, start_new_session=True, bufsize=0)
        worker = cls(popen, mark, _MEMORY_SHARE * system.available_memory() if max_memory is None else max_memory)
        worker.send(init | {"key": worker._key.hex()})
        return worker

    def send(self, header: dict[str, Any], payload: bytes | memoryview = b"") -> None:
        """Send a message; `receive` notices a worker that is gone."""
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
        WorkerHungError
            When there is none within `seconds`.
        WorkerEndedError
            When there will be none.
        WorkerGarbledError
            When something else comes.
        WorkerMemoryError
            When the worker had to be ended.
        """
        deadline = time.monotonic() + seconds
        self._starved = system.seconds_starved(self._pid)
        while (header := self._message(deadline))["op"] == "started":
            self._pid, self.started = int(header["pid"]), True
        return header

    def _message(self, deadline: float) -> dict[str, Any]:
        start = len(self._key) + _SIZES.size
        self._fill(start, deadline)
        length, _ = _SIZES.unpack(self._waiting[len(self._key):start])
        if not self._waiting.startswith(self._key) or length > _LONGEST_HEADER:
            raise WorkerGarbledError
        self._fill(start + length, deadline)
        text, self._waiting = self._waiting[start:start + length], self._waiting[start + length:]
        try:
            header = json.loads(text)
        except (ValueError, RecursionError):
            raise WorkerGarbledError from None
        if not (isinstance(header, dict) and isinstance(header.get("op"), str)):
            raise WorkerGarbledError
        return header

    def _fill(self, count: int, deadline: float) -> None:
        """Wait until so many bytes of a message are there."""
        assert self._popen.stdout is not None
        while len(self._waiting) < count:
            if not self._key.startswith(self._waiting[:len(self._key)]):
                raise WorkerGarbledError
            left = deadline - time.monotonic()
            if left <= 0:
                deadline += (left := self._allowance())
            ready, _, _ = select.select([self._popen.stdout, *self._errors.pipes], [], [], min(left, _CHECK_EVERY))
            self._errors.read()
            if self._popen.stdout in ready:
                chunk = os.read(self._popen.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise WorkerEndedError
                self._waiting += chunk
            elif not ready and self._popen.poll() is not None:  # gone, though a child of it still holds its end of the pipe
                raise WorkerEndedError
            else:
                self._most = max(self._most, memory := system.memory_of(self._pid))
                if memory > self._max_memory:
                    self.kill()
                    raise WorkerMemoryError
        self._errors.read()  # what was written before the message

    def _allowance(self) -> float:
        """Seconds more for a worker whose time is over: as many as it was kept waiting for a processor, or while its memory runs wild.

        Raises
        ------
        WorkerHungError
            When there is neither.
        """
        starved, self._starved = self._starved, system.seconds_starved(self._pid)
        held, self._held = self._held, system.memory_of(self._pid)
        seconds = max(self._starved - starved, _WATCHED if self._held - held > _GROWING * self._max_memory else 0.0)
        if seconds < _CHECK_EVERY:
            raise WorkerHungError
        return seconds

    def kill(self) -> None:
        """End the worker and every process that it has started, in its process group or not."""
        if self._pid != self._popen.pid:
            self._popen.terminate()  # the keeper knows what belongs to it
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(_SECONDS_TO_SWEEP)
        if self._popen.poll() is None or self._pid == self._popen.pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()
        for _ in range(_MOST_KILLS):  # again, for those that were just being started
            left = system.inheritors(self._mark)
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                return
            time.sleep(0.01)

    def close(self) -> None:
        """Close the pipes; a worker that does not leave by itself is ended, and so is everything it leaves behind."""
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(2)
        self.kill()
        self._errors.close()

    def ending(self) -> tuple[str, str]:
        """How the worker ended: ``death``, ``exit`` or ``out-of-memory``; and in words."""
        try:
            code = self._popen.wait(5)
        except subprocess.TimeoutExpired:  # it closed its pipe, and lives on
            self.kill()
            return "exit", "closed its output"
        if code == -signal.SIGKILL and self._ran_out_of_memory():
            return "out-of-memory", "killed by the system (signal SIGKILL), usually because memory ran out"
        if code < 0:
            return "death", f"signal {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"signal {-code}"
        self._errors.read()
        last = self._errors.last_line() if code else ""
        return "exit", f"exit code {code}" + f": {last}" * bool(last)

    def _ran_out_of_memory(self) -> bool:
        """Whether memory may be why it was killed: the system counts such kills, or does not say; or much of it was taken."""
        kills = system.memory_kills()
        return kills is None or kills != self._kills_before or self._most > _MUCH * self._max_memory

    def assertion(self, by_kernel: bool = False) -> str:
        """The failed assertion reported on standard error; empty where there is none, or none of a form that only kernels give."""
        self._errors.read()
        return self._errors.assertion if self._errors.by_kernel or not by_kernel else ""

    def place(self, wait: float = 0.0) -> str:
        """The line that was running when the worker died or hung, as Python's fault handler reports it: the user's, or else a library's.

        A worker that hangs may take so many seconds more for the report.
        """
        deadline = time.monotonic() + wait
        while not any(words in self._errors.text() for words in _DUMPS) and time.monotonic() < deadline and self._errors.pipes:
            select.select(self._errors.pipes, [], [], _CHECK_EVERY)
            self._errors.read()
        self._errors.read()
        text, found = self._errors.text(), ""
        dump = max(text.rfind(words) for words in _DUMPS)
        for frame in _FAULT_LINE.finditer(text, max(dump, 0)):
            path = frame["path"]
            installed = _INSTALLED.search(path)
            if path.startswith(str(_HOME)) or (installed["library"] in FRAMEWORKS if installed else "/lib/python" in path):
                continue
            line = f"{path}:{frame['line']}"
            with contextlib.suppress(OSError, IndexError):
                line += f": {Path(path).read_text(errors='replace').splitlines()[int(frame['line']) - 1].strip()}"
            if installed is None:
                return line
            found = found or f"{line} (in {installed['library']})"
        return found

    def words(self) -> str:
        """What it wrote to standard error, as far as it was kept."""
        return self._errors.text()

    def last_words(self) -> str:
        """The last line on standard error."""
        self._errors.read()
        return self._errors.last_line()
