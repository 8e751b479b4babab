"""What it costs to weigh the ids of a set of 20,000 files: processor seconds for each of a few faults, and for healthy sets.

    python -m benchmarks.weighing [FILES]
"""

from __future__ import annotations

import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable

import numpy as np

from labelguard.explanations.decide import verdict_on
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.frozen import FrozenArray, FrozenDict
from labelguard.facts.record import FileRecord
from labelguard.spec.labelspec import LabelSpec

SIDE = 256
Fault = Callable[[int, int], int]  # what becomes of an id in the file of some number

CASES: dict[str, tuple[int, int, Fault]] = {  # classes, sub-folders, fault
    "healthy": (19, 1, lambda label, _: label),
    "healthy, 30 folders": (19, 30, lambda label, _: label),
    "all shifted by -1": (19, 1, lambda label, _: (label - 1) % 256),
    "one file of 50 shifted by -1, 30 folders": (19, 30, lambda label, file: label if file % 50 else (label - 1) % 256),
    "half counted from 1, 40 folders": (150, 40, lambda label, file: label + file % 2),
    "half 0 and 255, 20 folders": (2, 20, lambda label, file: label * (255 if file % 2 else 1)),
}


def drawn(files: int, classes: int, folders: int, fault: Fault) -> DatasetFacts:
    """The facts of a set that nobody has to draw: each class in about half of the files, 0 in all of them."""
    rng = np.random.default_rng(0)
    records, pixels, files_with = [], Counter[int](), Counter[int]()
    for file in range(files):
        labels = [0, *(label for label in range(1, classes) if rng.random() < 0.5)]
        shares = rng.gamma(0.7, size=len(labels)) + 1e-3
        found = dict(sorted(zip((fault(label, file) for label in labels), (shares / shares.sum()).tolist(), strict=True)))
        ids = tuple(found)
        records.append(FileRecord(f"{file * folders // files:02}/{file:05}.png", (SIDE, SIDE), ids,
                                  FrozenArray("q", array("q", (1 + int(share * SIDE ** 2) for share in found.values()))), "png", True,
                                  frame_pixels=FrozenArray("q", array("q", (int(share * 4 * SIDE) for share in found.values())))))
        files_with.update(ids)
        pixels.update({label: int(share * SIDE ** 2) + 1 for label, share in found.items()})
    return DatasetFacts("masks", tuple(records), pixels=files * SIDE ** 2, ids=FrozenDict(pixels), files_with=FrozenDict(files_with))


def main(files: int = 20_000) -> None:
    """Print the seconds of each case."""
    for name, (classes, folders, fault) in CASES.items():
        data = drawn(files, classes, folders, fault)
        begin = time.process_time()
        verdict_on(data, LabelSpec(classes))
        print(f"{name:42} {time.process_time() - begin:.2f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
