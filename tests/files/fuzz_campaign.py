"""A campaign of damaged files, in processes that may die: ``python -m tests.files.fuzz_campaign 30000 [FORMAT] [SEED]``.

Each mutant is read on every road that a file takes through labelguard, under limits of memory and address space, and what is believed
of it is held against independent decoders. What must not happen is kept as a file in ``fuzz-failures/``: a death, an exception that is
none of labelguard's own, counts that are not those of the labels, labels that no reader agrees with although some read the file.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from labelguard.errors import NotLabelsError, UnreadableMaskError
from labelguard.files.formats import decode_samples
from labelguard.files.headers import read_header
from labelguard.files.image import image_facts
from labelguard.files.mask import decode_with_facts, facts_of
from labelguard.files.memory import MemoryBudget
from labelguard.files.samples import labels_of
from tests.files.fuzz import mutant
from tests.files.fuzz_oracle import readings
from tests.files.fuzz_seeds import Seed, good_files

FORMATS = ("png", "tif", "bmp", "gif", "webp", "jpg", "npy")
BUDGET, ADDRESSES, PATIENCE = 10 ** 9, 6 << 30, 60.0
READ, REFUSED, NO_LABELS = "read", "refused", "no labels"


def verdict(name: str, data: bytes) -> tuple[str, str]:
    """How one file ends, and which other decoders agree, and which do not.

    Raises
    ------
    AssertionError
        When something is believed that is not so.
    """
    try:
        facts = facts_of(data, name)
        samples, stored = decode_samples(data, name)
        labels = labels_of(samples, stored)
    except UnreadableMaskError as reason:
        assert str(reason) and "\n" not in str(reason)
        return REFUSED, ""
    except NotLabelsError:
        return NO_LABELS, ""
    mask, again = decode_with_facts(data, name)
    ids, counts = np.unique(labels, return_counts=True)
    believed = dict(zip(ids.tolist(), counts.tolist(), strict=True))
    assert facts.counts == again.counts == believed, f"the facts count {facts.counts}, and the labels {believed}"
    assert mask is not None and np.array_equal(mask.labels, labels), "the labels differ by the road on which they are read"
    if stored.lossy:
        return NO_LABELS, ""
    others = readings(data, labels, stored)
    assert any(others.values()) or not others, f"read otherwise by {', '.join(others)}"
    return READ, "".join(f" {'=' if agrees else '!'} {other}" for other, agrees in others.items())


def _headers(name: str, data: bytes) -> None:
    """The roads of an image."""
    for road in (lambda: read_header(data), lambda: image_facts(data, name)):
        with contextlib.suppress(UnreadableMaskError):
            road()


def work(line: Connection, files: list[Seed], numbers: range, seed: int) -> None:
    """Read mutants, and say of each where it is and how it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, data in files:  # what is loaded and compiled once is not growth
        facts_of(data, name)
    budget = MemoryBudget(BUDGET)
    for number in numbers:
        name, data = mutant(files, number, seed)
        line.send((number, "begin", 0.0, 0))
        begin = time.process_time()
        try:
            budget.run(_headers, name, data)
            ending, agreed = budget.run(verdict, name, data)
            ending += agreed
        except BaseException as error:
            ending = f"FAILED {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        line.send((number, ending, time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))


def campaign(files: list[Seed], count: int, seed: int, keep: Path) -> None:
    """Feed mutants to processes, one at a time, and print what came out."""
    endings: Counter[str] = Counter()
    slowest, peak, following = (0.0, 0), 0, 0
    context = multiprocessing.get_context("spawn")
    while following < count:
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(there, files, range(following, count), seed))
        process.start()
        there.close()
        at, state = following, "begin"
        while True:
            try:
                if not here.poll(PATIENCE):
                    state = "hang"
                    process.kill()
                    break
                at, state, seconds, memory = here.recv()
            except EOFError:
                break
            if state == "begin":
                continue
            endings[state.split(":")[0]] += 1
            slowest, peak, following = max(slowest, (seconds, at)), max(peak, memory), at + 1
            if state.startswith("FAILED"):
                _keep(keep, files, at, seed, state)
        process.join()
        if following < count:
            endings[f"DIED ({state}, exit code {process.exitcode})"] += 1
            _keep(keep, files, at, seed, f"died, exit code {process.exitcode}")
            following = at + 1
    print(f"{count:,} mutants of {len(files)} files, seed {seed}: {dict(sorted(endings.items()))}; slowest {slowest[0]:.2f} s of processor "
          f"time (mutant {slowest[1]}), peak {peak / 1e6:.0f} MB", flush=True)


def _keep(folder: Path, files: list[Seed], number: int, seed: int, why: str) -> None:
    name, data = mutant(files, number, seed)
    folder.mkdir(exist_ok=True)
    (folder / f"{seed}-{number}-{name}").write_bytes(data)
    print(f"mutant {number} of seed {seed}, from {name}: {why}", flush=True)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for suffix in sys.argv[2:3] or FORMATS:
        print(suffix, end=": ", flush=True)
        campaign([file for file in good_files() if file[0].endswith(suffix)], count, int(sys.argv[3]) if len(sys.argv) > 3 else 0,
                 Path("fuzz-failures"))
