"""NPY files: exact values, exact length, never a pickle."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from labelguard.errors import UnreadableMaskError
from labelguard.files import npy


def stored(array: np.ndarray, **options: bool) -> bytes:
    target = BytesIO()
    np.save(target, array, **options)
    return target.getvalue()


def with_header(header: str, values: bytes = b"", version: bytes = b"\1\0") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + values


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "<u2", ">u2", "<i4", ">i4", "u4", "<i8", ">u8", "<f2", ">f4", "<f8"])
def test_every_number_type_comes_back_as_stored(dtype: str) -> None:
    labels = np.arange(12).reshape(3, 4).astype(dtype)
    array, how = npy.decode(stored(labels))
    assert np.array_equal(array, labels) and array.dtype == labels.dtype.newbyteorder("=")
    assert (how.format, how.channels, how.kind) == ("npy", "grey", labels.dtype.kind)
    assert how.bits == (1 if dtype == "?" else 8 * labels.dtype.itemsize)


def test_values_at_the_ends_of_64_bits_survive() -> None:
    labels = np.array([[0, 2**64 - 1], [2**63, 1]], np.uint64)
    assert npy.decode(stored(labels))[0].tolist() == labels.tolist()


def test_fortran_order_gives_the_same_picture() -> None:
    labels = np.asfortranarray(np.arange(12, dtype=np.uint8).reshape(3, 4))
    assert npy.decode(stored(labels))[0].tolist() == labels.tolist()


@pytest.mark.parametrize(("shape", "given", "channels"), [
    ((3, 4, 3), (3, 4, 3), "rgb"), ((3, 4, 4), (3, 4, 4), "rgba"), ((3, 4, 21), (3, 4, 21), "other"),
    ((3, 4, 2), (3, 4, 2), "other"), ((3, 4, 1), (3, 4), "grey"), ((1, 3, 5), (3, 5), "grey"), ((1, 5, 3), (1, 5, 3), "rgb"),
    ((1, 1), (1, 1), "grey")])
def test_an_axis_of_length_one_is_no_axis_and_channels_come_last(shape: tuple[int, ...], given: tuple[int, ...],
                                                                 channels: str) -> None:
    array, how = npy.decode(stored(np.zeros(shape, np.uint8)))
    assert (array.shape, how.channels, how.pages) == (given, channels, 1)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4, 5)])
def test_arrays_that_are_no_picture_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UnreadableMaskError, match="a mask has two axes"):
        npy.decode(stored(np.zeros(shape, np.uint8)))


def test_a_pickle_is_refused_without_being_loaded() -> None:
    with pytest.raises(UnreadableMaskError, match=r"Python objects \(a pickle\), which are never loaded"):
        npy.decode(stored(np.array([[1, None]], dtype=object), allow_pickle=True))


@pytest.mark.parametrize(("array", "reason"), [
    (np.zeros((2, 2), [("a", "u1"), ("b", "u2")]), "several fields"), (np.zeros((2, 2), complex), "complex"),
    (np.zeros((2, 2), "U3"), "text"), (np.zeros((2, 2), "M8[s]"), "dates")])
def test_elements_that_are_no_numbers_are_refused_by_name(array: np.ndarray, reason: str) -> None:
    with pytest.raises(UnreadableMaskError, match=reason):
        npy.decode(stored(array))


@pytest.mark.parametrize("missing", [1, 5, 12])
def test_a_file_cut_in_its_values_says_how_much_is_missing(missing: int) -> None:
    data = stored(np.ones((3, 4), np.uint8))
    with pytest.raises(UnreadableMaskError, match=f"^ends {missing} bytes? early$"):
        npy.decode(data[:-missing])


def test_no_cut_is_ever_read() -> None:
    data = stored(np.ones((3, 4), np.uint16))
    for size in range(len(data)):
        with pytest.raises(UnreadableMaskError):
            npy.decode(data[:size])


def test_bytes_beyond_the_array_are_not_ignored() -> None:
    with pytest.raises(UnreadableMaskError, match="goes on 2 bytes beyond"):
        npy.decode(stored(np.ones((3, 4), np.uint8)) + b"\0\0")


def test_a_huge_claim_costs_nothing() -> None:
    with pytest.raises(UnreadableMaskError, match="the header claims 1000000 x 1000000 pixels"):
        npy.decode(with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000, 1000000), }"))


def test_an_empty_array_is_refused() -> None:
    with pytest.raises(UnreadableMaskError, match="without pixels"):
        npy.decode(stored(np.zeros((0, 4), np.uint8)))


def test_truth_values_that_are_neither_are_refused() -> None:
    data = bytearray(stored(np.zeros((2, 2), bool)))
    data[-1] = 7
    with pytest.raises(UnreadableMaskError, match="other than 0 and 1"):
        npy.decode(bytes(data))


def test_a_header_is_never_evaluated() -> None:
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (__import__('os').getpid(), 2), }"
    with pytest.raises(UnreadableMaskError, match="damaged header"):
        npy.decode(with_header(header))


def test_a_header_in_another_order_and_with_old_longs_is_read() -> None:
    header = '{"shape": (2L, 3L), "fortran_order": False, "descr": "|u1"}'
    assert npy.decode(with_header(header, bytes(range(6))))[0].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_unknown_versions_are_refused() -> None:
    with pytest.raises(UnreadableMaskError, match=r"version 9\.0"):
        npy.decode(with_header("{}", version=b"\x09\0"))


def test_the_magic_bytes_are_recognized() -> None:
    assert npy.matches(stored(np.zeros((1, 1)))[:64])
    assert not npy.matches(b"NUMPY") and not npy.matches(b"")


@pytest.mark.parametrize("entry", ["'descr': '|i1'", "'fortran_order': True", "'shape': (3, 2)"])
def test_an_entry_that_stands_twice_is_refused(entry: str) -> None:
    with pytest.raises(UnreadableMaskError, match=f"two entries {entry.split(chr(39))[1]};"):
        npy.decode(with_header(f"{{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), {entry}}}", bytes(6)))


@pytest.mark.parametrize("header", [
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), 'more': True}", "{'descr': '|u1', 'shape': (2, 3)}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)", "{'descr': '|u1', 'fortran_order': False, 'shape': (2,, 3)}",
    "'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)", "{'descr': '|u1' 'fortran_order': False, 'shape': (2, 3)}",
    "{'descr': '|u1', 'fortran_order': (2, 3), 'shape': False}", "{'a': \"'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)\"}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2 3)}", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}}", "{" * 5000])
def test_a_header_of_anything_but_its_three_entries_is_damaged(header: str) -> None:
    with pytest.raises(UnreadableMaskError, match="damaged header"):
        npy.decode(with_header(header, bytes(6)))
