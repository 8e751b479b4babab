"""What people run to look at the ids of a folder of masks, each ready to be called again and again.

Nothing is imported before a contestant is asked for, so that a fresh process pays for what it runs and for nothing else.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from itertools import repeat
from pathlib import Path
from typing import Any

Run = Callable[[], object]


def labelguard(folder: Path, classes: int, workers: int) -> Run:
    """A scan with every check."""
    from labelguard import LabelSpec, scan
    spec = LabelSpec(num_classes=classes)

    def run() -> None:
        report = scan(folder, spec=spec, jobs=workers)
        if report.data.unreadable or len(report.data.records) != len(_files(folder)):
            raise RuntimeError("the scan did not read every mask")
    return run


def pillow_loky(folder: Path, classes: int, workers: int) -> Run:
    """The script that everybody writes, with joblib as it is: processes."""
    return _joblib(_unique_by_pillow, folder, workers, None)


def pillow_threads(folder: Path, classes: int, workers: int) -> Run:
    """The same on threads."""
    return _joblib(_unique_by_pillow, folder, workers, "threading")


def opencv_loky(folder: Path, classes: int, workers: int) -> Run:
    """The script with OpenCV, on processes."""
    return _joblib(_unique_by_opencv, folder, workers, None)


def opencv_threads(folder: Path, classes: int, workers: int) -> Run:
    """The script with OpenCV, on threads."""
    return _joblib(_unique_by_opencv, folder, workers, "threading")


def ultralytics(folder: Path, classes: int, workers: int) -> Run:
    """What Ultralytics does when a data set is opened. Each mask stands for its own image, the cheapest image that fits it."""
    os.environ.setdefault("YOLO_CONFIG_DIR", tempfile.gettempdir())
    os.environ.setdefault("YOLO_OFFLINE", "true")
    from multiprocessing.pool import ThreadPool

    import numpy as np
    from ultralytics.data.utils import verify_image_mask
    paths = [str(path) for path in _files(folder)]
    ids = np.arange(256)
    invalid = ((ids > classes - 1) & (ids != 255)).astype(np.uint8)

    def run() -> None:
        with ThreadPool(workers) as pool:
            for result in pool.imap(verify_image_mask, zip(paths, paths, repeat(""), repeat(invalid))):
                if result[6]:
                    raise RuntimeError(result[7])
    return run


def nnunet(folder: Path, classes: int, workers: int) -> Run:
    """What nnU-Net does with `--verify_dataset_integrity`, for the labels alone; its processes are started once."""
    for name in ("nnUNet_raw", "nnUNet_preprocessed", "nnUNet_results"):
        os.environ.setdefault(name, tempfile.gettempdir())
    import multiprocessing

    from nnunetv2.experiment_planning.verify_dataset_integrity import verify_labels
    from nnunetv2.imageio.natural_image_reader_writer import NaturalImage2DIO
    pool = multiprocessing.get_context("spawn").Pool(workers)
    work: list[tuple[Any, ...]] = [(str(path), NaturalImage2DIO, list(range(classes))) for path in _files(folder)]

    def run() -> None:
        if not all(pool.starmap(verify_labels, work)):
            raise RuntimeError("a label was refused")
    return run


CONTESTANTS: dict[str, Callable[[Path, int, int], Run]] = {
    "labelguard, all checks": labelguard,
    "Pillow + np.unique, joblib processes": pillow_loky,
    "Pillow + np.unique, joblib threads": pillow_threads,
    "OpenCV + np.unique, joblib processes": opencv_loky,
    "OpenCV + np.unique, joblib threads": opencv_threads,
    "Ultralytics verify_image_mask": ultralytics,
    "nnU-Net verify_labels": nnunet,
}
WITH_PROCESSES = ("nnU-Net verify_labels",)  # with one worker, too
SCRIPT = ("Pillow + np.unique, joblib processes", "Pillow + np.unique, joblib threads")
_NEEDS = {"Ultralytics verify_image_mask": "ultralytics", "nnU-Net verify_labels": "nnunetv2",
          "OpenCV + np.unique, joblib processes": "cv2", "OpenCV + np.unique, joblib threads": "cv2"}


def present(workers: int) -> list[str]:
    """The contestants that can run here; one worker is not a pool, so that threads and processes are the same."""
    installed = [name for name in CONTESTANTS if name not in _NEEDS or find_spec(_NEEDS[name])]
    return [name for name in installed if workers > 1 or not name.endswith("threads")]


def absent() -> list[str]:
    """The packages that are not installed here."""
    return sorted({package for package in _NEEDS.values() if not find_spec(package)})


def _unique_by_pillow(path: str) -> Any:
    import numpy as np
    from PIL import Image
    return np.unique(np.asarray(Image.open(path)))


def _unique_by_opencv(path: str) -> Any:
    import cv2
    import numpy as np
    labels: Any = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    return np.unique(labels)


def _joblib(function: Callable[[str], Any], folder: Path, workers: int, backend: str | None) -> Run:
    from joblib import Parallel, delayed
    paths = [str(path) for path in _files(folder)]
    return lambda: Parallel(n_jobs=workers, backend=backend)(delayed(function)(path) for path in paths)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.png"))
