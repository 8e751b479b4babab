from __future__ import annotations

import numpy as np

from labelguard.facts.digest import digest_in_receipt, digest_of, digest_of_array


def test_parts_are_taken_end_to_end() -> None:
    assert digest_of(b"ab", b"c") == digest_of(b"abc") != digest_of(b"abd") and len(digest_of()) == 16


def test_arrays_of_equal_bytes_differ_by_shape_and_by_type() -> None:
    values = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert digest_of_array(values) == digest_of_array(values.copy(order="F"))
    assert len({digest_of_array(each) for each in (values, values.reshape(3, 2), values.view(np.int8), values + 1)}) == 4


def test_the_digest_in_receipts_is_what_receipts_on_disk_hold() -> None:
    assert digest_in_receipt(b"mask") == "d6bb548a6b1486abe78ae734b0edb5a78cd18c09"
