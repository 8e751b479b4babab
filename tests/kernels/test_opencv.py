"""OpenCV's number of threads belongs to the whole process: it is changed while our workers run, and put back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread

import cv2
import pytest

from labelguard.kernels.opencv import one_thread, opencv

BLOCKED = """
import sys, warnings
sys.modules["cv2"] = None  # importing it raises ImportError
import numpy as np
from labelguard.pairing.alignment.edge_maps import edge_evidence
rng = np.random.default_rng(0)
labels = rng.integers(0, 3, (9, 12)).repeat(30, 0).repeat(30, 1)
image = (labels[..., None] * [80, 40, 20] + rng.integers(0, 9, (*labels.shape, 3))).astype(np.uint8)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(edge_evidence(image, labels).image_map.astype(int).tolist())
assert len(caught) == BLOCK and all("opencv-python-headless" in str(each.message) for each in caught)
"""


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    before = cv2.getNumThreads()
    cv2.setNumThreads(3)
    yield
    cv2.setNumThreads(before)


def test_a_worker_uses_one_thread_and_the_setting_is_put_back() -> None:
    with one_thread():
        assert opencv() is cv2 and cv2.getNumThreads() == 1
        opencv()
    assert cv2.getNumThreads() == 3


def test_it_is_put_back_after_a_fault() -> None:
    with pytest.raises(ZeroDivisionError), one_thread():
        opencv()
        raise ZeroDivisionError
    assert cv2.getNumThreads() == 3


def test_nothing_changes_outside_of_workers_or_where_it_is_not_used() -> None:
    assert opencv() is cv2 and cv2.getNumThreads() == 3
    with one_thread():
        assert cv2.getNumThreads() == 3


def test_the_last_of_several_workers_puts_it_back() -> None:
    def other_worker() -> None:
        with one_thread():
            opencv()

    with one_thread():
        opencv()
        thread = Thread(target=other_worker)
        thread.start()
        thread.join()
        assert cv2.getNumThreads() == 1
    assert cv2.getNumThreads() == 3


def test_what_somebody_else_sets_meanwhile_stays() -> None:
    with one_thread():
        opencv()
        cv2.setNumThreads(2)
    assert cv2.getNumThreads() == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_forked_meanwhile_starts_anew() -> None:
    with one_thread():
        opencv()
        child = os.fork()
        if child == 0:
            with one_thread():
                inside = opencv() is cv2 and cv2.getNumThreads()
            os._exit(0 if inside == 1 and cv2.getNumThreads() == 3 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert cv2.getNumThreads() == 3


def test_without_it_the_results_are_the_same_and_it_is_said_once() -> None:
    without, with_it = (subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
                        for code in (BLOCKED.replace("BLOCK", "1"), BLOCKED.replace('sys.modules["cv2"] = None', "").replace("BLOCK", "0")))
    assert without == with_it and without
