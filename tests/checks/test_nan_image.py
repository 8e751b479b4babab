"""LG603: images with NaN or infinity."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import tifffile

from labelguard.checks import nan_image as check
from labelguard.finding import Severity
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import on_dataset

MASK = sized(40, 60)


def test_samples_are_counted_and_placed() -> None:
    image = photo().astype(np.float32)
    image[7, 9, 1], image[20, 3], image[30, 0, 0] = np.nan, np.inf, -np.inf
    finding, = said_of(check, {"a": (MASK, image)})
    assert finding.path == "a.jpg" and finding.subject == "image" and finding.severity is Severity.ERROR
    assert finding.message == "1 NaN and 4 infinite of 7,200 samples: one is enough to make every output of the batch NaN."
    assert finding.first == (7, 9) and finding.pixels == 5 and finding.evidence == ("mask: a.png",)


def test_a_tiff_is_read_too() -> None:
    image = np.zeros((40, 60), np.float32)
    image[39, 59] = np.nan
    file = BytesIO()
    tifffile.imwrite(file, image)
    finding, = said_of(check, {"a": (MASK, file.getvalue())})
    assert finding.first == (39, 59)


def test_it_leaves_alone() -> None:
    assert on_dataset(check, []) == []
    assert said_of(check, {"a": (MASK, photo().astype(np.float64) * 1e300), "b": (MASK, photo()), "c": (MASK, None)}) == []
