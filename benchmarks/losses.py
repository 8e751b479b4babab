"""What do losses of others do with bad masks, and does the probe say so?

    python -m benchmarks.losses [--only TEXT] [--write]

The truth is worked out by plain PyTorch, from the same masks in batches of the same size; the verdict is that of `labelguard.probe`. Losses
of libraries that are not installed are left out. --write keeps the table as docs/losses.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from PIL import Image

import labelguard
from benchmarks import timing
from benchmarks.losses_of_others import LOSSES, Loss
from labelguard.finding import Finding, Severity
from labelguard.lossprobe import ImportPath, ProbeReport, probe
from labelguard.lossprobe.supervisor.outcome import REGIMES
from labelguard.text import count

SHAPE, PIXEL, BATCH = (32, 48), (10, 20), 4
FINE, RAISES, NAN, SILENT, BOTH, NO_SIGNAL = "fine", "raises", "NaN", "silent", "silent or NaN", "no gradient"
EXPECTED = {FINE: set(), RAISES: {"LG503"}, NAN: {"LG504", "LG505"}, SILENT: {"LG507"}, BOTH: {"LG504", "LG505", "LG507"},
            NO_SIGNAL: {"LG508"}}
CELLS = ("clean", "255", "-1", "absent", "last of 1")
PACKAGES = {"torch": "torch", "smp": "segmentation_models_pytorch", "monai": "monai", "kornia": "kornia", "torchmetrics": "torchmetrics"}


def draw(cell: str, classes: int) -> list[np.ndarray]:
    """Eight masks of areas of all classes, of which one has a fault; or five, so that the last batch holds one."""
    source = np.random.default_rng(0)
    masks = []
    for _ in range(5 if cell == "last of 1" else 8):
        areas = source.permutation(np.arange(24) % classes).reshape(4, 6)
        masks.append(areas.repeat(8, 0).repeat(8, 1).astype(np.int16))
    if cell == "absent":
        masks = [np.where(mask == classes - 1, 0, mask) for mask in masks]
    if cell in ("255", "-1"):
        masks[3][PIXEL] = int(cell)
    return masks


def write(folder: Path, cell: str, masks: list[np.ndarray]) -> str:
    """The masks as files; gives the name of the one at fault."""
    for number, mask in enumerate(masks):
        if cell == "-1" and number == 3:
            np.save(folder / "m3.npy", mask)
        else:
            Image.fromarray(mask.astype(np.uint8)).save(folder / f"m{number}.png")
    return "m3.npy" if cell == "-1" else "m3.png"


# --- the truth ----------------------------------------------------------------------------------------------------------------------------

def truth(loss: Loss, cell: str) -> str:
    """What a loss does with the masks of a cell: the worst over batches and logits."""
    masks = [torch.from_numpy(mask.astype(np.int64)) for mask in draw(cell, loss.classes)]
    random = torch.Generator().manual_seed(0)
    seen, blind = {}, False
    for start in range(0, len(masks), BATCH):
        labels = torch.stack(masks[start:start + BATCH])
        passes = {regime: one_pass(loss, labels, regime, random) for regime in REGIMES}
        seen.update({regime: status for regime, (status, _) in passes.items() if status != FINE})
        blind |= not any(gradient for _, gradient in passes.values())
    if RAISES in seen.values():
        return RAISES
    if cell in ("255", "-1") and int(cell) not in loss.ignored and "random" not in seen:
        return BOTH if seen else SILENT  # what a certain network says of no class is anybody's guess
    return NAN if seen else NO_SIGNAL if blind else FINE


def one_pass(loss: Loss, labels: torch.Tensor, regime: str, random: torch.Generator) -> tuple[str, bool]:
    """Forward and backward, with random logits, or with those of a network that is certain, and right or wrong."""
    legal = torch.where((labels < 0) | (labels >= loss.classes), 0, labels)
    single = loss.layout in ("binary", "foreground")
    sure = torch.stack([(legal == label).float() for label in ([1] if single else range(loss.classes))], 1)
    logits = {"random": torch.randn(sure.shape, generator=random), "right": 2000 * sure - 1000, "wrong": 1000 - 2000 * sure}[regime]
    logits.requires_grad_()
    given = {"none": lambda: logits, "sigmoid": logits.sigmoid, "softmax": lambda: logits.softmax(1),
             "log_softmax": lambda: logits.log_softmax(1)}[loss.activation]()
    target = {"index": lambda: labels, "index1": lambda: labels[:, None], "binary": lambda: labels[:, None].float(),
              "foreground": lambda: labels,
              "onehot": lambda: torch.stack([labels == label for label in range(loss.classes)], 1).float()}[loss.layout]()
    try:
        value = loss.build()(given, target).sum()
        value.backward()
    except Exception:
        return RAISES, False
    finite = bool(value.isfinite()) and bool(logits.grad.isfinite().all())
    return FINE if finite else NAN, bool(logits.grad.any())


# --- the verdict --------------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Cell:
    """What a loss does with some masks, and what the probe says."""

    truth: str
    report: ProbeReport
    file: str
    is_planted: bool

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.report.findings
                if finding.severity is Severity.ERROR or (self.truth == NO_SIGNAL and finding.code == "LG508")]

    @property
    def is_right(self) -> bool:
        """Whether the error, and no other one, is named, and its file, where one file is at fault."""
        codes = {finding.code for finding in self.errors}
        named = not self.is_planted or all(tuple(finding.concerns) == (self.file,) for finding in self.errors)
        return bool(codes) == bool(EXPECTED[self.truth]) and codes <= EXPECTED[self.truth] and named

    @property
    def names_pixel(self) -> bool:
        return any(finding.first == PIXEL for finding in self.errors)

    def __str__(self) -> str:
        said = ", ".join(dict.fromkeys(finding.code for finding in self.errors)) or "no error"
        pixel = (", pixel" if self.names_pixel else ", no pixel") if self.is_planted and self.errors else ""
        text = f"{self.truth}: {said}{pixel}"
        return text if self.is_right else f"**{text}**"


def judge(loss: Loss, cell: str) -> Cell:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        file = write(Path(folder), cell, draw(cell, loss.classes))
        report = probe(folder, loss=ImportPath(loss.path, loss.arguments), spec=labelguard.LabelSpec(loss.classes, loss.ignored),
                       batch_size=BATCH, device="cpu", timeout=60)
        true = truth(loss, cell)
        return Cell(true, report, file, cell in ("255", "-1") and true != FINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="losses with this in their names")
    parser.add_argument("--write", action="store_true", help="write docs/losses.md")
    options = parser.parse_args()
    losses = [loss for loss in LOSSES if find_spec(PACKAGES[loss.library]) and options.only in loss.title]
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the workers: masks are small
    torch.set_num_threads(1)
    with ThreadPoolExecutor(2) as pool:
        under_way = [[pool.submit(judge, loss, cell) for cell in CELLS] for loss in losses]
        rows = []
        for loss, cells in zip(losses, under_way, strict=True):
            rows.append((loss, [cell.result() for cell in cells]))
            show(*rows[-1])
    page = "\n\n".join(write_page(rows)) + "\n"
    print(page)
    if options.write:
        (Path(__file__).parents[1] / "docs" / "losses.md").write_text(page, encoding="utf-8")


def show(loss: Loss, cells: list[Cell]) -> None:
    """A line for each cell that is not as it should be, as they come."""
    print(f"{loss.title}: {sum(cell.is_right for cell in cells)} of {len(cells)}", flush=True)
    for name, cell in zip(CELLS, cells, strict=True):
        if not cell.is_right or (cell.is_planted and not cell.names_pixel):
            print(f"    {name}: {cell}", *(f"        {finding}" for finding in cell.report.findings), sep="\n", flush=True)


def write_page(rows: list[tuple[Loss, list[Cell]]]) -> Iterator[str]:
    cells = [cell for _, row in rows for cell in row]
    planted = [cell for cell in cells if cell.is_planted]
    yield "# Losses of others"
    yield (f"Made by `python -m benchmarks.losses --write` on {date.today()} with labelguard {labelguard.__version__}, "
           f"{timing.versions(list(dict.fromkeys(package.replace('_', '-') for package in PACKAGES.values())))}; do not edit.")
    yield (f"{count(len(rows), 'loss', 'losses')} that other people wrote, each against five sets of drawn masks of {SHAPE[0]} x "
           f"{SHAPE[1]} in batches of {BATCH}: eight clean masks; eight of which one holds 255 at row {PIXEL[0]}, column {PIXEL[1]}; the "
           "same with -1; eight without the highest class; five clean ones, so that the last batch holds one. Before the colon stands "
           "what is true, worked out by plain PyTorch without labelguard, over random logits and those of a network that is certain and "
           "right, or certain and wrong (1000 for one class, -1000 for the others): the loss *raises*, gives *NaN* (or infinity, or a "
           "gradient of either), has *no gradient*, takes an id in *silence* that is no class, or is *fine*. After it stand the codes of "
           "the errors that `labelguard probe` reports, and whether they name the pixel. What is **bold** is not as it should be: another "
           "code, an error beside it, or not the one file that is at fault.")
    yield ("How strictly a cell is judged: NaN may be named as LG504 or as LG505. Where an id is taken in silence at random logits and "
           "gives NaN at certain ones (*silent or NaN*), LG504, LG505 and LG507 all count as right, since what a certain network says at a "
           "pixel of no class is open. Warnings are not held against a cell, and the words of a finding are not judged. `MCCLoss` does not "
           "say whether it wants probabilities; its formula does, and the truth gives it these.")
    truths = Counter(cell.truth for cell in cells)
    yield (f"Right are {sum(cell.is_right for cell in cells)} of {len(cells)} cells, and the pixel is named in "
           f"{sum(cell.names_pixel for cell in planted)} of {len(planted)} where there is one to name. What is true: "
           f"{', '.join(f'{truth} {number}' for truth, number in truths.most_common())}. No loss was told how it wants to be called.")
    yield "\n".join(["| loss | " + " | ".join(CELLS) + " |", "|---|" + "---|" * len(CELLS),
                     *(f"| {loss.title} | {' | '.join(map(str, row))} |" for loss, row in rows)])


if __name__ == "__main__":
    main()
