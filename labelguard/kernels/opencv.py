"""OpenCV, imported where it is first needed, and kept to one thread while our own workers are busy.

Each of our workers is a thread already: OpenCV's own pool of threads would wait for the same processors, and takes more than twice the
time. How many threads it uses is a setting of the whole process, which may be somebody else's: it is put back when the last worker is done.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from types import ModuleType

_lock = Lock()
_workers = 0                     # that are inside `one_thread`
_theirs: int | None = None       # the setting that we have found, while ours holds


def opencv() -> ModuleType | None:
    """The module ``cv2``, whose import takes 50 ms; None, and a warning once, where it cannot be imported."""
    global _theirs
    module = _imported()
    with _lock:
        if module is not None and _workers and _theirs is None:
            _theirs = module.getNumThreads()
            module.setNumThreads(1)
    return module


@cache
def _imported() -> ModuleType | None:
    try:
        import cv2
    except ImportError as problem:  # opencv-python needs libGL, which slim images of Docker lack
        warnings.warn(f"OpenCV cannot be imported ({problem}), so labelguard looks at shapes and edges with numpy: same results, more "
                      "slowly. 'pip install opencv-python-headless' brings the speed back.", RuntimeWarning, stacklevel=3)
        return None
    return cv2


@contextmanager
def one_thread() -> Iterator[None]:
    """Whatever a worker does in here, OpenCV does in the worker's own thread; nothing is imported for that."""
    global _workers
    with _lock:
        _workers += 1
    try:
        yield
    finally:
        with _lock:
            _workers = max(0, _workers - 1)
            if not _workers:
                _put_back()


def _put_back() -> None:
    """Give OpenCV the threads again that it had, unless somebody else has changed that since."""
    global _theirs
    module = _imported() if _theirs is not None else None
    if module is not None and _theirs is not None and module.getNumThreads() == 1:
        module.setNumThreads(_theirs)
    _theirs = None


def _after_fork() -> None:
    """In a forked process none of our workers goes on, and the lock may have been held by one of them."""
    global _lock, _workers
    _lock, _workers = Lock(), 0
    _put_back()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
