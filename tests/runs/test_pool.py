from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from labelguard.errors import IncompleteError
from labelguard.files.memory import MemoryBudget
from labelguard.runs.pool import _work_on, default_jobs, stream
from labelguard.runs.results import MaskResult
from tests.drawn import bands, folder

FILES = [(f"/x/{number}", f"{number}") for number in range(300)]


@dataclass(frozen=True)
class Work:
    """A function of path and name as a task."""

    function: Callable[[str, str], object]

    def __call__(self, path: str, name: str) -> MaskResult:
        self.function(path, name)
        return MaskResult(name)

    def failed(self, name: str, problem: str) -> MaskResult:
        return MaskResult(name, problem=problem)


def longer_for_some(path: str, name: str) -> None:
    sum(range(20_000 if int(name) % 7 == 0 else 10))


uneven = Work(longer_for_some)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_reports_come_in_the_order_of_the_files(jobs: int) -> None:
    assert [report.path for report in stream(uneven, FILES, jobs)] == [name for _, name in FILES]


@pytest.mark.slow
def test_processes_give_the_same_order_and_do_not_get_in_the_way_of_joblib() -> None:
    from joblib import Parallel, delayed
    assert [report.path for report in stream(uneven, FILES[:40], 2, "loky")] == [name for _, name in FILES[:40]]
    assert Parallel(n_jobs=2)(delayed(abs)(number) for number in (-1, -2)) == [1, 2]
    assert len(list(stream(uneven, FILES[:4], 2, "loky"))) == 4


def test_no_file_ends_the_run() -> None:
    def fragile(path: str, name: str) -> None:
        if name == "3":
            raise MemoryError("too much")
        if name == "5":
            raise ZeroDivisionError

    reports = list(stream(Work(fragile), FILES[:10], 2))
    assert len(reports) == 10 and "needs more memory" in reports[3].problem and "ZeroDivisionError" in reports[5].problem


def test_reports_are_streamed_and_not_collected_first() -> None:
    started = []

    def work(path: str, name: str) -> None:
        started.append(name)

    many = [(f"/x/{number}", f"{number}") for number in range(20_000)]
    reports = stream(Work(work), many, 2)
    for taken, _ in enumerate(reports, start=1):
        assert len(started) < taken + 500
    assert taken == len(started) == len(many)


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_is_begun_after_nobody_listens(jobs: int) -> None:
    started = []

    def work(path: str, name: str) -> None:
        started.append(name)

    reports = stream(Work(work), [("/x", str(number)) for number in range(20_000)], jobs)
    next(reports)
    reports.close()
    assert len(started) < 1_000


def test_an_interrupt_passes_through() -> None:
    def interrupted(path: str, name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(stream(Work(interrupted), FILES[:3], 1))


def test_threads_are_the_default() -> None:
    seen: set[int] = set()
    barrier: Callable[[], int] = threading.Barrier(2, timeout=20).wait

    def meet(path: str, name: str) -> None:
        barrier()  # would time out, were the two not worked on at once in one process
        seen.add(threading.get_ident())

    assert all(not report.problem for report in stream(Work(meet), FILES[:2], 2)) and len(seen) == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_left_by_the_work_on_many_is_worked_on_alone_in_the_same_order(jobs: int) -> None:
    def even(items: Sequence[tuple[str, ...]], most_bytes: int) -> list[MaskResult | None]:
        return [None if int(name) % 2 else MaskResult(name, problem=f"{most_bytes} bytes") for _, name in items]

    results = list(stream(Work(longer_for_some), FILES, jobs, max_memory=6400, at_once=even))
    assert [(result.path, result.problem) for result in results] == [(name, "" if int(name) % 2 else "100 bytes") for _, name in FILES]


def test_where_the_work_on_many_fails_each_file_is_worked_on_alone() -> None:
    def fails(items: Sequence[tuple[str, ...]], most_bytes: int) -> list[MaskResult | None]:
        raise MemoryError

    assert [result.path for result in stream(Work(longer_for_some), FILES, 1, at_once=fails)] == [name for _, name in FILES]


def test_a_full_disk_ends_the_work_on_many_too() -> None:
    def full(items: Sequence[tuple[str, ...]], most_bytes: int) -> list[MaskResult | None]:
        raise IncompleteError("the disk is full")

    with pytest.raises(IncompleteError):
        list(stream(Work(longer_for_some), FILES, 1, at_once=full))


def test_who_stops_does_not_wait_for_a_batch_that_has_not_begun() -> None:
    def begun(items: Sequence[tuple[str, ...]], most_bytes: int) -> list[MaskResult | None]:
        raise IncompleteError("it began")  # which is not taken for a file's own fault

    stopped = threading.Event()
    stopped.set()
    assert _work_on(Work(longer_for_some), FILES[:10], MemoryBudget(1 << 30, 1), stopped, begun) == []


def test_there_is_at_least_one_worker() -> None:
    assert default_jobs() >= 1


def test_scanning_gives_the_same_report_for_any_number_of_workers(tmp_path: Path) -> None:
    from labelguard import LabelSpec, scan
    root = folder(tmp_path / "masks", {f"{number:02}.png": bands(0, 1, number % 9) for number in range(60)})
    (root / "30.png").write_bytes(b"broken")
    reports = [scan(root, spec=LabelSpec(7), jobs=jobs) for jobs in (1, 2, 4)]
    assert reports[0].findings and all(report.findings == reports[0].findings for report in reports)


def test_an_interrupt_inside_compiled_code_is_an_interrupt() -> None:
    def interrupted(path: str, name: str) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise SystemError("CPUDispatcher returned a result with an exception set") from interrupt

    with pytest.raises(KeyboardInterrupt):
        list(stream(Work(interrupted), FILES[:1], 1))


def test_who_stops_waits_for_the_files_under_way_and_not_for_their_batches() -> None:
    stopped = threading.Event()

    def stop(path: str, name: str) -> None:
        if name == "2":
            stopped.set()

    assert [result.path for result in _work_on(Work(stop), FILES[:10], MemoryBudget(1 << 30, 1), stopped)] == ["0", "1", "2"]
