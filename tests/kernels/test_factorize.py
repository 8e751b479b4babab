"""Codes for labels of any type, and what is said of the memory that they take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.kernels import factorize as room
from labelguard.kernels.factorize import factorize
from tests.kernels.strategies import label_images


@pytest.mark.parametrize("many", [4, 1 << 16])
def test_ids_are_ranked_over_all_bands(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_BAND_PIXELS", 20)
    monkeypatch.setattr(room, "MANY", many)
    labels = np.random.default_rng(0).integers(-9, 9, (30, 7)) * 10 ** 12
    codes, size, ids = factorize(np.asfortranarray(labels))
    assert ids is not None and np.array_equal(ids, np.unique(labels)) and size == len(ids)
    assert np.array_equal(ids[codes], labels) and codes.dtype == (np.uint32 if size > many else np.uint16)


@given(label_images(below=70_000, dtype=np.int64, longest=60), st.sampled_from("bBhHiIlLqQ"), st.sampled_from([0, 1, -1, 40_000, 2 ** 63]))
def test_compiled_equals_definition(labels: np.ndarray, code: str, shift: int) -> None:
    with np.errstate(all="ignore"):
        labels = (labels.astype(np.uint64) + np.uint64(shift % 2 ** 64)).astype(code)
    found, expected = room.narrow(labels), room._narrow(labels)
    assert (found is None) == (expected is None)
    assert found is None or (expected is not None and found.dtype == expected.dtype and np.array_equal(found, expected))
    (codes, size, ids), (same_codes, same_size, same_ids) = room.rank(labels), room._rank(labels)
    assert size == same_size and codes.dtype == same_codes.dtype and ids.dtype == same_ids.dtype
    assert np.array_equal(codes, same_codes) and np.array_equal(ids, same_ids)


@pytest.mark.parametrize("number", [1 << 16, (1 << 16) + 1])
def test_as_many_ids_as_the_table_holds_and_one_more(number: int) -> None:
    labels = np.random.default_rng(0).permutation(2 * number)[:, None].repeat(2, axis=1).reshape(4, -1) // 2 * 3 - 70_000
    codes, size, ids = room.rank(labels)
    assert size == number and np.array_equal(ids[codes], labels) and codes.itemsize == (2 if number == 1 << 16 else 4)


@pytest.mark.parametrize(("labels", "taken"), [
    (np.zeros((10, 10), np.uint8), 0), (np.zeros((10, 20), np.uint16)[:, ::2], 200), (np.zeros((10, 10), np.int64), 100),
    (np.full((10, 10), 300, np.int32), 200), (np.zeros((10, 10), ">u2"), 200)])
def test_copies_are_announced(labels: np.ndarray, taken: int) -> None:
    announced: list[int] = []
    codes, _, _ = factorize(labels, announced.append)
    assert sum(announced) == taken and np.array_equal(codes, labels) and codes.flags.c_contiguous


def test_what_many_ids_take_is_announced_before_they_are_coded() -> None:
    labels = np.arange(1 << 17).reshape(256, 512) * 7

    def refuse(size: int) -> None:
        if size > 60 * labels.size:
            raise MemoryError

    with pytest.raises(MemoryError):
        factorize(labels, refuse)
