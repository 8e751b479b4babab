"""WebP files: lossless told from lossy, frames counted, cuts noticed."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import UnreadableMaskError
from labelguard.files import webp
from labelguard.files.memory import MemoryBudget

COLORS = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)


def saved(array: np.ndarray, **options: object) -> bytes:
    target = BytesIO()
    Image.fromarray(array).save(target, "WEBP", **options)
    return target.getvalue()


def test_lossless_colors_come_back_exactly() -> None:
    array, how = webp.decode(saved(COLORS, lossless=True))
    assert np.array_equal(array, COLORS)
    assert (how.format, how.channels, how.lossy, how.pages, how.codec) == ("webp", "rgb", False, 1, "VP8L")


def test_alpha_comes_back_exactly() -> None:
    with_alpha = np.dstack((COLORS, COLORS[:, :, 0]))
    array, how = webp.decode(saved(with_alpha, lossless=True, exact=True))
    assert np.array_equal(array, with_alpha) and how.channels == "rgba"


def test_lossy_is_called_lossy_with_and_without_alpha() -> None:
    assert webp.decode(saved(COLORS))[1].lossy
    array, how = webp.decode(saved(np.dstack((COLORS, COLORS[:, :, 0]))))
    assert how.lossy and how.channels == "rgba" and array.shape == (20, 30, 4)


@pytest.mark.parametrize("lossless", [True, False])
def test_frames_are_counted_and_the_first_is_read(lossless: bool) -> None:
    others = [Image.fromarray(COLORS[::-1].copy()), Image.fromarray(COLORS[:, ::-1].copy())]
    array, how = webp.decode(saved(COLORS, lossless=lossless, save_all=True, append_images=others))
    assert (how.pages, how.lossy) == (3, not lossless)
    assert array.shape == COLORS.shape
    if lossless:
        assert np.array_equal(array, COLORS)


@pytest.mark.parametrize("lossless", [True, False])
def test_no_cut_is_ever_read(lossless: bool) -> None:
    data = saved(COLORS[:6, :7], lossless=lossless)
    for size in range(len(data)):
        with pytest.raises(UnreadableMaskError):
            webp.decode(data[:size])


def test_a_cut_says_how_much_is_missing() -> None:
    with pytest.raises(UnreadableMaskError, match="^ends 7 bytes early$"):
        webp.decode(saved(COLORS)[:-7])


def test_zeroed_pixels_do_not_read_as_the_picture() -> None:
    data = saved(COLORS, lossless=True)
    damaged = data[:60] + bytes(len(data) - 60)
    with pytest.raises(UnreadableMaskError):
        webp.decode(damaged)


def test_a_huge_canvas_costs_nothing() -> None:
    small = saved(np.zeros((2, 2, 3), np.uint8), lossless=True)
    size = (0x2F | (16382 << 8) | (16382 << 22)).to_bytes(5, "little")
    with pytest.raises(UnreadableMaskError, match="the header claims 16383 x 16383 pixels"):
        webp.decode(small[:20] + size + small[25:])


def test_a_container_without_a_picture_is_refused() -> None:
    with pytest.raises(UnreadableMaskError, match="holds no picture"):
        webp.decode(b"RIFF\x0c\0\0\0WEBPEXIF\0\0\0\0")


def test_a_chunk_that_leaves_the_container_is_named() -> None:
    with pytest.raises(UnreadableMaskError, match="chunk at byte 12 is longer"):
        webp.decode(b"RIFF\x0c\0\0\0WEBPVP8L\x09\0\0\0")


def test_the_magic_bytes_are_recognized() -> None:
    assert webp.matches(saved(COLORS)[:64])
    assert not webp.matches(b"RIFF\0\0\0\0WAVE") and not webp.matches(b"")


def test_only_so_many_chunks_are_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(COLORS, lossless=True)

    def with_chunks(number: int, inside: bool) -> bytes:
        more = number * b"VP8L\0\0\0\0"
        frame = b"ANMF" + (16 + len(more)).to_bytes(4, "little") + bytes(16) + more
        whole = data + (frame if inside else more)
        return whole[:4] + (len(whole) - 8).to_bytes(4, "little") + whole[8:]

    for inside, least in ((False, 1), (True, 2)):
        monkeypatch.setattr(webp, "_MOST_CHUNKS", 20 + least)
        assert webp.header(with_chunks(20, inside))[0] == (20, 30)
        with pytest.raises(UnreadableMaskError, match=f"is cut into more than {20 + least} chunks"):
            webp.header(with_chunks(21, inside))


def test_the_first_bitstream_gives_the_size_and_any_lossy_one_the_loss() -> None:
    data, lossy = saved(COLORS, lossless=True), saved(COLORS[:5])
    both = data + lossy[12:]
    frames, loss, size, _, _ = webp._walk(both[:4] + (len(both) - 8).to_bytes(4, "little") + both[8:])
    assert (frames, loss, size) == (1, True, (20, 30)) and not webp.decode(data)[1].lossy


def test_metadata_that_pillow_copies_counts_as_memory() -> None:
    data = saved(COLORS, lossless=True, xmp=bytes(100_000))
    with pytest.raises(UnreadableMaskError, match="takes .* of memory or more"):
        MemoryBudget(90_000).run(webp.decode, data)
    assert MemoryBudget(150_000).run(webp.decode, data)[0].shape == (20, 30, 3)
