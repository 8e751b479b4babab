"""What it costs to weigh the ids of a set of 20,000 files: processor seconds for each of a few faults, and for healthy sets.

    python -m benchmarks.weighing [FILES]    (20,000 where no number is given)
"""

from __future__ import annotations

import argparse
import time
from array import array
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from labelguard.explanations.decide import verdict_on
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.frozen import FrozenArray, FrozenDict
from labelguard.facts.record import FileRecord
from labelguard.spec.labelspec import LabelSpec

SIDE = 256
Fault = Callable[[int, int], int]  # what becomes of an id in the file of some number

CASES: dict[str, tuple[int, int, Fault]] = {  # classes, sub-folders, fault; each class but 0 is in about half of the files
    "healthy": (19, 1, lambda label, _: label),
    "healthy, 30 folders": (19, 30, lambda label, _: label),
    "all shifted by -1": (19, 1, lambda label, _: (label - 1) % 256),
    "one file of 50 shifted by -1, 30 folders": (19, 30, lambda label, file: label if file % 50 else (label - 1) % 256),
    "half counted from 1, 40 folders": (150, 40, lambda label, file: label + file % 2),
    "half times 255, 182 classes, 20 folders": (182, 20, lambda label, file: label * (255 if file % 2 else 1) % 256),
    "half 0 and 255, 20 folders": (2, 20, lambda label, file: label * (255 if file % 2 else 1)),
}
Ids = Callable[[np.random.Generator, int], Sequence[int]]  # the ids of the file of some number
OTHERS: dict[str, tuple[int, int, Ids]] = {  # classes, sub-folders, ids of each file
    "4,000 ids, as measured": (19, 1, lambda rng, _: np.unique(rng.integers(0, 4000, 8)).tolist()),
    "class * 1000 + number, 64 folders": (12, 64, lambda rng, _: [label * 1000 + number for label in range(12) if rng.random() < 0.4
                                                                  for number in range(1, rng.integers(2, 8))]),
    "each file numbered from 1, 20 folders": (5, 20, lambda rng, _: range(rng.integers(2, 40))),
}


def common(classes: int, fault: Fault) -> Ids:
    """What of so many classes stands in a file, with a fault: each in about half of the files, 0 in all of them."""
    return lambda rng, file: [fault(label, file) for label in (0, *(label for label in range(1, classes) if rng.random() < 0.5))]


def drawn(files: int, folders: int, ids_of: Ids) -> DatasetFacts:
    """The facts of a set that nobody has to draw."""
    rng = np.random.default_rng(0)
    records, pixels, files_with = [], Counter[int](), Counter[int]()
    for file in range(files):
        labels = ids_of(rng, file) or [0]
        shares = rng.gamma(0.7, size=len(labels)) + 1e-3
        found = dict(sorted(zip(labels, (shares / shares.sum()).tolist(), strict=True)))
        ids = tuple(found)
        records.append(FileRecord(f"{file * folders // files:02}/{file:05}.png", (SIDE, SIDE), ids,
                                  FrozenArray("q", array("q", (1 + int(share * SIDE ** 2) for share in found.values()))), "png", True,
                                  frame_pixels=FrozenArray("q", array("q", (int(share * 4 * SIDE) for share in found.values())))))
        files_with.update(ids)
        pixels.update({label: int(share * SIDE ** 2) + 1 for label, share in found.items()})
    return DatasetFacts("masks", tuple(records), pixels=files * SIDE ** 2, ids=FrozenDict(pixels), files_with=FrozenDict(files_with))


def main() -> None:
    """Print the seconds of each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=int, nargs="?", default=20_000, help="how many files each set has (20,000)")
    given = parser.parse_args()
    cases = {name: (classes, folders, common(classes, fault)) for name, (classes, folders, fault) in CASES.items()}
    for name, (classes, folders, ids_of) in (cases | OTHERS).items():
        data = drawn(given.files, folders, ids_of)
        begin = time.process_time()
        verdict_on(data, LabelSpec(classes))
        print(f"{name:42} {time.process_time() - begin:.2f} s", flush=True)


if __name__ == "__main__":
    main()
