"""Damaged files of every format end in facts or in a reason, soon, and in bounded memory."""

from __future__ import annotations

import os
import time

import pytest

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.mask import facts_of
from tests.files.fuzz import mutants
from tests.files.fuzz_seeds import good_files

COUNT = int(os.environ.get("LABELGUARD_FUZZ", "2000"))
PATIENCE = 20.0
GIGABYTE = 1e9


def peak_bytes() -> int:
    resource = pytest.importorskip("resource")
    kibibytes: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kibibytes * 1024


def test_good_files_are_read() -> None:
    for name, data in good_files():
        assert facts_of(data, name).pixels == 24 * 32, name


def test_damaged_files_end_in_facts_or_a_reason() -> None:
    files = good_files()
    for name, data in files:  # what is loaded and compiled once is not growth
        facts_of(data, name)
    before = peak_bytes()  # a high-water mark: it never falls
    outcomes = {"read": 0, "unreadable": 0}
    for number, (name, data) in enumerate(mutants(files, COUNT, seed=COUNT)):
        begin = time.perf_counter()
        try:
            assert isinstance(facts_of(data, name), MaskFacts)
            outcomes["read"] += 1
        except UnreadableMaskError as error:
            assert str(error) and "\n" not in str(error), f"mutant {number} of {name}"
            outcomes["unreadable"] += 1
        except BaseException as error:
            error.add_note(f"mutant {number} of {name}")
            raise
        assert time.perf_counter() - begin < PATIENCE, f"mutant {number} of {name}"
    assert peak_bytes() - before < GIGABYTE
    assert min(outcomes.values()) > COUNT // 20, "the mutants are all alike"


def test_the_same_seed_gives_the_same_mutants() -> None:
    files = good_files()[:5]
    assert list(mutants(files, 50, seed=7)) == list(mutants(files, 50, seed=7))
    assert list(mutants(files, 50, seed=7)) != list(mutants(files, 50, seed=8))
