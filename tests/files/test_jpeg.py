"""JPEG files: always lossy, and never the half of a cut one."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import UnreadableMaskError
from labelguard.files import jpeg
from labelguard.files.memory import MemoryBudget

COLORS = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
GREY = COLORS[:, :, 0]


def saved(array: np.ndarray, mode: str = "", **options: Any) -> bytes:
    target = BytesIO()
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(target, "JPEG", **options)
    return target.getvalue()


@pytest.mark.parametrize(("data", "channels", "shape"), [
    (saved(GREY), "grey", (20, 30)), (saved(COLORS), "rgb", (20, 30, 3)), (saved(COLORS, "CMYK"), "other", (20, 30, 4))])
def test_what_is_stored_is_told_and_always_lossy(data: bytes, channels: str, shape: tuple[int, ...]) -> None:
    array, how = jpeg.decode(data)
    assert (how.format, how.channels, how.lossy, how.bits, array.shape) == ("jpeg", channels, True, 8, shape)


def test_grey_values_are_those_that_others_see() -> None:
    data = saved(GREY, quality=90)
    with Image.open(BytesIO(data)) as image:
        assert np.array_equal(jpeg.decode(data)[0], np.asarray(image))


def test_progressive_files_are_read() -> None:
    array, how = jpeg.decode(saved(COLORS, progressive=True))
    assert array.shape == (20, 30, 3) and how.codec == "progressive JPEG"


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"quality": 100}])
def test_no_cut_is_ever_read(options: dict[str, Any]) -> None:
    data = saved(COLORS, **options)
    for size in range(len(data)):
        with pytest.raises(UnreadableMaskError):
            jpeg.decode(data[:size])


def test_a_cut_is_called_a_cut() -> None:
    data = saved(COLORS)
    with pytest.raises(UnreadableMaskError, match="ends without its end marker"):
        jpeg.decode(data[:-100])


def test_the_end_marker_of_a_thumbnail_does_not_stand_for_the_end() -> None:
    data, thumbnail = saved(COLORS), saved(GREY)
    segment = b"\xff\xe1" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail
    whole = data[:2] + segment + data[2:]
    assert jpeg.decode(whole)[0].shape == (20, 30, 3)
    with pytest.raises(UnreadableMaskError, match="ends without its end marker"):
        jpeg.decode(whole[:-2])


def test_bytes_after_the_end_marker_do_not_matter() -> None:
    data = saved(COLORS)
    assert np.array_equal(jpeg.decode(data + bytes(50))[0], jpeg.decode(data)[0])


def test_a_huge_frame_costs_nothing() -> None:
    data = saved(GREY)
    at = data.index(b"\xff\xc0") + 5
    with pytest.raises(UnreadableMaskError, match="the header claims 65500 x 65500 pixels"):
        jpeg.decode(data[:at] + b"\xff\xdc\xff\xdc" + data[at + 4:])


def test_endless_scans_are_refused() -> None:
    data = saved(GREY)
    start = data.index(b"\xff\xda")
    scan = data[start:-2]
    with pytest.raises(UnreadableMaskError, match="more than 200 scans"):
        jpeg.decode(data[:start] + 300 * scan + b"\xff\xd9")


@pytest.mark.parametrize("junk", [b"\0", bytes(300), b"\xff" * 9, b"\xff\0\1\2", b"junk\xff\xd0"])
def test_bytes_between_segments_are_skipped_as_by_every_reader(junk: bytes) -> None:
    data = saved(COLORS)
    for marker in (b"\xff\xdb", b"\xff\xc0", b"\xff\xda"):
        at = data.index(marker)
        given = data[:at] + junk + data[at:]
        assert np.array_equal(jpeg.decode(given)[0], np.asarray(Image.open(BytesIO(given))))
    with pytest.raises(UnreadableMaskError, match="ends without its end marker"):
        jpeg.decode(b"\xff\xd8" + bytes(20))


def test_only_so_much_is_skipped() -> None:
    data = saved(GREY)
    at = data.index(b"\xff\xdb")
    for size in (1 << 20, (1 << 20) + 1):
        given = data[:at] + bytes(size) + data[at:]
        if size <= 1 << 20:
            assert jpeg.decode(given)[0].shape == (20, 30)
        else:
            with pytest.raises(UnreadableMaskError, match="more than 1,048,576 bytes between its segments"):
                jpeg.decode(given)


def test_only_so_many_segments_are_read() -> None:
    data = saved(GREY)
    have = 0

    def with_comments(number: int) -> bytes:
        return data[:2] + number * b"\xff\xfe\0\2" + data[2:]

    while True:  # those of the file itself count too
        try:
            jpeg.decode(with_comments(10_000 - have))
            break
        except UnreadableMaskError:
            have += 1
    assert 0 < have < 10
    with pytest.raises(UnreadableMaskError, match="more than 10,000 segments"):
        jpeg.decode(with_comments(10_001 - have))


def test_scans_are_bounded_by_what_they_pass_over() -> None:
    for pixels, scans in ((1 << 29, 11), (1 << 25, 26), (1, 200), (1 << 40, 10)):
        jpeg._check_work(scans, scans, pixels, 0, 0)
    for pixels, scans in (((1 << 29) + 1, 11), (1 << 25, 27), (1, 201)):
        with pytest.raises(UnreadableMaskError, match="scans"):
            jpeg._check_work(scans, scans, pixels, 0, 0)


def test_the_magic_bytes_are_recognized() -> None:
    assert jpeg.matches(saved(GREY)[:64])
    assert not jpeg.matches(b"\xff\xd8") and not jpeg.matches(b"")


def test_real_jpeg_masks_are_read_as_lossy(real_data: Path) -> None:
    files = sorted(real_data.glob("blast_jpeg/**/*.jp*g"))
    assert files
    for file in files:
        assert jpeg.decode(file.read_bytes())[1].lossy


def test_what_does_not_decide_pixels_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[int] = []
    monkeypatch.setattr(jpeg, "BytesIO", lambda plain: handed.append(len(plain)) or BytesIO(plain))
    for array, mode in ((GREY, ""), (COLORS, ""), (COLORS, "CMYK")):
        data = saved(array, mode)
        flood = b"".join(b"\xff" + bytes([marker]) + (2 + 60).to_bytes(2, "big") + b"Exif\0\0" + bytes(54)
                         for marker in (0xE1, 0xE1, 0xE1, 0xE2, 0xED, 0xEF, 0xFE))
        given = data[:2] + flood + data[2:]
        assert np.array_equal(jpeg.decode(given)[0], np.asarray(Image.open(BytesIO(given))))
        assert handed.pop() == len(data)


def test_a_transform_that_adobe_names_is_handed_on() -> None:
    data = saved(COLORS)  # without JFIF, and with transform 0, samples are R, G and B
    plain = data[:2] + data[2 + 2 + int.from_bytes(data[4:6], "big"):]
    given = plain[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" + plain[2:]
    assert np.array_equal(jpeg.decode(given)[0], np.asarray(Image.open(BytesIO(given))))
    assert not np.array_equal(jpeg.decode(given)[0], jpeg.decode(data)[0])


def test_only_so_many_bytes_of_tables_are_read() -> None:
    data = saved(GREY)
    start = data.index(b"\xff\xda")
    room = (1 << 20) - start

    def with_tables(size: int) -> bytes:
        whole, rest = divmod(size, 60_000)
        sizes = [60_000] * whole + [rest]
        return data[:2] + b"".join(b"\xff\xe0" + (size - 2).to_bytes(2, "big") + bytes(size - 4) for size in sizes) + data[2:]

    assert np.array_equal(jpeg.decode(with_tables(room))[0], jpeg.decode(data)[0])
    with pytest.raises(UnreadableMaskError, match="more than 1,048,576 bytes of tables"):
        jpeg.decode(with_tables(room + 1))


def test_the_copy_that_is_handed_on_counts_as_memory() -> None:
    data = saved(GREY)
    at = data.index(b"\xff\xd9")
    given = data[:at] + b"\xff\xfe\xff\xff" + bytes(65533) + data[at:]
    with pytest.raises(UnreadableMaskError, match="takes .* of memory or more"):
        MemoryBudget(60_000).run(jpeg.decode, given)
    assert MemoryBudget(80_000).run(jpeg.decode, given)[0].shape == (20, 30)
