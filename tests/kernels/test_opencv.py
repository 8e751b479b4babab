"""OpenCV's number of threads belongs to the whole process: it is changed while our workers run, and put back."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import cv2
import pytest

from labelguard.kernels.opencv import one_thread, opencv


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
