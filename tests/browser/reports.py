"""Reports of drawn sets, as pages: what a browser is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import labelguard
from labelguard import LabelSpec
from labelguard.report.base import Report
from tests.checks.scenes import scene, shifted
from tests.drawn import bands, folder, write_png

CLASSES = 6
NASTY = ["<img src=x onerror=alert(1)>.png", "a\"b'c & d.png", "</script><script>alert(1)<!--.png", "new\nline.png", f"{'long' * 55}.png"]


def drawn(root: Path) -> dict[str, Report]:
    """The reports, by name; their files lie below a folder."""
    return {"wrapped": _wrapped(root / "wrapped"), "many": _many(root / "many"), "splits": _splits(root / "splits"),
            "odd names": _odd(root / "odd"), "clean": _clean(root / "clean")}


def _wrapped(root: Path) -> Report:
    for number in range(12):
        labels = scene(range(1, CLASSES), seed=number)
        half = root / "masks" / ("old" if number % 2 else "new")
        write_png(half / f"{number:04}.png", shifted(labels, 1) if number % 2 else labels)
        write_png(root / "images" / half.name / f"{number:04}.png", np.stack([labels * 40, labels * 20, 255 - labels * 30], 2))
    names = ["background", "road", "sidewalk", "building", "vegetation and what grows on it", "<b>sky</b>"]
    return labelguard.scan(root / "masks", images=root / "images", spec=LabelSpec(names=names), batch_size=4, crop=(16, 16))


def _many(root: Path) -> Report:
    report = labelguard.scan(folder(root, {f"{place}/{number}.png": bands(0, 1, number + 3) for place in "abc" for number in range(4)}),
                             num_classes=2)
    finding = next(finding for finding in report.findings if finding.path)
    more = (replace(finding, path=f"{'deep/' * (number % 4)}{number}.png", pixels=number) for number in range(3_000))
    return replace(report, findings=(*report.findings, *more))


def _splits(root: Path) -> Report:
    train = folder(root / "train", {f"{i}.png": bands(0, 1, 2, height=40 + i) for i in range(4)})
    val = folder(root / "val", {f"{i}.png": bands(0, 1, 7, height=50 + i) for i in range(4)})
    return labelguard.scan_splits({"train": train, "val": val}, num_classes=3)


def _odd(root: Path) -> Report:
    folder(root, {name: bands(0, 1, 9) for name in NASTY})
    (root / "broken.png").write_bytes(b"no image")
    return labelguard.scan(root, num_classes=2)


def _clean(root: Path) -> Report:
    return labelguard.scan(folder(root, {"a.png": bands(0, 1)}), num_classes=2)
