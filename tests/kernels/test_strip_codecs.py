"""LZW and PackBits: what others compressed comes back, and on any bytes both forms of a kernel do the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels import lzw, packbits
from tests.drawn import examples
from tests.kernels.strategies import label_images

imagecodecs = pytest.importorskip("imagecodecs")

KERNELS: tuple[tuple[Callable[..., Any], Callable[..., Any], Callable[..., bytes]], ...] = (
    (lzw.definition, lzw.lzw, imagecodecs.lzw_encode),
    (packbits.definition, packbits.packbits, imagecodecs.packbits_encode))


def both(kernel: int, stream: bytes, room: int) -> tuple[int, bytes]:
    """What a kernel gives on a stream, in both of its forms."""
    results = []
    for form in KERNELS[kernel][:2]:
        out = np.zeros(room, np.uint8)
        results.append((form(np.frombuffer(stream, np.uint8), out), out.tobytes()))
    assert results[0][0] == results[1][0]
    count = results[0][0]
    assert results[0][1][:max(0, count)] == results[1][1][:max(0, count)]
    return count, results[0][1]


@pytest.mark.parametrize("kernel", [0, 1])
@given(label_images(), st.sampled_from([0, 1, 40]))
def test_what_others_compressed_comes_back(kernel: int, labels: NDArray[Any], room: int) -> None:
    data = labels.tobytes()
    count, out = both(kernel, KERNELS[kernel][2](data), len(data) + room)
    assert count == len(data) and out[:count] == data


@pytest.mark.parametrize("kernel", [0, 1])
@examples(200)
@given(st.binary(max_size=60), st.integers(0, 200))
def test_both_forms_do_the_same_on_any_bytes(kernel: int, stream: bytes, room: int) -> None:
    both(kernel, stream, room)


@examples(200)
@given(st.lists(st.one_of(st.integers(0, 300), st.sampled_from([256, 258, 259, 260])), max_size=60))
def test_both_forms_of_lzw_do_the_same_on_any_codes(codes: list[int]) -> None:
    both(0, _packed([256, *codes]), 400)


def _packed(codes: list[int]) -> bytes:
    bits = "".join(f"{code:09b}" for code in codes)
    return bytes(int(bits[at:at + 8].ljust(8, "0"), 2) for at in range(0, len(bits), 8))


def test_a_full_table_takes_no_more_codes() -> None:
    noise = np.random.default_rng(0).integers(0, 256, 9000, np.uint8).tobytes()
    whole = imagecodecs.lzw_encode(noise)
    assert both(0, whole, len(noise)) == (len(noise), noise)
    for start in range(0, 400, 37):  # codes read at the wrong places fill the table without ever clearing it
        both(0, whole[start:6000 + start], 200_000)


@pytest.mark.parametrize(("codes", "count"), [
    ([256, 7, 258, 257], 3), ([7, 257], 1), ([256, 258], lzw.BAD_CODE), ([256, 7, 259], lzw.BAD_CODE), ([256, 7, 8, 258, 257], 4),
    ([256, 256, 257, 9], 0), ([], 0)])
def test_codes_of_lzw(codes: list[int], count: int) -> None:
    assert both(0, _packed(codes), 4)[0] == count


@pytest.mark.parametrize(("kernel", "stream", "room", "count"), [
    (0, _packed([256, 7, 258, 257]), 2, lzw.TOO_LONG), (0, _packed([256, 7, 258, 257]), 3, 3),
    (1, b"\xfe\7", 3, 3), (1, b"\xfe\7", 2, lzw.TOO_LONG), (1, b"\1\7\7", 2, 2), (1, b"\1\7", 2, packbits.CUT),
    (1, b"\1\7\7", 1, lzw.TOO_LONG), (1, b"\xfe", 9, packbits.CUT), (1, b"\x80\x80\0\5", 1, 1)])
def test_ends_of_streams_and_of_room(kernel: int, stream: bytes, room: int, count: int) -> None:
    assert both(kernel, stream, room)[0] == count
