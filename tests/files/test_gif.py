"""GIF files: indices of the first frame, frames counted, cuts noticed."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import UnreadableMaskError
from labelguard.files import gif
from labelguard.files.memory import MemoryBudget

COLORS = [9, 9, 9, 200, 0, 0, 0, 200, 0, 0, 0, 200, 250, 250, 9]
LABELS = np.kron(np.random.default_rng(0).integers(0, 5, (4, 5)), np.ones((3, 4), int)).astype(np.uint8)


def indexed(labels: np.ndarray, colors: list[int]) -> Image.Image:
    image = Image.fromarray(labels)
    image.putpalette(colors)
    return image


def saved(image: Image.Image, **options: object) -> bytes:
    target = BytesIO()
    image.save(target, "GIF", **options)
    return target.getvalue()


def raw(width: int, height: int, palette: bytes, codes: list[int], frame: tuple[int, int, int, int] | None = None) -> bytes:
    """A GIF of four colors whose LZW codes, 3 bits each, are given: 4 clears, 5 ends."""
    bits = sum(code << 3 * place for place, code in enumerate(codes)).to_bytes((3 * len(codes) + 7) // 8, "little")
    return (b"GIF89a" + struct.pack("<HHBBB", width, height, 0x81, 0, 0) + palette + b","
            + struct.pack("<HHHHB", *(frame or (0, 0, width, height)), 0) + bytes((2, len(bits))) + bits + b"\0;")


def test_a_palette_file_gives_indices_and_its_palette() -> None:
    array, how = gif.decode(saved(indexed(LABELS, COLORS), optimize=False))
    assert np.array_equal(array, LABELS) and array.dtype == np.uint8
    assert (how.format, how.channels, how.pages, how.lossy) == ("gif", "palette", 1, False)
    assert how.palette is not None and list(how.palette[:15]) == COLORS


def test_under_the_grey_ramp_indices_are_grey_levels() -> None:
    ramp = [level for level in range(256) for _ in range(3)]
    array, how = gif.decode(saved(indexed(LABELS * 60, ramp), optimize=False))
    assert np.array_equal(array, LABELS * 60)
    assert (how.channels, how.palette) == ("grey", None)


def test_grey_colors_that_are_not_the_ramp_still_give_indices() -> None:
    array, how = gif.decode(raw(2, 1, bytes((0, 0, 0, 255, 255, 255)) + bytes(6), [4, 0, 1, 5]))
    assert (array.tolist(), how.channels) == ([[0, 1]], "palette")


def test_frames_are_counted_and_the_first_is_read() -> None:
    first, second = indexed(LABELS, COLORS), indexed(LABELS[::-1].copy(), COLORS)
    array, how = gif.decode(saved(first, save_all=True, append_images=[second, first], optimize=False))
    assert np.array_equal(array, LABELS) and how.pages == 3


def test_interlaced_rows_come_back_in_order() -> None:
    assert np.array_equal(gif.decode(saved(indexed(LABELS, COLORS), interlace=1, optimize=False))[0], LABELS)


def test_a_frame_smaller_than_the_canvas_keeps_the_canvas() -> None:
    array, _ = gif.decode(raw(3, 2, bytes(range(12)), [4, 2, 3, 5], (1, 1, 2, 1)))
    assert array.tolist() == [[0, 0, 0], [0, 2, 3]]


def test_no_cut_is_ever_read() -> None:
    data = saved(indexed(LABELS, COLORS))
    for size in range(len(data)):
        with pytest.raises(UnreadableMaskError):
            gif.decode(data[:size])


def test_a_missing_trailer_is_a_cut() -> None:
    with pytest.raises(UnreadableMaskError, match="ends without its end marker"):
        gif.decode(saved(indexed(LABELS, COLORS))[:-1])


@pytest.mark.parametrize("codes", [[4, 1, 5], [4, 1, 2, 4, 5]])
def test_too_few_pixels_are_no_picture(codes: list[int]) -> None:
    with pytest.raises(UnreadableMaskError, match="pixels cannot be decoded"):
        gif.decode(raw(4, 2, bytes(range(12)), codes))


def test_a_file_without_a_frame_is_refused() -> None:
    with pytest.raises(UnreadableMaskError, match="holds no frame"):
        gif.decode(b"GIF89a" + struct.pack("<HHBBB", 4, 4, 0, 0, 0) + b";")


def test_a_huge_canvas_costs_nothing() -> None:
    with pytest.raises(UnreadableMaskError, match="the header claims 65535 x 65535 pixels"):
        gif.decode(raw(65535, 65535, bytes(12), [4, 1, 5], (0, 0, 1, 1)))


def test_foreign_blocks_are_named_with_their_place() -> None:
    with pytest.raises(UnreadableMaskError, match=r"byte 25 begins a block of a kind that GIF does not have \(0x07\)"):
        gif.decode(raw(1, 1, bytes(12), [4, 1, 5])[:25] + b"\x07;")


def test_the_magic_bytes_are_recognized() -> None:
    assert gif.matches(b"GIF87a...") and gif.matches(b"GIF89a...")
    assert not gif.matches(b"GIF90a") and not gif.matches(b"")


def test_real_binary_masks_hold_0_and_255(real_data: Path) -> None:
    files = sorted((real_data / "drive_smoothed" / "original_masks").glob("*.gif"))
    assert files
    for file in files:
        array, how = gif.decode(file.read_bytes())
        assert np.unique(array).tolist() == [0, 255] and how.channels == "grey"


def test_comments_and_frames_are_counted_and_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(indexed(np.arange(12, dtype=np.uint8).reshape(3, 4), [255, 0, 0] * 20))
    at = 13 + (6 << (data[10] & 7) if data[10] & 0x80 else 0)
    labels, stored = gif.decode(data)
    for flood in (b"!\xfe" + b"\1c" * 40 + b"\0", b"!\xff\0" * 40, data[at:-1] * 20):
        array, how = gif.decode(data[:at] + flood + data[at:])
        assert np.array_equal(array, labels) and how.palette == stored.palette
        monkeypatch.setattr(gif, "_MOST_BLOCKS", 30)
        with pytest.raises(UnreadableMaskError, match="is cut into more than 30 blocks"):
            gif.decode(data[:at] + flood + data[at:])
        monkeypatch.undo()


def test_the_index_that_is_transparent_comes_with_the_first_frame() -> None:
    frame = indexed(np.arange(12, dtype=np.uint8).reshape(3, 4) % 3, [255, 0, 0, 0, 255, 0, 0, 0, 255])
    data = saved(frame, transparency=2)
    at = 13 + (6 << (data[10] & 7))
    assert np.array_equal(gif.decode(data[:at] + b"!\xfe\1c\0" + data[at:])[0], gif.decode(data)[0])


def test_the_copy_of_the_first_frame_is_counted_before_it_is_made() -> None:
    data = saved(indexed(LABELS, COLORS))
    at = data.rindex(b"\0;")
    given = data[:at] + (b"\xff" + b"\1" * 255) * 400 + data[at:]
    with pytest.raises(UnreadableMaskError, match="takes .* of memory or more"):
        MemoryBudget(100_000).run(gif._frames, given)
    assert np.array_equal(MemoryBudget(120_000).run(gif.decode, given)[0], LABELS)


def test_two_graphic_control_blocks_before_one_frame_are_refused() -> None:
    control = b"!\xf9\4\1\0\0\2\0"
    data = raw(3, 2, bytes(range(12)), [4, 2, 3, 5], (1, 1, 2, 1))
    with_one = data[:25] + control + data[25:]
    assert gif.decode(with_one)[0].tolist() == np.asarray(Image.open(BytesIO(with_one))).tolist() == [[2, 2, 2], [2, 2, 3]]
    assert np.array_equal(gif.decode(with_one[:-1] + 2 * control + with_one[25:])[0], gif.decode(with_one)[0])  # before the second frame
    with pytest.raises(UnreadableMaskError, match="holds two graphic control blocks before its first frame"):
        gif.decode(data[:25] + control + b"!\xf9\4\0\0\0\0\0" + data[25:])


def test_what_comes_after_the_first_frame_is_not_made_and_not_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.arange(48, dtype=np.uint8).reshape(6, 8) % 3
    image = Image.fromarray(labels).convert("P")
    image.putpalette(bytes(range(9)))
    stored = BytesIO()
    image.save(stored, "GIF", disposal=2, transparency=1)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 20)  # Pillow warns of more, and refuses twice as many
    array, _ = gif.decode(stored.getvalue())
    assert np.array_equal(array, labels)
