"""Damaged files of every format end in facts or in a reason, soon, in bounded memory, and no reader that takes them disagrees."""

from __future__ import annotations

import os
import time
from collections import Counter

import numpy as np
import pytest

from labelguard.facts.mask import Storage
from labelguard.files.formats import decode_samples
from labelguard.files.mask import facts_of
from labelguard.files.samples import labels_of
from tests.files import fuzz_campaign
from tests.files.fuzz import mutants
from tests.files.fuzz_oracle import readings
from tests.files.fuzz_seeds import good_files

COUNT = int(os.environ.get("LABELGUARD_FUZZ", "500"))
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
    endings: Counter[str] = Counter()
    for number, (name, data) in enumerate(mutants(files, COUNT, seed=COUNT)):
        begin = time.perf_counter()
        try:
            ending, agreed = fuzz_campaign.verdict(name, data)
        except BaseException as error:
            error.add_note(f"mutant {number} of {name}")
            raise
        endings.update((ending, "agreed") if agreed else (ending,))
        assert time.perf_counter() - begin < PATIENCE, f"mutant {number} of {name}"
    assert peak_bytes() - before < GIGABYTE
    assert min(endings[fuzz_campaign.READ], endings["agreed"], endings[fuzz_campaign.REFUSED]) > COUNT // 20, "the mutants are all alike"


def test_the_same_seed_gives_the_same_mutants() -> None:
    files = good_files()[:5]
    assert list(mutants(files, 50, seed=7)) == list(mutants(files, 50, seed=7))
    assert list(mutants(files, 50, seed=7)) != list(mutants(files, 50, seed=8))


def test_independent_decoders_notice_a_pixel() -> None:
    asked = Counter[str]()
    for name, data in good_files():
        if not facts_of(data, name).exact:
            continue
        samples, stored = decode_samples(data, name)
        labels = labels_of(samples, stored).copy()
        assert all(readings(data, labels, stored).values()), (name, readings(data, labels, stored))
        labels[0, 0] ^= 1
        asked.update(readings(data, labels, stored))
        assert not any(readings(data, labels, stored).values()), name
    assert set(asked) == {"Pillow", "OpenCV", "tifffile", "numpy"}


def test_a_wrong_belief_fails_the_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    name, data = good_files()[0]

    def believed(data: bytes, name: str) -> tuple[np.ndarray, Storage]:
        samples, stored = decode_samples(data, name)
        return samples[::-1], stored

    monkeypatch.setattr(fuzz_campaign, "decode_samples", believed)
    with pytest.raises(AssertionError, match="the labels differ by the road"):
        fuzz_campaign.verdict(name, data)
