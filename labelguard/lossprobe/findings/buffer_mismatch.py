"""The running statistics of a network after the same training step on the GPU and on the CPU: where do they differ?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.supervisor.outcome import Labels
from labelguard.lossprobe.supervisor.runner import LossNotLoadedError, LossRunner, RestartLimitError

# As a share of the largest value of a buffer, and for values near zero. Another order of summation and the short mantissa of TF32 stay
# far below; a statistic that was computed in another way does not.
_TOLERANCE, _NEAR_ZERO = 0.05, 1e-3
_SLOWER = 6         # a network may be this many times slower on the CPU, on top of the usual time limit

Statistics = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class BufferMismatch:
    """A buffer that is not the same on both devices.

    Parameters
    ----------
    buffer
        Its name in the network.
    index
        The first of its values that differs.
    device, cpu
        That value on the device and on the CPU.
    """

    buffer: str
    index: int
    device: float
    cpu: float


def buffer_mismatches(device: Statistics, cpu: Statistics) -> list[BufferMismatch]:
    """The buffers that differ by more than rounding does, each with its first such value; NaN equals NaN."""
    found = []
    for name, values in device.items():
        others = cpu.get(name, ())
        largest = max((abs(value) for value in (*values, *others) if math.isfinite(value)), default=0.0)
        tolerance = max(_NEAR_ZERO, _TOLERANCE * largest)
        for index, (here, there) in enumerate(zip(values, others, strict=False)):
            alike = here == there or abs(here - there) <= tolerance or (math.isnan(here) and math.isnan(there))
            if not alike:
                found.append(BufferMismatch(name, index, here, there))
                break
    return found


def compare_with_cpu(run: LossRunner, labels: Labels, images: NDArray[np.uint8], statistics: Statistics) -> list[BufferMismatch]:
    """Put a batch that went through the device through the CPU as well.

    A network that never gives the same twice, because of dropout or of weights that are drawn anew in each process, is not judged: where
    the devices differ, the CPU has to agree with itself, within one process and in the next. Nor is a network that the CPU cannot run.

    Parameters
    ----------
    run
        Loss and network on the device.
    labels, images, statistics
        The batch, and what it left in the buffers of the network.
    """
    settings = run.settings.on("cpu")
    slow = replace(settings, timeout=_SLOWER * settings.timeout)

    def on_cpu(times: int) -> list[Statistics]:
        with run.with_settings(slow) as cpu:
            return [cpu(labels, ("model",), images=images).last.statistics for _ in range(times)]

    try:
        found = buffer_mismatches(statistics, first := on_cpu(1)[0])
        steady = not found or all(other and not buffer_mismatches(first, other) for other in on_cpu(2))
    except (LossNotLoadedError, RestartLimitError):
        return []
    return found if steady else []
