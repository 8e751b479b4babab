"""How much has to agree by chance before two masks are equal."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from numpy.typing import NDArray

from labelguard.facts.fingerprint import coincidence_bits, mask_digest
from labelguard.facts.mask_facts import MaskFacts

HEIGHT, WIDTH = 64, 16


def drawn(rows: slice, columns: slice, *hole: int) -> MaskFacts:
    """An object on a background; `hole` is a pixel that it lacks."""
    labels: NDArray[np.uint8] = np.zeros((HEIGHT, WIDTH), np.uint8)
    labels[rows, columns] = 1
    if hole:
        labels[hole] = 0
    return MaskFacts.of_labels(labels)


@pytest.mark.parametrize(("rows", "columns", "bits"), [
    (slice(10, 11), slice(None), 2 * log2(HEIGHT)),               # a row across the image: it could lie anywhere along the height
    (slice(None), slice(5, 6), 2 * log2(WIDTH)),                  # a column: along the width
    (slice(0, 9), slice(None), log2(HEIGHT)),                     # one edge is free
    (slice(55, None), slice(None), log2(HEIGHT)),
    (slice(None), slice(0, 7), log2(WIDTH)),
    (slice(None), slice(9, None), log2(WIDTH)),
    (slice(10, 20), slice(5, 9), 2 * log2(HEIGHT) + 2 * log2(WIDTH)),
])
def test_a_free_edge_counts_the_length_along_which_it_could_lie(rows: slice, columns: slice, bits: float) -> None:
    assert coincidence_bits(drawn(rows, columns)) == pytest.approx(bits)


def test_a_shape_that_does_not_fill_its_box_counts_a_bit_for_each_row_and_column() -> None:
    assert coincidence_bits(drawn(slice(10, 20), slice(5, 9), 12, 7)) == pytest.approx(2 * log2(HEIGHT) + 2 * log2(WIDTH) + 14)


def test_nothing_has_to_agree_where_nothing_is_drawn() -> None:
    assert coincidence_bits(drawn(slice(0), slice(0))) == 0
    assert coincidence_bits(drawn(slice(10, 20), slice(5, 9)), ignored=(1,)) == 0


def test_fingerprints_tell_masks_apart_by_shape_place_and_size() -> None:
    places = [(slice(10, 20), slice(5, 9)), (slice(11, 21), slice(5, 9)), (slice(10, 20), slice(5, 10)), (slice(5, 9), slice(5, 15))]
    assert len({mask_digest(drawn(*place)) for place in places}) == len(places)
    assert mask_digest(drawn(*places[0])) == mask_digest(drawn(*places[0]))
    turned = MaskFacts.of_labels(np.zeros((WIDTH, HEIGHT), np.uint8))
    assert mask_digest(turned) != mask_digest(drawn(slice(0), slice(0)))
