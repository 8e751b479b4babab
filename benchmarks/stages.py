"""How fast are the stages beside what people run instead?

    python -m benchmarks.stages [--quick] [--write]

One thread each, on drawn masks of 2048 x 1024 pixels, everything timed in turn.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks import timing
from benchmarks.draw import folder_of, save_pillow, street_scene
from labelguard import LabelSpec, Pipeline, Remap, Resize, Validate

_HERE = Path(__file__).resolve().parent
_PACKAGES = ("numpy", "zlib-ng", "Pillow", "opencv-python", "torch", "rasterio")
_HEIGHT, _WIDTH, _CLASSES = 256, 512, 34

Labels = NDArray[np.uint8]
Works = dict[str, Callable[[], object]]


def main() -> None:
    timing.report(__doc__, "RESULTS-stages.md", _report)


def _report(rounds: int) -> Iterator[str]:
    import labelguard
    cv2.setNumThreads(1)
    folder = folder_of(_HERE / ".cache", street_scene, 16, save_pillow)
    masks = [np.asarray(Image.open(path)).copy() for path in sorted(folder.glob("*.png"))]
    yield "# How fast are the stages beside what people run instead?"
    yield (f"`python -m benchmarks.stages --write` wrote this on {date.today()} with labelguard {labelguard.__version__}, "
           f"{timing.versions(_PACKAGES)}, on {timing.machine()}. One thread each, everybody in turn, {rounds} "
           "rounds, medians, in time of the processor.")
    few = masks[:4]  # one-hot planes take seconds for each
    yield f"## Resize 2048 x 1024 to {_WIDTH} x {_HEIGHT}\n\n" + _table(_resizes(few), rounds, len(few))
    yield ("## Classes\n\nThe same blocks of 16 x 16 pixels with 2 ids and with 150: as many edges, more classes.\n\n"
           + _table(_classes(), rounds, 1))
    yield "## In a loader: Validate and Remap together\n\n" + _table(_loader(masks), rounds, len(masks))
    with tempfile.TemporaryDirectory() as out:
        works, sizes = _files(folder, Path(out))
        yield "## Remap, file to file\n\n" + _table(works, rounds, len(masks)) + "\n\n" + sizes()


def _table(works: Works, rounds: int, masks: int) -> str:
    times = timing.in_turn(works, rounds, clock=time.process_time)
    ours = next(iter(times.values())).median
    rows = [[name, f"{taken.median / masks * 1e3:.2f}", f"{taken.best / masks * 1e3:.2f}", f"{taken.median / ours:.1f}"]
            for name, taken in times.items()]
    return timing.table(("", "ms a mask", "best", "times labelguard"), rows)


def _each(masks: list[Labels], work: Callable[[Labels], object]) -> Callable[[], object]:
    return lambda: [work(mask) for mask in masks]


def _resizes(masks: list[Labels]) -> Works:
    works: Works = {"labelguard, exact area vote": _each(masks, Resize(_HEIGHT, _WIDTH))}
    works["planes of bytes, cv2 INTER_AREA, argmax"] = _each(masks, _planes)
    with contextlib.suppress(ImportError):
        works["one-hot, torch area interpolation, argmax"] = _each(masks, _one_hot())
    with contextlib.suppress(ImportError):
        works["rasterio (GDAL), mode: whole pixels, other answers"] = _each(masks, _gdal(masks))
    return works


def _planes(mask: Labels) -> object:
    """As in the story that the tests re-enact."""
    planes = [cv2.resize((255 * (mask == v)).astype(np.uint8), (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA)
              for v in range(int(mask.max()) + 1)]
    return np.argmax(np.stack(planes), axis=0).astype(np.uint8)


def _one_hot() -> Callable[[Labels], object]:
    import torch
    from torch.nn import functional
    torch.set_num_threads(1)

    def resize(mask: Labels) -> object:
        planes = functional.one_hot(torch.from_numpy(mask).long(), _CLASSES).permute(2, 0, 1)[None].float()
        return functional.interpolate(planes, (_HEIGHT, _WIDTH), mode="area").argmax(1)

    return resize


def _gdal(masks: list[Labels]) -> Callable[[Labels], object]:
    from rasterio.enums import Resampling
    from rasterio.io import MemoryFile
    opened = {}
    for mask in masks:
        file = MemoryFile()
        with warnings.catch_warnings(action="ignore"), file.open(driver="GTiff", height=mask.shape[0], width=mask.shape[1], count=1,
                                                                 dtype="uint8") as data:
            data.write(mask, 1)
        with warnings.catch_warnings(action="ignore"):  # it misses a place on the earth
            opened[id(mask)] = file.open()
    return lambda mask: opened[id(mask)].read(1, out_shape=(_HEIGHT, _WIDTH), resampling=Resampling.mode)


def _classes() -> Works:
    rows, columns = np.mgrid[:64, :128]
    few = ((rows + columns) % 2).astype(np.uint8)
    many = (np.random.default_rng(0).integers(0, 75, few.shape) * 2 + few).astype(np.uint8)  # neighbors always differ
    block = np.ones((16, 16), np.uint8)
    return {f"{number} classes, to 713 x 357": _each([np.kron(ids, block)], Resize(357, 713)) for number, ids in ((2, few), (150, many))}


def _loader(masks: list[Labels]) -> Works:
    clean = Pipeline((Validate(LabelSpec(_CLASSES)), Remap(1, num_classes=_CLASSES + 1)))
    table = np.arange(1, 257).astype(np.uint8)
    return {"labelguard, Validate and Remap": _each(masks, clean), "lut[mask]": _each(masks, lambda mask: table[mask])}


def _files(folder: Path, out: Path) -> tuple[Works, Callable[[], str]]:
    paths = sorted(folder.glob("*.png"))
    table = np.arange(1, 257).astype(np.uint8)

    def ours() -> None:
        from labelguard.cli import main as command
        shutil.rmtree(out / "ours", ignore_errors=True)
        with contextlib.redirect_stdout(io.StringIO()):
            command(["remap", str(folder), "--shift", "1", "--num-classes", str(_CLASSES + 1), "--out", str(out / "ours"), "--jobs", "1"],
                    standalone_mode=False)

    def pillow() -> None:
        (out / "pillow").mkdir(exist_ok=True)
        for path in paths:
            Image.fromarray(table[np.asarray(Image.open(path))]).save(out / "pillow" / path.name)

    def opencv() -> None:
        (out / "opencv").mkdir(exist_ok=True)
        for path in paths:
            cv2.imwrite(str(out / "opencv" / path.name), table[cv2.imread(str(path), cv2.IMREAD_UNCHANGED)])

    def sizes() -> str:
        kilobytes = {name: sum(path.stat().st_size for path in (out / name).glob("*.png")) / len(paths) / 1e3
                     for name in ("ours", "pillow", "opencv")}
        return (f"A file takes {kilobytes['ours']:.1f} kB as labelguard writes it, {kilobytes['pillow']:.1f} kB by Pillow, "
                f"{kilobytes['opencv']:.1f} kB by OpenCV. Only labelguard's are checked, counted and have a receipt.")

    return {"labelguard remap --jobs 1": ours, "Pillow, lut[mask], Pillow": pillow, "OpenCV, lut[mask], OpenCV": opencv}, sizes


if __name__ == "__main__":
    main()
