"""One budget of memory: what is refused, who waits for whom."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from labelguard.errors import UnreadableMaskError
from labelguard.files.memory import MemoryBudget, keep, take

LIMIT = 5  # seconds after which a test that hangs fails


def taking(*sizes: int) -> str:
    for size in sizes:
        take(size)
    return "done"


def test_one_file_may_take_what_is_not_set_aside_for_other_workers() -> None:
    budget = MemoryBudget(6400, workers=2)
    assert budget.run(taking, 6000, 300) == "done"
    with pytest.raises(UnreadableMaskError, match=r"--max-memory .* allows"):
        budget.run(taking, 6000, 301)
    assert budget.run(taking, 6300) == "done"


def test_a_refused_file_says_what_it_takes_and_what_allows_it() -> None:
    with pytest.raises(UnreadableMaskError) as refused:
        MemoryBudget(10 ** 9).run(taking, 10 ** 9, 10 ** 9)
    assert str(refused.value) == ("takes 2.00 GB of memory or more, and there are 1.00 GB for one file; --max-memory 2 "
                                  "(max_memory, in bytes) allows that much")
    assert MemoryBudget(2 * 10 ** 9).run(taking, 10 ** 9, 10 ** 9) == "done"


def test_what_is_no_longer_needed_does_not_count() -> None:
    def work() -> str:
        take(900)
        keep(100)
        return taking(900)
    assert MemoryBudget(1000).run(work) == "done"


def test_outside_of_a_run_nothing_is_counted() -> None:
    assert taking(10 ** 15) == "done"


def test_a_large_file_waits_for_another_and_begins_again() -> None:
    budget, begun, go_on, starts = MemoryBudget(6400, workers=2), threading.Event(), threading.Event(), []

    def first() -> None:
        take(4000)
        begun.set()
        assert go_on.wait(LIMIT)

    def second() -> str:
        starts.append(1)
        if len(starts) == 2:
            assert go_on.is_set()
        return taking(1000, 2500)

    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(budget.run, first)
        assert begun.wait(LIMIT)
        two = threads.submit(budget.run, second)
        while not budget._waiting:
            assert not two.done()
        go_on.set()
        assert two.result(LIMIT) == "done" and one.result(LIMIT) is None
    assert len(starts) == 2


def test_many_workers_that_all_want_more_than_half_come_to_an_end() -> None:
    budget, held, most, lock = MemoryBudget(6400, workers=8), [0], [0], threading.Lock()

    def work(number: int) -> int:
        size = 500 * (number % 9)
        for _ in range(4):
            take(size // 4)
        with lock:
            held[0] += size
            most[0] = max(most[0], held[0])
        with lock:
            held[0] -= size
        return number

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda number: budget.run(work, number), range(400))) == list(range(400))
    assert 0 < most[0] <= 6400 and budget._free == 6400 - 8 * budget.allowance


def test_a_fault_gives_the_memory_back() -> None:
    budget = MemoryBudget(1000)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            budget.run(lambda: take(900) or 1 / 0)
    assert budget.run(taking, 900) == "done"


def test_processes_get_a_part_each() -> None:
    part = pickle.loads(pickle.dumps(MemoryBudget(6400, workers=4)))
    assert (part.total, part.workers, part.largest) == (1600, 1, 1600)
