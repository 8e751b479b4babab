"""How does the time of a scan grow with ids and with files?

    python -m benchmarks.growth [--quick] [--write]

Ids: one 16-bit mask of 1024 x 1024 pixels, cut into squares that hold an id each; 256 classes are declared, so that most ids are out of
range. Files: masks of 64 x 64 pixels whose ids are class * 1000 + number of the object, other ones in each. Scanned in process,
with the kernels compiled and one worker, the report included. Times are seconds of the processor, which other programs do not stretch.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import timing
from labelguard.files.png_write import encode_png
from labelguard.runs.scan import scan

_PACKAGES = ("numpy",)
_IDS = (256, 1024, 4096, 16_384, 65_536)
_FILES = (2000, 4000, 8000, 16_000, 32_000)
_SIDE, _SMALL = 1024, 64


def main() -> None:
    timing.report(__doc__, "RESULTS-growth.md", _report)


def _report(rounds: int) -> Iterator[str]:
    import labelguard
    yield "# How does the time of a scan grow with ids and with files?"
    yield (f"`python -m benchmarks.growth --write` wrote this on {date.today()} with labelguard {labelguard.__version__}, "
           f"{timing.versions(_PACKAGES)}, on {timing.machine()}. One worker, in process, kernels compiled, {rounds} rounds, everything "
           "in turn.")
    with tempfile.TemporaryDirectory() as folder:
        yield ("## Ids\n\nOne 16-bit mask of 1024 x 1024 pixels, 256 classes declared.\n\n"
               + _table("ids", [(number, _one_mask(Path(folder), number)) for number in _IDS], rounds))
        yield ("## Files\n\nInstance maps of 64 x 64 pixels, 20 classes declared.\n\n"
               + _table("files", [(number, _instances(Path(folder), number)) for number in _FILES], rounds))


def _table(what: str, folders: Sequence[tuple[int, Path]], rounds: int) -> str:
    """Times, and how many times longer than the row above each takes, beside how many times more there is."""
    classes = 256 if what == "ids" else 20
    seconds: dict[int, list[float]] = {number: [] for number, _ in folders}
    for again in range(rounds + 1):
        for number, folder in folders:
            taken = _processor_seconds(folder, classes)
            if again:  # the first time compiles kernels and fills caches
                seconds[number].append(taken)
    rows, before = [], None
    for number, taken_by in seconds.items():
        best = min(taken_by)
        ratios = ["", ""] if before is None else [f"{number / before[0]:.1f}", f"{best / before[1]:.1f}"]
        rows.append([f"{number:,}", f"{best:.3f}", f"{median(taken_by):.3f}", f"{best / number * 1e6:.1f}", *ratios])
        before = number, best
    return timing.table((what, "s, best", "s, median", f"us for each of the {what}", f"times the {what}", "times the time"), rows)


def _processor_seconds(folder: Path, classes: int) -> float:
    start = time.process_time()
    str(scan(folder, num_classes=classes, jobs=1))
    return time.process_time() - start


def _one_mask(folder: Path, ids: int) -> Path:
    """A mask cut into as many squares, whose ids are shuffled."""
    folder = folder / f"ids-{ids}"
    folder.mkdir()
    squares = round(ids ** 0.5)
    labels = np.random.default_rng(0).permutation(ids).reshape(squares, squares).astype(np.uint16)
    (folder / "mask.png").write_bytes(encode_png(np.kron(labels, np.ones((_SIDE // squares,) * 2, np.uint16))))
    return folder


def _instances(folder: Path, files: int) -> Path:
    """Small maps of up to 36 squares, each its class times 1000 and its number within the class; hardly two hold the same ids."""
    folder = folder / f"files-{files}"
    folder.mkdir()
    rng = np.random.default_rng(0)
    block = np.pad(np.ones((6, 6), np.uint16), 1)
    for file in range(files):
        of_class = rng.integers(0, 5, 9)
        ids = np.concatenate([1000 * label + np.arange(number) for label, number in enumerate(of_class, start=1)])
        cells = np.zeros(64, np.uint16)
        cells[rng.permutation(64)[:len(ids)]] = ids
        (folder / f"{file:05}.png").write_bytes(encode_png(np.kron(cells.reshape(8, 8), block)))
    return folder


if __name__ == "__main__":
    main()
