"""What do the probe and GuardedLoss cost on a GPU?

    python -m benchmarks.gpu [FILE]

Prints its tables, and writes them to FILE; `make gpu-check` puts them into docs/gpu.md. Needs torch, numpy, Pillow and click.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks import timing
from labelguard.integrations.torch import GuardedLoss
from labelguard.lossprobe import ImportPath, Settings
from labelguard.lossprobe.mask_source import MaskArrays
from labelguard.lossprobe.one_loss import LossProbe
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.spec.labelspec import LabelSpec

DEVICE = "cuda"
CLASSES, HEIGHT, WIDTH, BATCH, BATCHES = 12, 360, 480, 8, 24
SHAPES = ((8, 12, 360, 480), (4, 19, 512, 1024))  # CamVid, and Cityscapes at half its size
ROUNDS, REPEATS, IGNORED = 3, 50, 255
_LOSS = ImportPath("torch.nn:CrossEntropyLoss")


def main(file: str | None = None) -> None:
    parts = []
    for part in _report():
        print(part, flush=True, end="\n\n")
        parts.append(part)
        if file:
            Path(file).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _report() -> Iterator[str]:
    yield (f"### What it costs\n\nOn {timing.machine()}; medians of {ROUNDS} rounds in turn, each with a ratio of its own; of nine for "
           "the guard.")
    yield from (_starts(), _throughput(), _guard())


def _starts() -> str:
    rows = []
    labels = np.zeros((BATCH, HEIGHT, WIDTH), np.uint8)
    for device in ("cpu", DEVICE):
        starts, firsts, seconds = [], [], []
        for _ in range(ROUNDS):
            with LossRunner(_LOSS, Settings(device=device)) as run:
                run.classes = CLASSES
                starts.append(_seconds(run.start))
                firsts.append(_seconds(lambda: run(labels, ("random",))))
                seconds.append(_seconds(lambda: run(labels, ("random",))))
        rows.append([device, *(f"{median(taken):.2f}" for taken in (starts, firsts, seconds))])
    return "A worker, in seconds: what each death costs.\n\n" + timing.table(("device", "start", "first batch", "second batch"), rows)


def _throughput() -> str:
    masks = [np.random.default_rng(i).integers(0, CLASSES, (HEIGHT // 30, WIDTH // 30)).repeat(30, 0).repeat(30, 1).astype(np.uint8)
             for i in range(BATCH * BATCHES)]
    source = MaskArrays(masks)
    for _ in source:
        pass
    bare, probed = [], []
    for _ in range(ROUNDS):
        bare.append(_bare(masks))
        probed.append(_probed(source))
    ratios = [ours / theirs for ours, theirs in zip(probed, bare, strict=True)]
    rows = [["the loss alone, forward and backward", f"{1e3 * median(bare):.1f}", "1"],
            ["the probe", f"{1e3 * median(probed):.1f}", f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"]]
    return (f"Cross-entropy over {CLASSES} classes, {BATCHES - 1} batches of {BATCH} masks of {HEIGHT} x {WIDTH} in memory, three regimes "
            "of logits each; the start and the first batch are left out. Alone, the loss has its logits ready and hands over labels as "
            "int64.\n\n" + timing.table(("", "ms a batch", "ratio"), rows))


def _bare(masks: Sequence[NDArray[np.uint8]]) -> float:
    """Seconds for a batch."""
    loss = torch.nn.CrossEntropyLoss()
    shape = (BATCH, CLASSES, HEIGHT, WIDTH)
    winners = torch.randint(0, CLASSES, (2, BATCH, 1, HEIGHT, WIDTH), device=DEVICE)
    regimes = [torch.randn(shape, device=DEVICE), *(torch.full(shape, -1000.0, device=DEVICE).scatter_(1, one, 1000.0) for one in winners)]
    batches = [np.stack(masks[start:start + BATCH]) for start in range(0, len(masks), BATCH)]

    def go(labels: NDArray[np.uint8]) -> None:
        target = torch.from_numpy(labels.astype(np.int64)).to(DEVICE)
        for logits in regimes:
            logits.requires_grad_().grad = None
            value = loss(logits, target)
            value.backward()
            value.item()
        _wait()

    go(batches[0])
    return _seconds(lambda: [go(batch) for batch in batches[1:]]) / (BATCHES - 1)


def _probed(source: MaskArrays) -> float:
    """Seconds for a batch."""
    with LossRunner(_LOSS, Settings(batch_size=BATCH, device=DEVICE)) as run:
        probe = iter(LossProbe(run, source, LabelSpec(CLASSES)))
        next(probe)
        seconds = _seconds(lambda: list(islice(probe, BATCHES - 1)))
    return seconds / (BATCHES - 1)


def _guard() -> str:
    rows = []
    for shape in SHAPES:
        loss = torch.nn.CrossEntropyLoss(ignore_index=IGNORED)
        logits = torch.randn(shape, device=DEVICE, requires_grad=True)
        target = torch.randint(0, shape[1], (shape[0], *shape[2:]), device=DEVICE)
        target[:, :shape[2] // 10] = IGNORED
        losses = {"alone": loss, "guarded": GuardedLoss(loss, shape[1])}
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in losses}
        for number in range(10):
            for name, one in losses.items():
                taken = _by_events(lambda one=one, logits=logits, target=target: _step(one, logits, target))  # type: ignore[misc]
                if number:
                    times[name].append(taken)
        for which, what in enumerate(("device", "host")):
            alone, guarded = ([taken[which] for taken in times[name]] for name in losses)
            added = median(b / a - 1 for a, b in zip(alone, guarded, strict=True))
            rows.append([" x ".join(map(str, shape)), what, f"{median(alone):.3f}", f"{median(guarded):.3f}", f"{100 * added:+.1f} %"])
    return ("GuardedLoss around cross-entropy, forward and backward, legal int64 labels of which a tenth is ignored, in milliseconds: by "
            "CUDA events on the device, and until the host has queued the work.\n\n"
            + timing.table(("logits", "time of the", "alone", "guarded", "added"), rows))


def _step(loss: Callable[..., Any], logits: torch.Tensor, target: torch.Tensor) -> None:
    logits.grad = None
    loss(logits, target).backward()


def _by_events(step: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds that a step takes on the device, and milliseconds until the host can go on."""
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    _wait()
    first.record()
    host = _seconds(lambda: [step() for _ in range(REPEATS)])
    last.record()
    _wait()
    return first.elapsed_time(last) / REPEATS, 1e3 * host / REPEATS


def _wait() -> None:
    torch.cuda.synchronize()


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(*sys.argv[1:2])
