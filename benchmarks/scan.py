"""How fast is a scan beside what people run instead?

    python -m benchmarks.scan [--quick] [--rounds N] [--write]

Draws its masks once, into benchmarks/.cache. Everything is timed in turn, so ratios hold on a busy machine where throughputs do not.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks import contestants, timing
from benchmarks.contestants import CONTESTANTS, SCRIPT

_HERE = Path(__file__).resolve().parent
_CACHE = _HERE / ".cache"
_OURS = "labelguard, all checks"
_PACKAGES = ("numpy", "zlib-ng", "deflate", "joblib", "Pillow", "opencv-python", "torch", "ultralytics", "nnunetv2")
_TARGETS = {"2048 x 1024": 32.0, "480 x 360": 6.5}  # times the script, and times Ultralytics
_TARGETS_ULTRALYTICS = {"2048 x 1024": 24.0, "480 x 360": 5.0}
_TARGET_THREADS, _TARGET_MEGABYTES = 1.85, 50.0
_PROCESSOR = "processor seconds: "


class Masks(NamedTuple):
    """A folder of masks, and how many classes its spec declares."""

    name: str
    folder: Path
    classes: int

    @property
    def number(self) -> int:
        return len(list(self.folder.glob("*.png")))


class Warm(NamedTuple):
    """What everybody took in each round: by the clock, and of the processor, which does not depend on what else the machine does. The
    latter is that of one process: of whom starts others it is not known."""

    clock: dict[str, timing.Times]
    processor: dict[str, timing.Times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few files, few rounds: to see that it runs")
    parser.add_argument("--rounds", type=int, default=5, help="how often everybody has a turn")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    parser.add_argument("--once", nargs=4, metavar=("CONTESTANT", "FOLDER", "CLASSES", "WORKERS"), help=argparse.SUPPRESS)
    parser.add_argument("--turns", nargs=4, metavar=("CONTESTANT", "FOLDER", "CLASSES", "WORKERS"), help=argparse.SUPPRESS)
    parser.add_argument("--peak", nargs=1, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        name, folder, classes, workers = options.once
        CONTESTANTS[name](Path(folder), int(classes), int(workers))()
    elif options.turns:
        name, folder, classes, workers = options.turns
        run = CONTESTANTS[name](Path(folder), int(classes), int(workers))
        for _ in sys.stdin:  # a line asks for a turn, and an empty one ends the answer
            start = time.process_time()
            run()
            print(f"{_PROCESSOR}{time.process_time() - start}\n", flush=True)
    elif options.peak:
        CONTESTANTS[_OURS](Path(options.peak[0]), 12, 2)()
        print(timing.peak_memory())
    else:
        parts = []
        for part in _report(options.quick, options.rounds):
            print(part, flush=True, end="\n\n")
            parts.append(part)
        if options.write:
            (_HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _report(quick: bool, rounds: int) -> Iterator[str]:
    import labelguard
    yield "# How fast is a scan beside what people run instead?"
    yield (f"`python -m benchmarks.scan --write` wrote this on {date.today()} with labelguard {labelguard.__version__}, "
           f"{timing.versions(_PACKAGES)}, on {timing.machine()}.")
    if contestants.absent():
        yield f"Left out, because not installed: {', '.join(contestants.absent())}."
    large, small, large_opencv = _drawn(quick)
    yield "## The masks\n\n" + "\n".join(_describe(masks) for masks in (large, small, large_opencv)) + _compare_real()
    yield ("Pillow's files resemble the real ones, so they are the measure. OpenCV writes files of nearly twice the size, every row "
           "with the filter Sub; they have a table of their own.")

    yield ("## Start-up excluded\n\nEverybody in turn, each in a process that has run before, "
           f"{rounds} rounds. Throughput is that of the median round (in brackets: of the best one); the factor says how many times as "
           "many masks labelguard reads in the same time, by medians. On a busy machine the time of the processor is what holds.")
    warm: dict[tuple[str, int], Warm] = {}
    for masks in (large, small, large_opencv):
        for workers in (1, 2):
            warm[masks.name, workers] = _warm(masks, workers, rounds)
        yield f"### {masks.name}\n\n{_warm_table(masks, warm)}"

    yield ("## Start-up included\n\nA fresh process for each run, imports and all, in seconds, median of the runs.")
    yield _cold_table((large, small), rounds=max(1, rounds // 2))

    threads = {masks.name: _threads(masks, rounds) for masks in (large, small)}
    yield "## Two threads against one\n\n" + "\n".join(f"- {name}: {ratio:.2f} times the throughput" for name, ratio in threads.items())

    few, many = (200, 2000) if quick else (2000, 20000)
    low, high = (_peak(small, count) for count in (few, many))
    yield f"## Memory\n\nPeak of a fresh process that scans {few:,} small masks: {low:.0f} MB; {many:,} of them: {high:.0f} MB."
    yield "## Targets\n\n" + _targets(warm, threads, large, small, high - low)


def _drawn(quick: bool) -> tuple[Masks, Masks, Masks]:
    from benchmarks.draw import drive_scene, folder_of, save_opencv, save_pillow, street_scene
    large, small = (64, 500) if quick else (256, 2000)  # enough to outlast the start of the workers
    return (Masks("2048 x 1024", folder_of(_CACHE, street_scene, large, save_pillow), 34),
            Masks("480 x 360", folder_of(_CACHE, drive_scene, small, save_pillow), 12),
            Masks("2048 x 1024, written by OpenCV", folder_of(_CACHE, street_scene, large, save_opencv), 34))


def _describe(masks: Masks) -> str:
    from benchmarks.draw import statistics
    return f"- {masks.name}, {masks.classes} classes, {masks.number} files: {statistics(masks.folder)}"


def _compare_real() -> str:
    """The same statistics of real masks, where there are any."""
    from benchmarks.draw import statistics
    root = Path(os.environ.get("LABELGUARD_REAL_DATA", _HERE.parents[1] / "shared" / "data"))
    real = {"Cityscapes, real, to compare": root / "cityscapes" / "labelIds", "CamVid, real, to compare": root / "camvid" / "masks"}
    return "".join(f"\n- {name}: {statistics(folder)}" for name, folder in real.items() if folder.is_dir())


def _warm(masks: Masks, workers: int, rounds: int) -> Warm:
    seconds: dict[str, list[float]] = {name: [] for name in contestants.present(workers)}
    with ExitStack() as running:
        runs = {name: running.enter_context(_turns(name, masks, workers, taken)) for name, taken in seconds.items()}
        return Warm(timing.in_turn(runs, rounds), {name: timing.Times(tuple(taken[2:])) for name, taken in seconds.items()
                                                   if workers == 1 and name not in contestants.WITH_PROCESSES})


@contextmanager
def _turns(name: str, masks: Masks, workers: int, seconds: list[float]) -> Iterator[Callable[[], None]]:
    """A contestant in a process of its own, so that nobody is slowed by what others import; call it for a turn. `seconds` takes those of
    the processor."""
    command = [sys.executable, "-m", "benchmarks.scan", "--turns", name, str(masks.folder), str(masks.classes), str(workers)]
    with subprocess.Popen(command, cwd=_HERE.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def turn() -> None:
            process.stdin.write("\n")
            process.stdin.flush()
            while (answer := process.stdout.readline()).strip():  # also what the contestant itself prints
                if answer.startswith(_PROCESSOR):
                    seconds.append(float(answer.removeprefix(_PROCESSOR)))
            if not answer:
                raise RuntimeError(f"{name} ended with {process.wait()}")

        yield turn
        process.stdin.close()


def _warm_table(masks: Masks, warm: dict[tuple[str, int], Warm]) -> str:
    one, two = warm[masks.name, 1], warm[masks.name, 2]
    rows = []
    for name in CONTESTANTS:
        if name in two.clock:
            cells = [name if name in one.clock else f"{name} (one worker: no pool, as above)"]
            for times in (one.processor, one.clock, two.clock):
                cells += [_throughput(masks, times[name]), _factor(times, [name])] if name in times else ["", ""]
            rows.append(cells)
    return timing.table(("", "1 worker, masks per processor second", "factor", "1 worker, masks/s", "factor",
                         "2 workers, masks/s", "factor"), rows)


def _throughput(masks: Masks, times: timing.Times) -> str:
    return f"{masks.number / times.median:,.0f} ({masks.number / times.best:,.0f})"


def _ratio(times: Mapping[str, timing.Times], names: Iterable[str]) -> float | None:
    """How many times as fast as the best of some contestants labelguard is; None where none of them ran."""
    medians = [times[name].median for name in names if name in times]
    return min(medians) / times[_OURS].median if medians else None


def _factor(times: Mapping[str, timing.Times], names: Iterable[str]) -> str:
    ratio = _ratio(times, names)
    return "" if ratio is None else f"{ratio:.1f}"


def _cold_table(folders: Iterable[Masks], rounds: int) -> str:
    rows = []
    for masks in folders:
        for name in contestants.present(2):
            seconds = [timing.Times(tuple(_cold(name, masks, workers) for _ in range(rounds))) for workers in (1, 2)]
            rows.append([f"{name}, {masks.number} x {masks.name}", *(f"{times.median:.2f}" for times in seconds)])
    return timing.table(("", "1 worker, s", "2 workers, s"), rows)


def _cold(name: str, masks: Masks, workers: int) -> float:
    start = time.perf_counter()
    _fresh("--once", name, str(masks.folder), str(masks.classes), str(workers))
    return time.perf_counter() - start


def _fresh(*arguments: str) -> str:
    """Run this module in a fresh process; gives what it prints."""
    command = [sys.executable, "-m", "benchmarks.scan", *arguments]
    return subprocess.run(command, cwd=_HERE.parent, check=True, capture_output=True, text=True).stdout


def _threads(masks: Masks, rounds: int) -> float:
    """Both in turn, and nobody else: how much faster two threads are than one."""
    runs: dict[str, Callable[[], object]] = {str(n): CONTESTANTS[_OURS](masks.folder, masks.classes, n) for n in (1, 2)}
    times = timing.in_turn(runs, 3 * rounds)
    return times["1"].median / times["2"].median


def _peak(masks: Masks, count: int) -> float:
    files = sorted(masks.folder.glob("*.png"))
    with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
        for number in range(count):
            os.link(files[number % len(files)], f"{folder}/{number:06d}.png")
        return float(_fresh("--peak", folder))


def _targets(warm: dict[tuple[str, int], Warm], threads: dict[str, float], large: Masks, small: Masks, megabytes: float) -> str:
    rows: list[list[str]] = []

    def judge(what: str, figure: float | None, target: float) -> None:
        if figure is None:
            rows.append([what, f"{target:g} times", "not installed", ""])
        else:
            rows.append([what, f"{target:g} times", f"{figure:.2f} times", "yes" if figure >= target else "no"])

    for masks in (large, small):
        one, two = warm[masks.name, 1], warm[masks.name, 2].clock
        judge(f"the script with Pillow, processor time of one worker, {masks.name}", _ratio(one.processor, SCRIPT), _TARGETS[masks.name])
        judge(f"Ultralytics, processor time of one worker, {masks.name}", _ratio(one.processor, ["Ultralytics verify_image_mask"]),
              _TARGETS_ULTRALYTICS[masks.name])
        judge(f"the script with Pillow, on processes or threads, whichever is faster, {masks.name}, 2 workers", _ratio(two, SCRIPT),
              _TARGETS[masks.name])
        judge(f"two threads against one, {masks.name}", threads[masks.name], _TARGET_THREADS)
    rows.append(["memory for ten times the files", f"< {_TARGET_MEGABYTES:g} MB more", f"{megabytes:.0f} MB more",
                 "yes" if megabytes < _TARGET_MEGABYTES else "no"])
    return timing.table(("Against", "Target", "Measured", "Met"), rows)


if __name__ == "__main__":
    main()
