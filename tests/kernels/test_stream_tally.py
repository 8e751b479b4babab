from __future__ import annotations

import sys
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.files import png
from labelguard.kernels import stream_tally, tally
from tests.drawn import examples
from tests.files import pngs
from tests.kernels.strategies import label_images

pytestmark = pytest.mark.skipif(sys.platform != "linux" and not stream_tally.READY, reason="libdeflate does not show its functions")
NO_IMAGE = np.empty((0, 0), np.uint8)


def both(idat: bytes, height: int, width: int, bits: int = 8) -> tuple[Any, ...]:
    """What the compiled twin and the definition say of a compressed stream, after they were found equal."""
    data = np.frombuffer(idat, np.uint8)
    for with_label_runs in (False, True):
        found, expected = (kernel(data, height, width, bits, NO_IMAGE, with_label_runs)
                           for kernel in (stream_tally.stream_tally, stream_tally.definition))
        assert found[0] is expected[0] and all(np.array_equal(a, b) for a, b in zip(found[1:], expected[1:], strict=True))
    return found


def test_libdeflate_is_found_where_its_package_is() -> None:
    assert stream_tally.READY


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@given(st.data(), st.lists(st.integers(0, 4), min_size=1, max_size=7), st.integers(0, 9))
@examples(40)
def test_gives_the_facts_of_the_image_that_was_compressed(bits: int, data: st.DataObject, kinds: list[int], level: int) -> None:
    labels = data.draw(label_images(1 << bits, np.uint16 if bits == 16 else np.uint8))
    whole, records, _ = both(zlib.compress(pngs.stream(labels, bits, kinds), level), *labels.shape, bits)
    assert whole and np.array_equal(records, tally.definition(labels, 1 << bits))


LABELS = np.arange(600, dtype=np.uint8).reshape(20, 30) // 7
STREAM = pngs.stream(LABELS, 8, [1, 2, 4])


@pytest.mark.parametrize("stream", [
    zlib.compress(STREAM)[:-5], zlib.compress(STREAM[:-1]), zlib.compress(STREAM + b"\0"), zlib.compress(b"\5" + STREAM[1:]),
    zlib.compress(STREAM)[:-1] + b"\0", b"this is not a deflate stream", b"x", zlib.compress(b""), zlib.compress(bytes(1 << 20)),
], ids=["cut", "too short", "too long", "fifth filter", "checksum", "text", "one byte", "nothing", "far too long"])
def test_a_damaged_stream_is_refused(stream: bytes) -> None:
    assert not both(stream, *LABELS.shape)[0]


@given(st.integers(0, len(zlib.compress(STREAM)) - 1), st.integers(1, 255))
def test_a_changed_byte_is_judged_as_zlib_judges_it(at: int, change: int) -> None:
    stream = bytearray(zlib.compress(STREAM))
    stream[at] ^= change
    both(bytes(stream), *LABELS.shape)


def test_what_comes_behind_the_stream_is_left_alone() -> None:
    assert both(zlib.compress(STREAM) + b"more", *LABELS.shape)[0]


def test_a_file_has_the_same_facts_where_libdeflate_does_not_show_its_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pngs.encode(LABELS)
    records, header, image, runs = png.tally_ids(data, with_image=True, with_label_runs=True)
    monkeypatch.setattr(stream_tally, "READY", False)
    again = png.tally_ids(data, with_image=True, with_label_runs=True)
    assert np.array_equal(records, again[0]) and header == again[1] and np.array_equal(image, again[2]) and runs == again[3]
