"""Folders of masks for tests that need files, and how many examples are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    from hypothesis import settings


def write_png(path: Path, labels: object) -> Path:
    """Write labels as an 8- or 16-bit grey PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.asarray(labels) if isinstance(labels, np.ndarray) else np.asarray(labels, np.uint8)).save(path)
    return path


def folder(root: Path, files: dict[str, object]) -> Path:
    """Write several masks below a folder."""
    for name, labels in files.items():
        write_png(root / name, labels)
    return root


def bands(*ids: int, height: int = 40, width: int = 30) -> NDArray[np.uint8]:
    """Horizontal bands of ids."""
    return np.repeat(np.array(ids, np.uint8), -(-height // len(ids)))[:height, None].repeat(width, axis=1)


def examples(number: int) -> settings:
    """Draw this many examples, or the same share of them as the profile draws of the usual hundred."""
    from hypothesis import settings  # the tests of a GPU run without it
    return settings(max_examples=max(1, number * settings.default.max_examples // 100))
