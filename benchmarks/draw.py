"""Draw label masks that cost what real ones cost: layered scenes whose polygons are those of nobody's data set.

What decides how long a mask takes to read is how many bytes it compresses to, which filters its writer chose and how often the
label changes along and between rows. `Statistics` holds these; the counts and sizes below were tuned until drawn and real ones agree.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Labels = NDArray[np.uint8]
Points = list[tuple[float, float]]


def street_scene(seed: int) -> Labels:
    """2048 x 1024, ids 0 to 33: hand-drawn polygons at the full size of the photo, as in Cityscapes."""
    rng = np.random.default_rng(seed)
    scene = _Scene(rng, 1024, 2048)
    horizon = 1024 * rng.uniform(0.38, 0.46)
    scene.all_of(4)
    scene.below(11, 0, 0, 5)
    scene.roofs(23, 1024 * rng.uniform(0.12, 0.25), 110, 9)
    scene.below(8, horizon + 40, 12, 8)
    scene.road(7, horizon, 0.0)
    scene.blobs(21, 5, (70, 220), (0.10, 0.42), 24, flat=0.6)
    scene.blobs(22, 3, (40, 120), (0.48, 0.56), 18)
    scene.blobs(12, 2, (30, 110), (0.40, 0.48), 8)
    scene.blobs(13, 2, (30, 110), (0.40, 0.48), 10)
    scene.blobs(26, 7, (14, 110), (0.42, 0.56), 20, flat=0.5)
    scene.blobs(27 + seed % 4, 1, (50, 120), (0.40, 0.50), 18)
    scene.poles(17, 8, (3, 11))
    scene.blobs(20, 7, (6, 26), (0.18, 0.40), 6)
    scene.blobs(19, 4, (6, 14), (0.20, 0.36), 8)
    scene.persons(24, 7, (20, 110))
    scene.persons(25, 1, (30, 90))
    scene.blobs(33, 2, (14, 50), (0.48, 0.58), 18)
    scene.blobs(5, 3, (8, 40), (0.44, 0.56), 9)
    scene.hood(1)
    scene.frame(3, 5)
    return scene.labels()


def drive_scene(seed: int) -> Labels:
    """480 x 360, ids 0 to 11: frames of a video that were shrunk to the nearest label, so that outlines are ragged, as in CamVid."""
    rng = np.random.default_rng(seed)
    scene = _Scene(rng, 360, 480)
    horizon = 360 * rng.uniform(0.44, 0.52)
    scene.all_of(1)
    scene.above(0, 360 * rng.uniform(0.15, 0.30), 40, 12)
    scene.below(4, horizon + 12, 5, 10)
    scene.road(3, horizon, 0.12)
    scene.blobs(5, 6, (20, 62), (0.15, 0.48), 40)
    scene.blobs(7, 3, (8, 34), (0.42, 0.52), 14)
    scene.blobs(8, 5, (6, 34), (0.46, 0.60), 24, flat=0.6)
    scene.poles(2, 7, (1, 3))
    scene.blobs(6, 5, (3, 9), (0.20, 0.45), 8)
    scene.persons(9, 5, (12, 50))
    scene.persons(10, 2, (12, 40))
    scene.blobs(11, 4, (3, 14), (0.30, 0.70), 12)
    return _ragged(scene.labels(), rng, 0.16)


class _Scene:
    """A picture that is painted over, layer by layer."""

    def __init__(self, rng: np.random.Generator, height: int, width: int) -> None:
        self.rng, self.height, self.width = rng, height, width
        self.image = Image.new("L", (width, height))
        self.draw = ImageDraw.Draw(self.image)

    def labels(self) -> Labels:
        return np.asarray(self.image)

    def all_of(self, label: int) -> None:
        self.draw.rectangle((0, 0, self.width, self.height), fill=label)

    def above(self, label: int, row: float, wiggle: float, points: int) -> None:
        self.draw.polygon([(0, -1), *self._line(row, wiggle, points), (self.width, -1)], fill=label)

    def roofs(self, label: int, row: float, wiggle: float, points: int) -> None:
        line = self._line(row, wiggle, points)
        steps = [(x, y) for (left, y), (right, _) in pairwise(line) for x in (left, right)]
        self.draw.polygon([(0, -1), *steps, (self.width, -1)], fill=label)

    def below(self, label: int, row: float, wiggle: float, points: int) -> None:
        self.draw.polygon([(0, self.height), *self._line(row, wiggle, points), (self.width, self.height)], fill=label)

    def road(self, label: int, horizon: float, overlap: float) -> None:
        middle = self.width * self.rng.uniform(0.4, 0.6)
        far, near = self.width * 0.05, self.width * (0.5 + overlap)
        corners = [(middle - far, horizon), (middle + far, horizon), (middle + near, self.height), (middle - near, self.height)]
        self.draw.polygon(corners, fill=label)

    def blobs(self, label: int, count: int, radius: tuple[float, float], rows: tuple[float, float], points: int, flat: float = 0.8) -> None:
        for size in self._sizes(count, radius):
            x, y = self.rng.uniform(0, self.width), self.height * self.rng.uniform(*rows)
            self.draw.polygon(self._ring(x, y, size, size * flat, points), fill=label)

    def persons(self, label: int, count: int, heights: tuple[float, float]) -> None:
        for size in self._sizes(count, heights):
            x, y = self.rng.uniform(0, self.width), self.height * self.rng.uniform(0.42, 0.54)
            self.draw.polygon(self._ring(x, y, size * 0.18, size * 0.5, 22), fill=label)
            self.draw.polygon(self._ring(x, y - size * 0.5, size * 0.09, size * 0.1, 9), fill=label)

    def poles(self, label: int, count: int, widths: tuple[float, float]) -> None:
        for thickness in self._sizes(count, widths):
            x, lean = self.rng.uniform(0, self.width), self.rng.normal(0, 0.004 * self.height)
            top, foot = self.height * self.rng.uniform(0.05, 0.35), self.height * self.rng.uniform(0.46, 0.58)
            self.draw.polygon([(x + lean, top), (x + lean + thickness, top), (x + thickness, foot), (x, foot)], fill=label)

    def hood(self, label: int) -> None:
        self.draw.ellipse((-0.1 * self.width, 0.90 * self.height, 1.1 * self.width, 1.4 * self.height), fill=label)

    def frame(self, label: int, thickness: int) -> None:
        self.draw.rectangle((0, 0, self.width - 1, self.height - 1), outline=label, width=thickness)

    def _sizes(self, count: int, between: tuple[float, float]) -> Iterable[float]:
        """Many small ones, few large ones; the small ones, which are far away, first."""
        low, high = between
        return sorted((low * (high / low) ** self.rng.beta(1.0, 1.6, count)).tolist())

    def _line(self, row: float, wiggle: float, points: int) -> Points:
        xs = np.linspace(0, self.width, points)
        return list(zip(xs.tolist(), (row + self.rng.normal(0, wiggle / 2, points)).tolist(), strict=True))

    def _ring(self, x: float, y: float, across: float, down: float, points: int) -> Points:
        angle = np.sort(self.rng.uniform(0, 2 * np.pi, points))
        radius = self.rng.uniform(0.7, 1.15, points)
        return list(zip((x + across * radius * np.cos(angle)).tolist(), (y + down * radius * np.sin(angle)).tolist(), strict=True))


def _ragged(labels: Labels, rng: np.random.Generator, share: float) -> Labels:
    """Let some pixels take the label of a neighbor: outlines fray, areas stay."""
    height, width = labels.shape
    moved = rng.random(labels.shape) < share
    rows = np.arange(height)[:, np.newaxis] + np.where(moved, rng.integers(-1, 2, labels.shape), 0)
    columns = np.arange(width) + np.where(moved, rng.integers(-1, 2, labels.shape), 0)
    frayed_labels: Labels = labels[rows.clip(0, height - 1), columns.clip(0, width - 1)]
    return frayed_labels


def save_pillow(path: Path, labels: Labels) -> None:
    """Pillow's own settings: the filter of each row is chosen by what it leaves, as libpng does and as in the files of Cityscapes."""
    Image.fromarray(labels).save(path)


def save_opencv(path: Path, labels: Labels) -> None:
    """OpenCV's own settings: fast, large files."""
    import cv2
    cv2.imwrite(str(path), labels)


def folder_of(root: Path, scene: Callable[[int], Labels], count: int, save: Callable[[Path, Labels], None]) -> Path:
    """A folder of drawn masks; kept, and drawn only where it is not there yet."""
    folder = root / f"{scene.__name__}-{save.__name__}-{count}"
    if not folder.is_dir():
        unfinished = folder.with_name(folder.name + ".part")
        unfinished.mkdir(parents=True, exist_ok=True)
        for seed in range(count):
            save(unfinished / f"{seed:06d}.png", scene(seed))
        unfinished.rename(folder)
    return folder


@dataclass(frozen=True)
class Statistics:
    """What decides how long masks take to read: means over the files of a folder.

    `busy` is the share of 8-byte words of the filtered stream that are not zero, `along` and `between` count the label changes
    from pixel to pixel in a row and from row to row, `filters` holds the shares of None, Sub, Up, Average and Paeth.
    """

    files: int
    kilobytes: float
    ids: float
    busy: float
    along: float
    between: float
    filters: tuple[float, ...]

    def __str__(self) -> str:
        mix = ", ".join(f"{name} {share:.0%}" for name, share in zip(("None", "Sub", "Up", "Average", "Paeth"), self.filters, strict=True)
                        if share >= 0.005)
        return (f"{self.kilobytes:.1f} kB a file, {self.ids:.0f} ids, {self.busy:.1%} of words not zero, {self.along:.0f} changes along "
                f"and {self.between:.0f} between rows; filters {mix}")


def statistics(folder: Path, limit: int = 40) -> Statistics:
    """The statistics of the first 8-bit grey PNGs of a folder."""
    rows = []
    files = sorted(folder.glob("*.png"))[:limit]
    for path in files:
        labels = np.asarray(Image.open(path))
        stream = np.frombuffer(zlib.decompress(_idat(path.read_bytes())), np.uint8).reshape(len(labels), -1)
        words = stream[:, 1:1 + labels.shape[1] // 8 * 8].reshape(len(labels), -1, 8).any(axis=2)
        changes = np.count_nonzero(labels[:, 1:] != labels[:, :-1]), np.count_nonzero(labels[1:] != labels[:-1])
        rows.append((path.stat().st_size / 1000, len(np.unique(labels)), words.mean(), *np.array(changes) / len(labels),
                     *np.bincount(stream[:, 0], minlength=5) / len(labels)))
    means = np.array(rows).mean(axis=0).tolist()
    kilobytes, ids, busy, along, between, *filters = means
    return Statistics(len(files), kilobytes, ids, busy, along, between, tuple(filters))


def _idat(data: bytes) -> bytes:
    at, parts = 8, []
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4]), data[at + 4:at + 8]
        if kind == b"IDAT":
            parts.append(data[at + 8:at + 8 + length])
        at += 12 + length
    return b"".join(parts)
