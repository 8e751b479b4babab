from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from labelguard.cli import main
from labelguard.files.formats import FORMATS
from labelguard.files.other_formats import what_it_is
from tests.drawn import bands


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("masks/0.png", b"")
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, mask=bands(0, 1))
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("masks/0.png"))
    return file.getvalue()


def volume() -> bytes:
    return bytes(344) + b"n+1\0" + bytes(100)  # the magic of NIfTI-1, at the end of its header


@pytest.mark.parametrize(("content", "words"), [
    (zipped(), "is a zip archive, not a mask; unpack it first"),
    (npz(), "is an .npz archive"),
    (tarred(), "is a tar archive, not a mask; unpack it first"),
    (gzip.compress(tarred()), "is a tar archive"),
    (volume(), "is a NIfTI volume"),
    (gzip.compress(volume()), "is a NIfTI volume"),
    (gzip.compress(b"hello"), "is compressed by gzip"),
    (b"\x1f\x8b broken", "is compressed by gzip"),
    (lzma.compress(tarred()), "is compressed by xz"),
    (bz2.compress(tarred()), "is compressed by bzip2"),
    (bytes(128) + b"DICM", "is a DICOM file"),
    (json.dumps({"images": [], "annotations": []}).encode(), "is a COCO file"),
    (b'{"a": 1}', "is JSON, not an image"),
    (b"m/0.png\nm/1.png\n", "is a list of files"),
    (b"img/0.jpg m/0.png\n", "is a list of files"),
    (b"2007_000032\n2007_000039\n", "is a list of files"),
    (b"2007_000032\n", "is text, not an image"),
    (("a" + "ä" * 200).encode(), "is text, not an image"),  # byte 200 falls into a letter
    (b"\x00\x01\x02\x03\xff", ""),
])
def test_files_of_other_kinds_are_told_apart(content: bytes, words: str) -> None:
    told = what_it_is(content)
    assert told.startswith(words) and bool(told) == bool(words)


def test_no_format_that_is_read_is_taken_for_another() -> None:
    for magic in (b"\x89PNG\r\n\x1a\n", b"II*\0", b"MM\0*", b"\xff\xd8\xff", b"GIF89a", b"\x93NUMPY", b"RIFF0000WEBP"):
        assert any(format_.matches(magic + bytes(60)) for format_ in FORMATS)


def test_a_list_that_is_named_is_answered_with_the_option_for_it(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a.png\nb.png\n")
    done = CliRunner().invoke(main, ["scan", str(tmp_path / "train.txt")])
    assert done.exit_code == 1 and "--files-from" in done.stdout and "Fetch or export" not in done.stdout


def test_a_folder_without_masks_says_what_may_be_asked(tmp_path: Path) -> None:
    (tmp_path / "case.nii.gz").write_bytes(gzip.compress(volume()))
    done = CliRunner().invoke(main, ["scan", str(tmp_path)])
    assert done.exit_code == 3 and "files of other types: 1 .gz" in done.stderr and "Name one of these files" in done.stderr
