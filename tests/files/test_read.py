"""Reading whatever lies on disk, and saying what it is where it is not a mask."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from labelguard.errors import NotLabelsError, UnreadableMaskError
from labelguard.files import limits
from labelguard.files.mask import decode_with_facts, facts_of
from labelguard.files.read import read, read_bytes

LABELS = np.arange(12, dtype=np.uint8).reshape(3, 4)


def png_of(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "png")
    return buffer.getvalue()


def test_reads_labels_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png_of(LABELS))
    mask = read(tmp_path / "a.png")
    assert np.array_equal(mask.labels, LABELS) and mask.name.endswith("a.png") and mask.stored.format == "png"
    with pytest.raises(ValueError, match="read-only"):
        mask.labels[0, 0] = 1


def test_equal_channels_are_read_as_one() -> None:
    assert facts_of(png_of(np.dstack([LABELS] * 3))).present == tuple(range(12))


def test_colors_and_fractions_are_no_labels(tmp_path: Path) -> None:
    (tmp_path / "colors.png").write_bytes(png_of(np.dstack([LABELS, LABELS, 5 * LABELS])))
    np.save(tmp_path / "fractions.npy", LABELS / 2)
    for name, reason in (("colors.png", "holds colors"), ("fractions.npy", "holds fractions")):
        with pytest.raises(NotLabelsError, match=reason):
            read(tmp_path / name)


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "is empty"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS pointer"),
    (b"<!DOCTYPE html><html>404", "web page"),
    (b"hello\nworld\n", "is text, not an image: it begins with 'hello'"),
    (b"\n\n", "blank text"),
    (bytes(5000), "nothing but zero bytes"),
    (b"\x89PNG\n\x1a\n", "signature is damaged"),
    (b"\x00\x01\x02\x03\xff", "not of a format that labelguard reads"),
])
def test_what_is_no_image_is_named(content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableMaskError, match=reason):
        facts_of(content, "mask.png")


def test_the_content_decides_and_a_wrong_suffix_is_noted() -> None:
    assert facts_of(png_of(LABELS), "a.tif").stored.wrong_suffix == ".tif"
    assert facts_of(png_of(LABELS), "a.PNG").stored.wrong_suffix == ""
    assert facts_of(png_of(LABELS), "a.label").stored.wrong_suffix == ""


def test_files_that_cannot_be_opened_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableMaskError, match="cannot be opened: no such file"):
        read_bytes(tmp_path / "missing.png")
    with pytest.raises(UnreadableMaskError, match="cannot be opened: is a directory"):
        read_bytes(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(UnreadableMaskError, match="is a named pipe, not a file"):
        read_bytes(tmp_path / "pipe.png")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no endless device")
def test_an_endless_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "zero.png").symlink_to("/dev/zero")
    with pytest.raises(UnreadableMaskError, match="is a device, not a file"):
        read_bytes(tmp_path / "zero.png")


def _written_to_while_read(path: Path, monkeypatch: pytest.MonkeyPatch, times: int, size: int) -> None:
    """Each of the first reads of the whole file sees it changed behind its back."""
    reads, real = [0], os.read

    def read_and_write(descriptor: int, count: int) -> bytes:
        data = real(descriptor, count)
        if count != 1 << 16 and reads[0] < times:
            reads[0] += 1
            path.write_bytes(bytes(size + reads[0] if size else 100_000))
            os.utime(path, ns=(0, 10 * times + reads[0]))
        return data

    monkeypatch.setattr(os, "read", read_and_write)


@pytest.mark.parametrize("size", [0, 99_000, 100_000], ids=["same size", "shorter", "longer"])
def test_a_file_that_changes_under_the_reader_is_read_once_more_and_then_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                                 size: int) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(bytes(100_000))
    with monkeypatch.context() as once:
        _written_to_while_read(path, once, 1, size)
        assert read_bytes(path) == bytes(size + 1 if size else 100_000)
    _written_to_while_read(path, monkeypatch, 2, size)
    with pytest.raises(UnreadableMaskError, match="changed while it was read"):
        read_bytes(path)


def test_a_file_too_large_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(limits.MAX_FILE_BYTES + 1)
    with pytest.raises(UnreadableMaskError, match=r"is 1\.1 GB large"):
        read_bytes(tmp_path / "huge.png")


def test_the_shape_of_an_id_is_gathered_only_when_asked_for() -> None:
    labels = np.full((30, 30), 255, np.uint8)
    labels[:10] = 1
    assert facts_of(png_of(labels)).erosion == {}
    outlines = facts_of(png_of(labels), erosion_of={254, 255}).erosion
    assert outlines == {255: (600, 19 * 30, 1, 1, 36)}


def test_a_channel_that_alone_varies_is_told() -> None:
    red = np.zeros((4, 4, 3), np.uint8)
    red[:2, :, 0] = 7
    colors = facts_of(png_of(red)).colors
    assert colors.varying == ("red",) and colors.distinct == 2 and colors.common == (((0, 0, 0), 8), ((7, 0, 0), 8))


def test_how_ids_change_is_gathered_where_wanted_whatever_the_container() -> None:
    labels = np.random.default_rng(0).integers(0, 5, (60, 80), np.uint8).repeat(3, axis=0)
    npy, tiff = io.BytesIO(), io.BytesIO()
    np.save(npy, labels.astype(np.int64))
    Image.fromarray(labels).save(tiff, "tiff")
    same = (png_of(labels), png_of(np.dstack([labels] * 3)), npy.getvalue(), tiff.getvalue())
    found = [facts_of(data, with_label_runs=True).label_runs for data in same]
    assert found[0].ramps > 100 and len(found[0].areas) == len(found[0].thin) == 5
    assert all(each == found[0] for each in found)
    assert facts_of(png_of(labels)).label_runs is None
    for data in same:
        mask, facts = decode_with_facts(data, "", {3}, with_label_runs=True)
        assert (mask.labels == labels).all() and facts.label_runs == found[0]
        assert facts.erosion == facts_of(data, "", {3}).erosion and set(facts.erosion) == {3}


@pytest.mark.parametrize(("side", "least"), [(149, 36), (151, 100), (251, 196)])
def test_how_large_an_id_has_to_be_for_its_form_to_tell_anything_depends_on_the_size_of_the_image(side: int, least: int) -> None:
    labels = np.zeros((side, 300), np.uint8)
    labels[0, :least] = 3
    erosion = facts_of(png_of(labels), erosion_of={3}).erosion[3]
    assert erosion.core == 0 and erosion._replace(num_pixels=least - 1).core is None


def test_how_ids_change_is_not_asked_of_colors_fractions_and_lossy_files() -> None:
    jpeg, npy = io.BytesIO(), io.BytesIO()
    Image.fromarray(LABELS).save(jpeg, "jpeg")
    np.save(npy, LABELS / 2)
    for data in (jpeg.getvalue(), npy.getvalue(), png_of(np.dstack([LABELS, LABELS, 5 * LABELS]))):
        assert facts_of(data, with_label_runs=True).label_runs is None
