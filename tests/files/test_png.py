from __future__ import annotations

import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.files import _chunks, png
from labelguard.files.mask import facts_of
from labelguard.kernels import tally
from tests.drawn import examples
from tests.files import pngs
from tests.kernels.strategies import label_images

SCENE = np.repeat(np.arange(24, dtype=np.uint8).reshape(4, 6) % 7, 5, axis=1)
WHOLE = pngs.encode(SCENE, filters=(4, 2, 1))


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(("bits", "color_type", "channels"), [
    (1, 0, 1), (2, 0, 1), (4, 0, 1), (8, 0, 1), (16, 0, 1), (1, 3, 1), (2, 3, 1), (4, 3, 1), (8, 3, 1),
    (8, 2, 3), (16, 2, 3), (8, 4, 2), (16, 4, 2), (8, 6, 4), (16, 6, 4)])
@given(st.integers(1, 20), st.integers(1, 20), st.lists(st.integers(0, 4), min_size=1, max_size=5), st.randoms(use_true_random=False))
@examples(25)
def test_reads_exactly_what_was_written(interlaced: bool, bits: int, color_type: int, channels: int, height: int, width: int,
                                        filters: list[int], random: Any) -> None:
    shape = (height, width) if channels == 1 else (height, width, channels)
    samples = np.array([random.randrange(1 << bits) for _ in range(height * width * channels)]).reshape(shape)
    palette = bytes(range(256)) * 3 if color_type == 3 else b""
    data = pngs.encode(samples, bits, color_type, filters, interlaced=interlaced, palette=palette, idat_bytes=50)
    decoded, stored = png.decode(data)
    assert np.array_equal(decoded, samples) and decoded.dtype == (np.uint16 if bits == 16 else np.uint8)
    assert stored.bits == bits and stored.palette == (palette or None)


@given(label_images())
def test_facts_from_the_stream_equal_facts_of_the_image(labels: NDArray[Any]) -> None:
    records, header, *_ = png.tally_ids(pngs.encode(labels, filters=(2, 4, 1, 3, 0)))
    assert np.array_equal(records, tally.definition(labels, 256)) and (header.height, header.width) == labels.shape


def test_palette_files_are_indices_and_never_colors() -> None:
    data = pngs.encode(SCENE, color_type=3, palette=bytes([0, 0, 0, 128, 0, 0, 0, 128, 0] + [9] * 15))
    facts = facts_of(data)
    assert facts.present == tuple(range(7)) and facts.stored.channels == "palette"


def _at(kind: bytes) -> int:
    return WHOLE.index(kind) - 4


@pytest.mark.parametrize(("data", "reason"), [
    (WHOLE[:-1], "ends without the rest of the chunk"),
    (WHOLE[:-12], "ends without its IEND chunk"),
    (WHOLE[:_at(b"IDAT") + 20], "bytes early, inside chunk IDAT at byte 33"),
    (WHOLE.replace(b"IDAT", b"IDAT"[::-1]), "bad checksum in chunk TADI at byte 33"),
    (WHOLE[:45] + bytes([WHOLE[45] ^ 1]) + WHOLE[46:], "bad checksum in chunk IDAT at byte 33"),
    (WHOLE[:12] + b"JUNK" + WHOLE[16:], "bad checksum in chunk JUNK at byte 8"),
    (WHOLE[:8] + pngs.chunk(b"IEND", b""), "does not begin with a header chunk"),
    (WHOLE[:33] + pngs.chunk(b"CgBI", b"") + WHOLE[33:], "unknown critical chunk CgBI at byte 33"),
    (WHOLE[:33] + b"\0\0\0\0\xff\0\0\0" + WHOLE[41:], "no chunk where one must begin, at byte 33"),
    (WHOLE[:33] + pngs.chunk(b"IEND", b""), "IDAT is missing"),
    (pngs.encode(SCENE, color_type=3), "without a usable palette"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_damage_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableMaskError, match=reason):
        png.parse(data)


def _with(stream: bytes, *, height: int = 4, width: int = 30, bits: int = 8, color_type: int = 0, methods: bytes = b"\0\0\0") -> bytes:
    header = struct.pack(">IIBB", width, height, bits, color_type) + methods
    return pngs.SIGNATURE + pngs.chunk(b"IHDR", header) + pngs.chunk(b"IDAT", stream) + pngs.chunk(b"IEND", b"")


PIXELS = pngs.stream(SCENE, 8)


@pytest.mark.parametrize(("data", "reason"), [
    (_with(zlib.compress(PIXELS[:-7])), "ends 7 bytes early, of 124"),
    (_with(zlib.compress(PIXELS + b"\0")), "too long: it goes on after the 124 bytes"),
    (_with(zlib.compress(PIXELS)[:-4]), "checksum is missing"),
    (_with(zlib.compress(PIXELS)[:-4] + b"\0\0\0\0"), "cannot be inflated"),
    (_with(b"this is not a deflate stream"), "cannot be inflated"),
    (_with(zlib.compress(b"\5" + PIXELS[1:])), "row 0 of the pixel stream names filter 5"),
    (_with(zlib.compress(PIXELS), bits=3), "names 3 bits a sample"),
    (_with(zlib.compress(PIXELS), color_type=5), "names color type 5"),
    (_with(zlib.compress(PIXELS), methods=b"\0\0\2"), "interlace method"),
    (_with(zlib.compress(PIXELS), height=0), "an image without pixels"),
    (_with(zlib.compress(PIXELS), width=65_000, height=65_000), "takes 4,225 MB .* if it is sound, cut it into tiles"),
    (_with(zlib.compress(PIXELS), width=20_000, height=20_000), "compressed bytes can hold"),
    (_with(zlib.compress(bytes(10_000_000))), "too long"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_pixel_stream_must_be_exactly_as_long_as_the_header_says(data: bytes, reason: str) -> None:
    for read in (png.tally_ids, png.decode):
        with pytest.raises(UnreadableMaskError, match=reason):
            read(data)


def _cut(pieces: int) -> bytes:
    """A PNG of three chunks and of empty pieces of its pixels, before and behind them."""
    header, pixels, end = WHOLE[:33], WHOLE[33:-12], WHOLE[-12:]
    return header + pngs.chunk(b"IDAT", b"") * (pieces // 2) + pixels + pngs.chunk(b"IDAT", b"") * (pieces - pieces // 2) + end


def test_empty_chunks_take_no_memory() -> None:
    few, many = _cut(10), _cut(5_000)
    tracemalloc.start()
    try:
        peaks = []
        for data in (few, few, many):
            tracemalloc.reset_peak()
            assert facts_of(data).counts == facts_of(WHOLE).counts
            peaks.append(tracemalloc.get_traced_memory()[1] - tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 2_000


def test_chunks_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_chunks, "_MOST_CHUNKS", 50)
    own = 2 + WHOLE.count(b"IDAT")
    assert facts_of(_cut(50 - own)).pixels == SCENE.size
    with pytest.raises(UnreadableMaskError, match="is cut into more than 50 chunks"):
        facts_of(_cut(51 - own))


def test_a_palette_has_256_colors_at_most() -> None:
    assert png.decode(pngs.encode(SCENE, color_type=3, palette=bytes(768)))[1].palette == bytes(768)
    with pytest.raises(UnreadableMaskError, match="without a usable palette"):
        png.decode(pngs.encode(SCENE, color_type=3, palette=bytes(771)))


def test_what_stands_behind_the_end_does_no_harm() -> None:
    assert np.array_equal(png.decode(WHOLE + b"trailing bytes")[0], SCENE)


def test_real_files_of_every_type(real_data: Path) -> None:
    for path in sorted((real_data / "pngsuite").glob("*.png")):
        if path.name.startswith("x"):
            with pytest.raises(UnreadableMaskError):
                facts_of(path.read_bytes(), path.name)
        else:
            assert facts_of(path.read_bytes(), path.name).pixels > 0


@pytest.mark.parametrize(("kind", "body"), [(b"IHDR", struct.pack(">IIBBBBB", 3, 9, 8, 0, 0, 0, 0)),
                                            (b"fcTL", struct.pack(">IIIIIHHBB", 0, 2, 2, 0, 0, 1, 1, 0, 0))])
def test_a_second_header_that_says_something_else_is_refused(kind: bytes, body: bytes) -> None:
    data = pngs.encode(np.arange(6, dtype=np.uint8).reshape(2, 3))
    with pytest.raises(UnreadableMaskError, match=f"holds the second header {kind.decode()} at byte 33"):
        png.decode(data[:33] + pngs.chunk(kind, body) + data[33:])
    frame = pngs.chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 3, 2, 0, 0, 1, 1, 0, 0))
    assert png.decode(data[:33] + frame + data[33:])[0].shape == (2, 3)
