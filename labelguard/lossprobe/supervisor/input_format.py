"""How a loss wants to be called: found by trying, on masks that no loss can object to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.neutral_masks import neutral_masks
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, OK, RANDOM, Outcome
from labelguard.lossprobe.supervisor.runner import InputFormat, LossRunner
from labelguard.lossprobe.supervisor.settings import Settings, Target

_TARGETS = {"index": "ids (N, H, W)", "index1": "ids (N, 1, H, W)", "binary": "floats (N, 1, H, W), the ids themselves",
            "onehot": "floats (N, C, H, W), one plane per class",
            "foreground": "floats (N, C - 1, H, W), one plane per class except class 0"}


class NoInputFormatError(Exception):
    """No way of calling the loss succeeded; `outcome` is that of the likeliest, and `tried` lists them all."""

    def __init__(self, outcome: Outcome, tried: Sequence[InputFormat]) -> None:
        self.outcome, self.tried = outcome, tuple(tried)
        super().__init__(outcome.last.error)


def describe(input_format: InputFormat) -> str:
    """An input format in words, with the channels second as in torch, whatever the framework."""
    after = "" if input_format.activation == "none" else f" after {input_format.activation}"
    return f"logits{after} against {_TARGETS[input_format.target]}"


def find_input_format(run: LossRunner, shape: tuple[int, int], classes: int, ignore: Sequence[int], settings: Settings,
                      images: NDArray[np.uint8] | None = None) -> InputFormat:
    """The first way of calling the loss that gives a finite loss with a gradient.

    Parameters
    ----------
    run
        The loss; its input format is set.
    shape
        (H, W) of the masks.
    classes, ignore
        The number of classes, and the ids that the loss skips.
    images
        (N, H, W, channels) for the network, where there is one.

    Raises
    ------
    NoInputFormatError
        When there is none.
    """
    count = len(images) if images is not None else 3 if classes == 2 else 2  # not the class count: a target must not broadcast by chance
    labels = neutral_masks(count, *shape, classes, without=ignore)
    without_gradient: InputFormat | None = None
    failures: list[Outcome] = []
    tried: list[InputFormat] = []
    lost = set[str]()  # activations that cost a worker, and are not tried again

    def outcome_of(input_format: InputFormat) -> Outcome:
        run.input_format = input_format
        tried.append(input_format)
        return run(labels, ("model",) if images is not None else (RANDOM,), images=images)

    for input_format in _possible_formats(classes, settings):
        if input_format.activation in lost:
            continue
        outcome = outcome_of(input_format)
        step = outcome.last
        if step.status in ("death", "exit", "garbled", "timeout", "out-of-memory"):
            raise NoInputFormatError(outcome, tried)  # not a matter of shapes, and expensive to try again
        if outcome.failed:
            failures.append(outcome)
            if step.status == "assert":  # on a GPU, for example for logits where a loss expects probabilities
                lost.add(input_format.activation)
        elif step.gradient:
            if input_format.target == "onehot" and settings.target is None:
                # A loss that makes planes from ids (N, 1, H, W) by itself may take one-hot planes for probabilities.
                ids = outcome_of(InputFormat("index1", input_format.activation)).last
                if ids.status != OK or not isclose(ids.loss or 0, step.loss or 0, rel_tol=1e-5):
                    run.input_format = input_format
            return run.input_format
        else:
            without_gradient = without_gradient or input_format
    if without_gradient is None:
        likeliest = failures[0]
        if likeliest.last.status in NOT_FINITE:
            run.input_format = tried[0]
            explained = run(labels, (likeliest.last.regime,), images=images, explain=True)
            likeliest = explained if explained.same_failure(likeliest) else likeliest
        raise NoInputFormatError(likeliest, tried)
    run.input_format = without_gradient
    return without_gradient


def _possible_formats(classes: int, settings: Settings) -> Iterator[InputFormat]:
    one_channel: list[Target] = ["binary"] if classes <= 2 else []
    targets: list[Target] = [settings.target] if settings.target else [*(one_channel if classes == 1 else []), "index",
                                                                       *(one_channel if classes == 2 else []), "onehot", "index1"]
    if settings.activation:
        yield from (InputFormat(target, settings.activation) for target in targets)
        return
    yield from (InputFormat(target, "none") for target in targets)
    yield from (InputFormat(target, "sigmoid" if target == "binary" else "softmax") for target in targets)
