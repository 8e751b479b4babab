"""OpenCV, imported where it is first needed, and kept to one thread while our own workers are busy.

Each of our workers is a thread already: OpenCV's own pool of threads would wait for the same processors, and takes more than twice the
time. How many threads it uses is a setting of the whole process, which may be somebody else's: it is put back when the last worker is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import ModuleType

_lock = Lock()
_workers = 0                     # that are inside `one_thread`
_theirs: int | None = None       # the setting that we have found, while ours holds


def opencv() -> ModuleType:
    """The module ``cv2``; importing it takes 50 ms."""
    global _theirs
    import cv2
    with _lock:
        if _workers and _theirs is None:
            _theirs = cv2.getNumThreads()
            cv2.setNumThreads(1)
    return cv2


@contextmanager
def one_thread() -> Iterator[None]:
    """Whatever a worker does in here, OpenCV does in the worker's own thread; nothing is imported for that."""
    global _workers, _theirs
    with _lock:
        _workers += 1
    try:
        yield
    finally:
        with _lock:
            _workers -= 1
            if not _workers and _theirs is not None:
                import cv2
                cv2.setNumThreads(_theirs)
                _theirs = None
