"""Time things in turn, and say on what machine."""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Times:
    """Seconds that one piece of work took, in each round."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return median(self.seconds)


def in_turn(works: Mapping[str, Callable[[], object]], rounds: int, at_least: float = 0.5,
            clock: Callable[[], float] = time.perf_counter) -> dict[str, Times]:
    """Time all works, one after the other, round after round, so that a busy machine slows all of them alike.

    Each is run once before. In a round a work is repeated until it has taken `at_least` seconds, so that none is judged by a shorter
    moment than the others; what is kept is the mean of its repeats.
    `clock` tells the time: `time.process_time` that of the processor, which depends little on what else the machine does.
    """
    repeats = {name: max(1, math.ceil(at_least / _seconds(work, 2, clock))) for name, work in works.items()}
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name].append(_seconds(work, repeats[name], clock))
    return {name: Times(tuple(taken)) for name, taken in seconds.items()}


def _seconds(work: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(repeats):
        work()
    return (clock() - start) / repeats


def peak_memory() -> float:
    """The most memory that this process has held, in MB.

    `ru_maxrss` would do, but on Linux a child starts with that of its parent.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if platform.system() == "Linux" else 1 << 20)


def machine() -> str:
    """Processor, cores, memory and system, and how busy it is, in a line."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
            model = next((line.partition(":")[2].strip() for line in info if line.startswith("model name")), model)
    except OSError:
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2 ** 30:.0f} GiB of memory" if hasattr(os, "sysconf") else ""
    load = f", load {os.getloadavg()[0]:.1f} to begin with" if hasattr(os, "getloadavg") else ""
    return f"{model}, {cores} cores{memory}, {platform.system()} {platform.release()}{load}"


def versions(packages: Sequence[str]) -> str:
    """Python and the packages that are installed, with their versions."""
    found = [f"Python {platform.python_version()}"]
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def report(description: str | None, results: str, parts: Callable[[int], Iterable[str]]) -> None:
    """The command line of a benchmark: print the parts of its report as they come, and keep them where that is asked for.

    `parts` gives them for a number of rounds; `results` is the file beside this one.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it runs")
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/{results}")
    options = parser.parse_args()
    said = []
    for part in parts(3 if options.quick else 9):
        print(part, flush=True, end="\n\n")
        said.append(part)
    if options.write:
        (Path(__file__).parent / results).write_text("\n\n".join(said) + "\n", encoding="utf-8")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; the first column to the left, the others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
