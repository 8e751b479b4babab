from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from labelguard.kernels import jit


def double(number: int) -> int:
    return number + number


# Kernels as plain Python, where each part that counts no references looks at what it gives back.
PLAIN = """
import functools
import numpy as np
from labelguard.kernels import jit

called = set()

def watched(function):
    @functools.wraps(function)
    def call(*given):
        result = function(*given)
        assert not any(isinstance(part, np.ndarray) for part in (result if isinstance(result, tuple) else [result])), function.__name__
        called.add(function.__name__)
        return result
    return call

jit.inner = watched
from labelguard.kernels import area_vote, png_tally, tally, unfilter
from labelguard.kernels import label_runs

labels = np.random.default_rng(0).integers(0, 9, (24, 24), np.uint8).repeat(2, axis=0).repeat(2, axis=1)
area_vote.area_vote(labels, 19, 17, 256, np.full(256, 9), True)
label_runs.count_label_runs(labels, tally.tally(labels, 256))
for kind in range(5):
    stream = np.pad(labels, ((0, 0), (1, 0)), constant_values=kind).ravel()
    unfilter.unfilter(stream, 48, 48, 1), unfilter.unfilter(stream, 48, 48, 3)
    for bits in (8, 4):
        png_tally.png_tally(stream[:24 * (1 + 6 * bits)].reshape(24, -1).ravel(), 24, 48, bits, np.empty((0, 0), np.uint8), True)
print(*sorted(called))
"""


def test_parts_that_count_no_references_give_no_arrays_back() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PLAIN], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, text=True,
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    assert {"_elect", "_remember", "_undo_paeth", "changed_row", "take_ends", "_unpack_row"} <= set(done.stdout.split())


def test_where_machine_code_cannot_be_kept_it_is_compiled_and_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class Numba:
        @staticmethod
        def njit(*, cache: bool = False, **_: bool) -> Callable[[object], object]:
            if cache:
                raise RuntimeError("cannot cache function: no locator available")
            return lambda function: ("compiled", function)

    monkeypatch.setattr(jit, "numba", Numba)
    monkeypatch.setattr(jit, "_why_not_kept", "")
    assert jit.maker(len) == ("compiled", len)  # type: ignore[comparison-overlap]
    assert "can be written to" in jit.why_not_kept()


def test_a_full_disk_does_not_stop_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(jit, "_why_not_kept", "")
    monkeypatch.setattr("numba.core.caching.Cache.save_overload", full)
    assert jit.twin(abs)(double)(21) == 42 and jit.why_not_kept() == "no space left on device"
