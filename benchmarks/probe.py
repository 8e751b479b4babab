"""What does the probe cost beside the loss itself?

    python -m benchmarks.probe [--write] [--masks DIR]

The bare loop calls the loss forward and backward on the very same batches under the same three regimes of logits; only these calls are
timed, neither reading nor making logits. The probe is timed whole: starting a worker, importing torch, reading, and everything else.
"""

from __future__ import annotations

import argparse
import time
from datetime import date
from pathlib import Path
from statistics import median

import numpy as np
import torch

from benchmarks import timing
from benchmarks.draw import drive_scene, folder_of, save_pillow
from labelguard import LabelSpec
from labelguard.lossprobe import ImportPath, Probing, Settings
from labelguard.lossprobe.batch_plan import training_batches
from labelguard.lossprobe.mask_source import MaskFiles

_HERE = Path(__file__).resolve().parent
_CLASSES, _BATCH, _FILES = 12, 8, 367


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS-probe.md")
    parser.add_argument("--masks", type=Path, help="a folder of masks with 12 classes, instead of drawn ones")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder = options.masks or folder_of(_HERE / ".cache", drive_scene, _FILES, save_pillow)
    text = _report(folder, options.rounds, "real CamVid masks" if options.masks else "drawn masks")
    print(text)
    if options.write:
        (_HERE / "RESULTS-probe.md").write_text(text, encoding="utf-8")


def _report(folder: Path, rounds: int, what: str) -> str:
    import labelguard
    seconds = [(bare(folder), *probe(folder)) for _ in range(rounds)]
    loop, whole, running = (median(column) for column in zip(*seconds, strict=True))
    ratios = [taken[1] / taken[0] for taken in seconds]
    rows = [["the bare loop", f"{loop:.2f}", "1.00"], ["the probe, from start to report", f"{whole:.2f}", f"{whole / loop:.2f}"],
            ["the probe, once it runs", f"{running:.2f}", f"{running / loop:.2f}"]]
    return (f"# What does the probe cost beside the loss itself?\n\n`python -m benchmarks.probe --write` wrote this on {date.today()} with "
            f"labelguard {labelguard.__version__}, {timing.versions(('numpy', 'torch'))}, on {timing.machine()}.\n\n"
            f"{_FILES} {what} of 480 x 360, {_CLASSES} classes, batches of {_BATCH}, cross entropy forward and backward on three "
            f"regimes of logits, in turn, {rounds} rounds, medians. Of the bare loop only the calls of the loss are timed.\n\n"
            f"{timing.table(('', 'seconds', 'times the bare loop'), rows)}\n\nFrom start to report, round by round: "
            f"{', '.join(f'{ratio:.2f}' for ratio in ratios)}.\n")


def bare(folder: Path) -> float:
    """Seconds that the loss takes, forward and backward, over all batches and regimes."""
    masks = MaskFiles([folder])
    for _ in masks:
        pass
    loss, taken = torch.nn.CrossEntropyLoss(), 0.0
    random: dict[int, torch.Tensor] = {}
    for batch in training_batches(masks.contents, Settings(batch_size=_BATCH)):
        target = torch.from_numpy(np.stack([masks.labels(member) for member in batch.members]).astype(np.int64))
        shape = (len(target), _CLASSES, *target.shape[1:])
        noise = random.setdefault(len(target), torch.randn(shape, requires_grad=True))
        right, wrong = (torch.full(shape, -1000.0).scatter_(1, ((target + step) % _CLASSES)[:, None], 1000.0).requires_grad_()
                        for step in (0, 1))
        for logits in (noise, right, wrong):
            logits.grad = None
            start = time.perf_counter()
            loss(logits, target).backward()
            taken += time.perf_counter() - start
    return taken


def probe(folder: Path) -> tuple[float, float]:
    """Seconds that the probe takes as a whole, and from its first batch on."""
    start = time.perf_counter()
    first = start
    probing = Probing([folder], [ImportPath("torch.nn:CrossEntropyLoss")], LabelSpec(_CLASSES), Settings(batch_size=_BATCH))
    for doing, done, *_ in probing:
        if doing != "reading" and done == 1:
            first = time.perf_counter()
    report = probing.result()
    end = time.perf_counter()
    assert report.complete and not report.findings, report.findings
    batches = report.losses[0].batches
    return end - start, (end - first) * batches / (batches - 1)


if __name__ == "__main__":
    main()
