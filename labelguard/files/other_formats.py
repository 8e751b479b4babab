"""What a file is that is no image of a mask, by its first bytes, and what its owner does instead."""

from __future__ import annotations

import re
import zlib

_UNPACK = "unpack it first, and scan the folder"
_VOLUME = ("and labelguard reads single slices; write them out first: pip install nibabel; python -c \"import nibabel, numpy as np; "
           "v = np.asarray(nibabel.load('case.nii.gz').dataobj); [np.save(f'case-{z:03}', v[..., z]) for z in range(v.shape[2])]\"")
_ARRAYS = ("is an .npz archive, and labelguard reads single arrays; write them out first: python -c \"import numpy as np; "
           "a = np.load('masks.npz'); [np.save(name, a[name]) for name in a]\"")
_COCO = ("is a COCO file, not a mask; 'labelguard scan --boxes FILE' checks its boxes, and masks have to be drawn from it first, as "
         "pycocotools' annToMask does")
_LIST = "is a list of files, not a mask; 'labelguard scan FOLDER --files-from FILE' scans those that it names"
_STARTS = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the image; 'git lfs pull' fetches the image"),
    (b"\x89PNG", "begins like a PNG, but its signature is damaged; a transfer in text mode does that"),
    (b"PK\x03\x04", f"is a zip archive, not a mask; {_UNPACK}: unzip FILE -d masks"),
    (b"PK\x05\x06", "is an empty zip archive, not a mask"),
    (b"7z\xbc\xaf'\x1c", f"is a 7z archive, not a mask; {_UNPACK}: 7z x FILE -omasks"),
    (b"Rar!", f"is a rar archive, not a mask; {_UNPACK}: unrar x FILE masks/"),
    (b"\xfd7zXZ\0", f"is compressed by xz; {_UNPACK}: tar -xf FILE, or unxz FILE"),
    (b"BZh", f"is compressed by bzip2; {_UNPACK}: tar -xf FILE, or bunzip2 FILE"),
    (b"\x28\xb5\x2f\xfd", f"is compressed by zstd; {_UNPACK}: tar -xf FILE, or unzstd FILE"),
    (b"\x89HDF\r\n", "is an HDF5 file, which labelguard does not read; write its arrays as .npy or PNG first"),
    (b"MATLAB 5.0", "is a MATLAB file, which labelguard does not read; write its arrays as .npy or PNG first (scipy.io.loadmat)"),
    (b"PAR1", "is a Parquet file, not a mask; write its images out first"),
    (b"NRRD", "is an NRRD volume, which labelguard does not read; write its slices as .npy or PNG first"),
)
_COCO_KEYS = re.compile(rb'"(annotations|segments_info|categories)"\s*:')
_LISTED = re.compile(r"\S*\.(png|tiff?|bmp|gif|webp|jpe?g|npy)\b|([\w./-]*\d[\w./-]*\r?\n){2}", re.IGNORECASE)  # or stems


def what_it_is(data: bytes) -> str:
    """What a file is instead of an image, in words that follow its name; nothing where its bytes do not tell.

    Parameters
    ----------
    data
        The whole file, or at least its first kilobytes.
    """
    if not data:
        return "is empty (0 bytes)"
    if data[:4] == b"PK\x03\x04" and data[30:286].partition(b".npy")[1]:
        return _ARRAYS
    for start, words in _STARTS:
        if data.startswith(start):
            return words
    if data.startswith(b"\x1f\x8b"):
        return _compressed(data)
    if words := _volume_or_tar(data):
        return words
    if not data[:512].strip(b"\0"):
        return "holds nothing but zero bytes where an image should begin; a copy was broken off"
    return _text(data)


def _compressed(data: bytes) -> str:
    """What lies in a gzip stream."""
    try:
        inside = zlib.decompressobj(31).decompress(data, 512)
    except zlib.error:
        inside = b""
    return _volume_or_tar(inside) or f"is compressed by gzip; {_UNPACK}: gunzip FILE"


def _volume_or_tar(data: bytes) -> str:
    if data[344:348] in (b"n+1\0", b"ni1\0") or data[4:8] == b"n+2\0":  # NIfTI-1, NIfTI-2
        return f"is a NIfTI volume, {_VOLUME}"
    if data[128:132] == b"DICM":
        return "is a DICOM file, which labelguard does not read; write its pixels as .npy or PNG first (pydicom)"
    return f"is a tar archive, not a mask; {_UNPACK}: mkdir masks && tar -xf FILE -C masks" if data[257:262] == b"ustar" else ""


def _text(data: bytes) -> str:
    """What a text is; nothing where it is none."""
    try:
        text = data[:200].decode("utf-8")
    except UnicodeDecodeError as problem:
        text = data[:200].decode("utf-8", "ignore") if problem.start > 196 else ""  # cut within a letter
    if not text or not all(character.isprintable() or character in "\r\n\t" for character in text):
        return ""
    start = text.lstrip("\ufeff \t\r\n")
    if not start:
        return "is blank text"
    if start.lower().startswith(("<!doctype html", "<html")):
        return "is a web page, not an image; a download went wrong"
    if start[0] in "{[":
        return _COCO if _COCO_KEYS.search(data) else "is JSON, not an image"
    if _LISTED.match(start):
        return _LIST
    return f"is text, not an image: it begins with {start.splitlines()[0][:40]!r}"
