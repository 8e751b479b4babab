"""Codes for labels of any type, and what is said of the memory that they take."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.kernels import factorize as room
from labelguard.kernels.factorize import factorize


@pytest.mark.parametrize("many", [4, 1 << 16])
def test_ids_are_ranked_over_all_bands(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_BAND_PIXELS", 20)
    monkeypatch.setattr(room, "MANY", many)
    labels = np.random.default_rng(0).integers(-9, 9, (30, 7)) * 10 ** 12
    codes, size, ids = factorize(np.asfortranarray(labels))
    assert ids is not None and np.array_equal(ids, np.unique(labels)) and size == len(ids)
    assert np.array_equal(ids[codes], labels) and codes.dtype == (np.uint32 if size > many else np.uint16)


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
