"""StandardError: what a worker writes there, however much that is."""

from __future__ import annotations

import contextlib
import os
import re
from typing import IO

_KEPT = 1 << 16      # bytes kept of the beginning, and of the end
_LONGEST_LINE = 1 << 12
# How a failed assertion is reported: by kernels of PyTorch on CUDA in two forms (c10/macros/Macros.h), and by HIP and C in a third.
_ASSERTIONS = re.compile(rb"\[CUDA_KERNEL_ASSERT\][^\n]*?Assertion failed: `(?P<marked>[^`\n]*)`|"
                         rb"thread: \[[\d, ]+\][^\n]*?[Aa]ssertion `(?P<threads>[^`\n]*?)[`'] failed|"
                         rb"[Aa]ssertion `(?P<plain>[^`\n]*?)[`'] failed")


class StandardError:
    """The reading end of a pipe: never waits, keeps little, and searches everything.

    Parameters
    ----------
    pipe
        The pipe; it is made non-blocking.

    Attributes
    ----------
    pipes
        The pipe, for `select`; empty once it has ended.
    assertion
        The first failed assertion that was reported; empty while there is none.
    by_kernel : bool
        Whether the report is of a form that only a kernel on a device gives.
    """

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
        self.pipes, self.assertion, self.by_kernel = [pipe], "", False
        self._head = self._tail = self._rest = b""

    def read(self) -> None:
        """Take everything that is there."""
        try:
            while self.pipes and (chunk := os.read(self.pipes[0].fileno(), 1 << 16)):
                self._take(chunk)
        except BlockingIOError:
            return
        self.close()

    def _take(self, chunk: bytes) -> None:
        room = max(_KEPT - len(self._head), 0)
        self._head += chunk[:room]
        self._tail = (self._tail + chunk[room:])[-_KEPT:]
        self._rest += chunk
        if not self.assertion and (found := _ASSERTIONS.search(self._rest)):
            self.by_kernel = found["plain"] is None
            self.assertion = (found["marked"] or found["threads"] or found["plain"] or b"").decode(errors="replace").strip()
        self._rest = self._rest[self._rest.rfind(b"\n") + 1:][-_LONGEST_LINE:]

    def text(self) -> str:
        """Everything that was kept."""
        return (self._head + self._tail).decode(errors="replace")

    def last_line(self) -> str:
        """The last line that is not empty."""
        return next((line.strip() for line in reversed(self.text().splitlines()) if line.strip()), "")[:500]

    def close(self) -> None:
        """Close the pipe."""
        for pipe in self.pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        self.pipes = []
