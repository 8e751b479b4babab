"""From a file to a mask or to its facts: exact ids whatever the container, or a reason in words.

One file a format. A format module has ``NAME``, ``SUFFIXES``, ``matches(head)`` and ``decode(data)``, which gives the samples
as stored and says how they were stored, or raises `UnreadableMaskError`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.crops import CropFacts, RandomCrop
from labelguard.facts.mask import Mask, Storage
from labelguard.facts.mask_facts import ErosionStats, MaskFacts
from labelguard.files import bmp, gif, jpeg, npy, png, tiff, webp
from labelguard.files.limits import MAX_FILE_BYTES
from labelguard.files.samples import facts_of_samples, labels_of
from labelguard.kernels.factorize import factorize

FORMATS: tuple[Any, ...] = (png, tiff, jpeg, bmp, gif, webp, npy)
_MOST_OUTLINE_PIXELS = 1 << 26  # shapes are looked at pixel by pixel, and the vote of a mask as large as this is not needed
SUFFIXES = frozenset(suffix for format_ in FORMATS for suffix in format_.SUFFIXES)


def read(path: str | os.PathLike[str]) -> Mask:
    """Read the labels of one file.

    Parameters
    ----------
    path
        A PNG, TIFF, JPEG, BMP, GIF, WebP or NPY file; what counts is its content, not its name.

    Returns
    -------
    Mask
        Labels of shape (H, W), read-only, in the smallest type that the file's own type fits.

    Raises
    ------
    UnreadableMaskError
        When the file cannot be opened, is damaged or is no image.
    NotLabelsError
        When it holds colors or fractions instead of ids.
    """
    samples, stored = decode_samples(read_bytes(path), os.fspath(path))
    labels = labels_of(samples, stored)
    labels.flags.writeable = False
    return Mask(labels, os.fspath(path), stored)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file.

    Raises
    ------
    UnreadableMaskError
        When it cannot be opened, or is too large to be a mask.
    """
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            data = os.read(descriptor, _GULP)  # each call hands the interpreter lock over: nearly all masks take these three
            return data if data[-8:-4] == b"IEND" and len(data) < _GULP else data + _rest(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise UnreadableMaskError(f"cannot be opened: {(problem.strerror or str(problem)).lower()}") from None


def _rest(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > MAX_FILE_BYTES:
        raise UnreadableMaskError(f"is {size / 1e9:.1f} GB large; the limit for a mask is {MAX_FILE_BYTES / 1e9:.1f} GB")
    return b"".join(iter(lambda: os.read(descriptor, max(size, _GULP)), b""))


_GULP = 1 << 16
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # a named pipe that nobody writes to is empty


def facts_of(data: bytes, name: str = "", outlines_of: Collection[int] = (), with_ramps: bool = False) -> MaskFacts:
    """Gather the facts of a file's content, decoding no more than they need.

    Parameters
    ----------
    data
        The whole file.
    name
        Its name, for the suffix.
    outlines_of
        Ids whose shape is to be looked at where they are present.
    with_ramps
        Whether to gather how ids change along rows and columns.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is no image.
    """
    tallied = png.tally(data, with_ramps=with_ramps) if png.matches(data) else None
    if tallied is None:
        samples, stored = decode_samples(data, name)
        facts = facts_of_samples(samples, stored, with_ramps and not stored.lossy)
        return _with_outlines(facts, outlines_of, lambda: labels_of(samples, stored))
    records, header, _, ramps = tallied
    stored = _with_suffix(png, header.stored, name)
    dtype = "uint16" if header.bits == 16 else "uint8"
    facts = MaskFacts.of_records(records, (header.height, header.width), dtype, stored, ramps=ramps)
    return _with_outlines(facts, outlines_of, lambda: labels_of(png.decode(data)[0], stored))


def crops_of(data: bytes, name: str, facts: MaskFacts, cropping: RandomCrop) -> CropFacts | None:
    """What random crops of a mask hold; decoded only where its facts do not tell already, None where it is too large for that."""
    try:
        return cropping.of(facts, lambda: factorize(labels_of(*decode_samples(data, name))))
    except UnreadableMaskError:
        return None


def decode_with_facts(data: bytes, name: str = "", outlines_of: Collection[int] = (), with_ramps: bool = False
                      ) -> tuple[Mask | None, MaskFacts]:
    """Decode a file's content and gather its facts in the same pass.

    Parameters
    ----------
    data, name, outlines_of, with_ramps
        As in `facts_of`.

    Returns
    -------
    mask, facts
        The mask is None where the pixels are no ids; the facts say what they are instead.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is no image.
    """
    tallied = png.tally(data, with_image=True, with_ramps=with_ramps) if png.matches(data) else None
    if tallied is not None:
        records, header, image, ramps = tallied
        stored = _with_suffix(png, header.stored, name)
        facts = MaskFacts.of_records(records, image.shape, image.dtype.name, stored, ramps=ramps)
        return Mask(image, name, stored), _with_outlines(facts, outlines_of, lambda: image)
    samples, stored = decode_samples(data, name)
    facts = facts_of_samples(samples, stored, with_ramps and not stored.lossy)
    if not facts.ids:
        return None, facts
    labels = labels_of(samples, stored)
    return Mask(labels, name, stored), _with_outlines(facts, outlines_of, lambda: labels)


def format_name(path: str) -> str:
    """The name of a file's format by its first bytes; empty where it is none that labelguard reads, or cannot be opened."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            head = os.read(descriptor, 64)
        finally:
            os.close(descriptor)
    except OSError:
        return ""
    return next((str(format_.NAME) for format_ in FORMATS if format_.matches(head)), "")


def _with_outlines(facts: MaskFacts, outlines_of: Collection[int], labels: Callable[[], NDArray[np.integer]]) -> MaskFacts:
    """The facts with the shapes of some ids; the labels are asked for only where one of these is present."""
    wanted = [label for label in outlines_of if label in facts.ids] if facts.pixels <= _MOST_OUTLINE_PIXELS else []
    if not wanted:
        return facts
    ids = np.ascontiguousarray(labels())
    return replace(facts, outlines={label: _outline(ids, label, facts) for label in wanted})


def _outline(labels: NDArray[np.integer], label: int, facts: MaskFacts) -> ErosionStats:
    from labelguard.kernels.erosion import eroded_pixels
    margin = min(3, max(1, round(min(facts.shape) / 100)))  # 3 pixels at the size of street scenes, 1 at that of thumbnails
    top, left, bottom, right = facts.boxes[facts.ids.index(label)]
    framed = top == 0 or left == 0 or bottom == facts.shape[0] or right == facts.shape[1]
    return ErosionStats(facts.count(label), eroded_pixels(labels, label, margin), 1, int(framed))


def decode_samples(data: bytes, name: str) -> tuple[NDArray[Any], Storage]:
    """The samples of a file as stored, (H, W) or (H, W, C), and how they lay there; whether they are ids is not asked.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is no image.
    """
    format_ = next((format_ for format_ in FORMATS if format_.matches(data[:64])), None)
    if format_ is None:
        raise UnreadableMaskError(_what_else(data))
    samples, stored = format_.decode(data)
    return samples, _with_suffix(format_, stored, name)


def _with_suffix(format_: ModuleType, stored: Storage, name: str) -> Storage:
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot >= 0 else ""
    if suffix in SUFFIXES and suffix not in format_.SUFFIXES:
        return replace(stored, wrong_suffix=suffix)
    return stored


def _what_else(data: bytes) -> str:
    """What a file is that no format knows."""
    if not data:
        return "is empty (0 bytes)"
    if data.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not the image; 'git lfs pull' fetches the image"
    if data[:256].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "is a web page, not an image; a download went wrong"
    if data[:4] == b"\x89PNG":
        return "begins like a PNG, but its signature is damaged; a transfer in text mode does that"
    if not data[:512].strip(b"\0"):
        return "holds nothing but zero bytes where an image should begin; a copy was broken off"
    try:
        text = data[:200].decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and all(character.isprintable() or character in "\r\n\t" for character in text):
        return f"is text, not an image: it begins with {text.strip().splitlines()[0][:40]!r}" if text.strip() else "is blank text"
    names = ", ".join(format_.NAME for format_ in FORMATS)
    return f"is none of the formats that labelguard reads ({names}): it begins with the bytes {data[:8].hex(' ')}"
