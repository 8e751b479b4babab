"""What does GuardedLoss add to a loss, forward and backward?

    python -m benchmarks.guarded_loss [--quick] [--write]

Cross-entropy with and without the guard, on the CPU and, where there is one, on a CUDA device, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from statistics import median

import torch

from benchmarks import timing
from labelguard.integrations.torch import GuardedLoss
from labelguard.text import count

_SHAPES = [(8, 12, 360, 480), (4, 19, 512, 1024)]  # CamVid, and Cityscapes at half its size
_IGNORED = 255


def main() -> None:
    timing.report(__doc__, "RESULTS-guarded-loss.md", _report)


def _report(rounds: int) -> Iterator[str]:
    import labelguard
    yield "# What does GuardedLoss add to a loss?"
    yield (f"`python -m benchmarks.guarded_loss --write` wrote this on {date.today()} with labelguard {labelguard.__version__}, "
           f"{timing.versions(('torch',))}, on {timing.machine()}. Cross-entropy, forward and backward, legal int64 labels of which a "
           f"tenth is ignored; both in turn, {rounds} rounds, medians; what is added is the median over the rounds.")
    threads = torch.get_num_threads()
    for number in sorted({1, threads}):
        torch.set_num_threads(number)
        yield f"## On the CPU, {count(number, 'thread')}\n\n" + _table("cpu", rounds)
    torch.set_num_threads(threads)
    if torch.cuda.is_available():
        yield f"## On {torch.cuda.get_device_name()}\n\n" + _table("cuda", rounds)
    else:
        yield "There was no CUDA device."


def _table(device: str, rounds: int) -> str:
    rows = []
    for shape in _SHAPES:
        loss = torch.nn.CrossEntropyLoss(ignore_index=_IGNORED)
        logits = torch.randn(shape, device=device, requires_grad=True)
        target = torch.randint(0, shape[1], (shape[0], *shape[2:]), device=device)
        target[:, :shape[2] // 10] = _IGNORED
        losses = {"alone": loss, "guarded": GuardedLoss(loss, shape[1])}
        times = timing.in_turn({name: _step(one, logits, target) for name, one in losses.items()}, rounds)
        alone, guarded = times["alone"], times["guarded"]
        added = median(b / a - 1 for a, b in zip(alone.seconds, guarded.seconds, strict=True))
        rows.append([" x ".join(map(str, shape)), f"{alone.median * 1e3:.2f}", f"{guarded.median * 1e3:.2f}", f"{100 * added:+.1f} %"])
    return timing.table(("logits", "ms alone", "ms guarded", "added"), rows)


def _step(loss: Callable[..., torch.Tensor], logits: torch.Tensor, target: torch.Tensor) -> Callable[[], object]:
    def step() -> None:
        logits.grad = None
        loss(logits, target).backward()
        if logits.is_cuda:
            torch.cuda.synchronize()

    return step


if __name__ == "__main__":
    main()
