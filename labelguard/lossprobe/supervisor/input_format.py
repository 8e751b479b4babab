"""How a loss wants to be called: found by trying, on masks that no loss can object to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.neutral_masks import neutral_masks
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, OK, RANDOM, RIGHT, WRONG, Outcome, Step
from labelguard.lossprobe.supervisor.runner import InputFormat, LossRunner
from labelguard.lossprobe.supervisor.settings import Activation, Outputs, Settings, Target

_TARGETS = {"index": "ids (N, H, W)", "index1": "ids (N, 1, H, W)", "binary": "floats (N, 1, H, W), the ids themselves",
            "onehot": "floats (N, C, H, W), one plane per class",
            "foreground": "floats (N, C - 1, H, W), one plane per class except class 0"}
_OUTPUTS = {"list": "a list of two tensors of logits", "dict": "a dictionary of logits ('out' and 'aux')",
            "pixels": "logits of single pixels (flattened, as is the target)", "quarter": "logits of a quarter of the height and width",
            "whole": "all that the network returns"}
_OTHER_OUTPUTS: tuple[Outputs, ...] = ("list", "dict", "pixels", "quarter")
_ZERO = 1e-3   # the loss of a network that is certain and right, where its logits are what the loss expects


class NoInputFormatError(Exception):
    """No way of calling the loss succeeded; `outcome` is that of the likeliest, and `tried` lists them all."""

    def __init__(self, outcome: Outcome, tried: Sequence[InputFormat]) -> None:
        self.outcome, self.tried = outcome, tuple(tried)
        super().__init__(outcome.last.error)


def describe(input_format: InputFormat, names: Sequence[str] = (), returned: str = "") -> str:
    """An input format in words, with the channels second as in torch, whatever the framework.

    Parameters
    ----------
    input_format
        It.
    names
        Of the inputs that the loss takes by name only.
    returned
        The part of what it returns that was taken as the loss.
    """
    after = "" if input_format.activation == "none" else f" after {input_format.activation}"
    named = ", ".join(f"{name}=" for name in names)
    outputs = f"{called_with(input_format.outputs)}{after}"
    called = f"{outputs} against {_TARGETS[input_format.target]}"
    if input_format.target_first:
        called = f"the target first: {_TARGETS[input_format.target]}, then {outputs}"
    return (f"{called}"
            f"{f', by name ({named})' * bool(named)}{f'; of what it returns, {returned}' * bool(returned)}")


def called_with(outputs: Outputs) -> str:
    """What the loss gets as the output of a network, in words."""
    return _OUTPUTS.get(outputs, "logits")


def trial_size(classes: int) -> int:
    """How many masks to try formats on: not as many as there are classes, since a target must not broadcast by chance."""
    return 3 if classes == 2 else 2


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
        (N, H, W, channels) for the network, where there is one; N is `trial_size`.

    Raises
    ------
    NoInputFormatError
        When there is none.
    """
    trial = _Trial(run, neutral_masks(trial_size(classes), *shape, classes, without=ignore), images)
    without_gradient: InputFormat | None = None
    failures: list[Outcome] = []
    lost = set[str]()  # activations that cost a worker, and are not tried again
    for input_format in _possible_formats(classes, settings, images is not None):
        if input_format.activation in lost:
            continue
        if input_format.outputs != "tensor" and any(failure.last.status != "exception" for failure in failures):
            break  # it takes tensors, and fails for another reason
        outcome = trial.outcome(input_format)
        step = outcome.last
        if step.status in ("death", "exit", "garbled", "timeout", "out-of-memory"):
            raise NoInputFormatError(outcome, trial.tried)  # not a matter of shapes, and expensive to try again
        if outcome.failed:
            failures.append(outcome)
            if step.status == "assert":  # on a GPU, for example for logits where a loss expects probabilities
                lost.add(input_format.activation)
            if not failures[1:] and step.error_type == "TypeError" and "a loss itself" in step.error:
                break  # it makes a loss
        elif step.gradient:
            run.input_format = trial.better(input_format, step, settings)
            if run.input_format.target != "index" and (other := trial.target_first(run.input_format, classes, settings)):
                run.input_format = other
            return run.input_format
        else:
            without_gradient = without_gradient or input_format
    if without_gradient is None and not lost and (other := trial.target_first(None, classes, settings)):
        run.input_format = other
        return other
    if without_gradient is None:
        likeliest = failures[0]
        if likeliest.last.status in NOT_FINITE:
            run.input_format = trial.tried[0]
            likeliest = run.explained(trial.labels, likeliest, images)
        raise NoInputFormatError(likeliest, [one for one in trial.tried if not one.target_first])
    run.input_format = without_gradient
    return without_gradient


class _Trial:
    """Neutral masks that go through a loss in one format after the other."""

    def __init__(self, run: LossRunner, labels: NDArray[np.int64], images: NDArray[np.uint8] | None) -> None:
        self.run, self.labels, self.images = run, labels, images
        self.tried: list[InputFormat] = []

    def outcome(self, input_format: InputFormat, regime: str = RANDOM) -> Outcome:
        """What becomes of the masks in a format."""
        self.run.input_format = input_format
        self.tried.append(input_format)
        regimes = ("model",) if self.images is not None else (regime,)
        pixel = None if self.images is not None else (0, self.labels.shape[1] // 2, self.labels.shape[2] // 2)
        return self.run(self.labels, regimes, pixel, images=self.images)

    def target_first(self, found: InputFormat | None, classes: int, settings: Settings) -> InputFormat | None:
        """A format with the target first, where the loss makes sense in that order, and does not in the other; else None.

        Floats in the place of logits are logits to a loss, whatever they mean.
        """
        if self.images is not None or settings.framework != "torch" or (found and self._makes_sense(found)):
            return None
        before = self.run.input_format
        for other in _possible_formats(classes, settings, network=False):
            swapped = replace(other, target_first=True)
            if other.outputs == "tensor" and self.outcome(swapped).last.gradient and self._makes_sense(swapped):
                return swapped
        self.run.input_format = before
        return None

    def _makes_sense(self, input_format: InputFormat) -> bool:
        """Whether the loss of a network that is certain is about 0 where that is right, and larger where it is wrong."""
        right, wrong = (self.outcome(input_format, regime).last for regime in (RIGHT, WRONG))
        return right.loss is not None and abs(right.loss) < _ZERO and (wrong.loss is None or not wrong.loss <= right.loss)

    def better(self, found: InputFormat, step: Step, settings: Settings) -> InputFormat:
        """A format that fits better than the first that was found: the same numbers may be taken for something else."""
        if found.target == "onehot" and settings.target is None:
            # A loss that makes planes from ids (N, 1, H, W) by itself may take one-hot planes for probabilities.
            ids = self.outcome(replace(found, target="index1")).last
            if ids.status == OK and isclose(ids.loss or 0, step.loss or 0, rel_tol=1e-5):
                found = replace(found, target="index1")
        if settings.activation is None and found.activation == "none" and found.target != "binary" and _knows_one_class(step):
            # No softmax looks at the other classes: the loss expects logarithms of probabilities, or probabilities.
            likely: tuple[Activation, ...] = ("log-softmax", "softmax")
            for activation in likely:
                other = replace(found, activation=activation)
                right = self.outcome(other, RIGHT).last
                if right.status == OK and right.loss is not None and abs(right.loss) < _ZERO and self.outcome(other).last.gradient:
                    return other
        return found


def _knows_one_class(step: Step) -> bool:
    """Whether the gradient pulls up one class of the pixel and leaves all others alone."""
    pixel = step.pixel
    return pixel is not None and pixel.total < 0 and isclose(-pixel.total, pixel.largest, rel_tol=1e-6)


def _possible_formats(classes: int, settings: Settings, network: bool) -> Iterator[InputFormat]:
    one_channel: list[Target] = ["binary"] if classes <= 2 else []
    targets: list[Target] = [settings.target] if settings.target else [*(one_channel if classes == 1 else []), "index",
                                                                       *(one_channel if classes == 2 else []), "onehot", "index1"]
    activation = settings.activation or "none"
    yield from (InputFormat(target, activation) for target in targets)
    if not settings.activation:
        yield from (InputFormat(target, "sigmoid" if target == "binary" else "softmax") for target in targets)
    if settings.framework != "torch":
        return
    if network:
        yield from (InputFormat(target, "none", "whole") for target in targets)
        return
    for outputs in _OTHER_OUTPUTS:
        yield from (InputFormat(target, activation, outputs) for target in targets if target != "index1" or outputs != "pixels")
