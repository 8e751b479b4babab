"""What does a pair cost in a scan with --images?

    python -m benchmarks.pairs [--quick] [--write]

One thread, on drawn masks with photographs painted over them; everything timed in turn.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

import labelguard
from benchmarks import timing
from benchmarks.draw import drive_scene, save_pillow, street_scene
from labelguard.checks.registry import all_rules
from labelguard.files.formats import decode_samples
from labelguard.files.image import decode_image
from labelguard.files.mask import decode_with_facts, facts_of
from labelguard.pairing.alignment.edge_maps import edge_evidence
from labelguard.pairing.alignment.verdict import judge_alignment
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import plan_scan
from labelguard.runs.scan import Scan

_HERE = Path(__file__).resolve().parent
_PACKAGES = ("numpy", "zlib-ng", "Pillow")

Labels = NDArray[np.uint8]


def main() -> None:
    timing.report(__doc__, "RESULTS-pairs.md", _report)


def _report(rounds: int) -> Iterator[str]:
    yield "# What does a pair cost in a scan with `--images`?"
    yield (f"`python -m benchmarks.pairs --write` wrote this on {date.today()} with labelguard {labelguard.__version__}, "
           f"{timing.versions(_PACKAGES)}, on {timing.machine()}. One thread, everything in turn, {rounds} rounds, medians, in "
           "time of the processor. Masks are "
           "drawn, and images painted over them.")
    for title, draw, pairs, kind in (("480 x 360, images are PNG", drive_scene, 16, "png"),
                                     ("2048 x 1024, images are JPEG", street_scene, 8, "jpg")):
        folder = _folder(draw, pairs, kind)
        yield f"## {title}\n\nOf its parts:\n\n" + _parts(folder, kind, rounds)
        yield "The whole scan:\n\n" + _scans(folder, pairs, rounds)


def _folder(draw: Callable[[int], Labels], pairs: int, kind: str) -> Path:
    """Masks and images, drawn once."""
    root = _HERE / ".cache" / f"pairs-{draw.__name__}-{pairs}-{kind}"
    if not root.exists():
        for part in ("masks", "images"):
            (root / part).mkdir(parents=True)
        for number in range(pairs):
            labels = draw(number)
            save_pillow(root / "masks" / f"{number:02}.png", labels)
            _painted(labels, number).save(root / "images" / f"{number:02}.{kind}")
    return root


def _painted(labels: Labels, seed: int) -> Image.Image:
    """A photograph to go with a mask: a color for each id, texture, and the blur of a lens."""
    rng = np.random.default_rng(seed)
    colors = rng.integers(30, 226, (256, 3))[labels]
    texture = np.repeat(np.repeat(rng.normal(0, 20, (labels.shape[0] // 8 + 1, labels.shape[1] // 8 + 1)), 8, 0), 8, 1)
    noisy = colors + texture[:labels.shape[0], :labels.shape[1], None] + rng.normal(0, 4, colors.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.8))


def _parts(folder: Path, kind: str, rounds: int) -> str:
    masks, images = ([path.read_bytes() for path in sorted((folder / part).iterdir())] for part in ("masks", "images"))
    labels = [np.asarray(Image.open(io.BytesIO(data))).copy() for data in masks]
    pictures = [decode_image(data)[0] for data in images]
    seen = [(f"{number:02}", edge_evidence(image, mask)) for number, (image, mask) in enumerate(zip(pictures, labels, strict=True))]
    works: dict[str, Callable[[], object]] = {
        "mask: facts": lambda: [facts_of(data, with_label_runs=True) for data in masks],
        "mask: facts and labels": lambda: [decode_with_facts(data, with_label_runs=True) for data in masks],
        "image: decoded": lambda: [decode_samples(data, f"a.{kind}") for data in images],
        "image: decoded, with facts": lambda: [decode_image(data) for data in images],
        "both: alignment": lambda: [edge_evidence(*pair) for pair in zip(pictures, labels, strict=True)],
        "the set: judged": lambda: judge_alignment(seen),
    }
    times = timing.in_turn(works, rounds, clock=time.process_time)
    return timing.table(("", "ms a pair", "best"), [[name, *_milliseconds(taken, len(masks))] for name, taken in times.items()])


def _scans(folder: Path, pairs: int, rounds: int) -> str:
    def scan(images: bool, *without: str) -> Callable[[], object]:
        def run() -> object:
            plan = plan_scan([folder / "masks"], ScanOptions(ignore=without, jobs=1), images=folder / "images" if images else None)
            scanning = Scan(plan)
            for _ in scanning:
                pass
            return scanning.result()
        return run

    times = timing.in_turn({"masks alone": scan(False), "with images, headers only": scan(True, *_HEADERS),
                            "with images, without alignment": scan(True, *_ALIGNED), "with images": scan(True)},
                           rounds, clock=time.process_time)
    return timing.table(("", "ms a pair", "best"), [[name, *_milliseconds(taken, pairs)] for name, taken in times.items()])


_ALIGNED = tuple(rule.code for rule in all_rules() if "alignment" in rule.needs_facts)
_HEADERS = tuple(rule.code for rule in all_rules() if "image_pixels" in rule.needs_facts)


def _milliseconds(taken: timing.Times, pairs: int) -> list[str]:
    return [f"{seconds / pairs * 1e3:.2f}" for seconds in (taken.median, taken.best)]


if __name__ == "__main__":
    main()
