"""How a loss wants to be fed: found by trying, on masks that no loss can object to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.neutral import neutral
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, OK, RANDOM, Outcome
from labelguard.lossprobe.supervisor.runner import Feed, LossRunner
from labelguard.lossprobe.supervisor.settings import Settings

_TARGETS = {"index": "ids (N, H, W)", "index1": "ids (N, 1, H, W)", "binary": "floats (N, 1, H, W), the ids themselves",
            "onehot": "floats (N, C, H, W), one plane a class", "foreground": "floats (N, C - 1, H, W), one plane a class but class 0"}


class NoFeed(Exception):
    """Nothing that was tried went through; `outcome` is what became of the likeliest."""

    def __init__(self, outcome: Outcome, tried: Sequence[Feed]) -> None:
        self.outcome, self.tried = outcome, tuple(tried)
        super().__init__(outcome.last.error)


def describe(feed: Feed) -> str:
    """A feed in words; shapes as torch has them, in frameworks with the channels last likewise."""
    after = "" if feed.activation == "none" else f" after {feed.activation}"
    return f"logits{after} against {_TARGETS[feed.target]}"


def find_feed(run: LossRunner, shape: tuple[int, int], classes: int, ignore: Sequence[int], settings: Settings,
              images: NDArray[np.uint8] | None = None) -> Feed:
    """The first way of feeding the loss that gives a finite loss with a gradient.

    Parameters
    ----------
    run
        The loss; its feed is set.
    shape
        (H, W) of the masks.
    classes, ignore
        What the masks hold.
    images
        (N, H, W, channels) for the network, where there is one.

    Raises
    ------
    NoFeed
        When there is none.
    """
    count = len(images) if images is not None else 3 if classes == 2 else 2  # no class count: a target must not broadcast by chance
    labels = neutral(count, *shape, classes, without=ignore)
    second: Feed | None = None
    failures: list[Outcome] = []
    tried: list[Feed] = []
    lost = set[str]()  # activations that cost a worker, and are not tried again

    def outcome_of(feed: Feed) -> Outcome:
        run.feed = feed
        tried.append(feed)
        return run(labels, ("model",) if images is not None else (RANDOM,), images=images)

    for feed in _candidates(classes, settings):
        if feed.activation in lost:
            continue
        outcome = outcome_of(feed)
        step = outcome.last
        if step.status in ("death", "exit", "timeout", "out-of-memory"):
            raise NoFeed(outcome, tried)  # no matter of shapes, and dear to try again
        if outcome.failed:
            failures.append(outcome)
            if step.status == "assert":  # on a GPU, as of logits where a loss wants probabilities
                lost.add(feed.activation)
        elif step.gradient:
            if feed.target == "onehot" and settings.target is None:  # what makes ids of (N, 1, H, W) may take planes for chances
                ids = outcome_of(Feed("index1", feed.activation)).last
                run.feed = feed if ids.status != OK or not isclose(ids.loss or 0, step.loss or 0, rel_tol=1e-5) else run.feed
            return run.feed
        else:
            second = second or feed
    if second is None:
        likeliest = failures[0]
        if likeliest.last.status in NOT_FINITE:
            run.feed = tried[0]
            explained = run(labels, (likeliest.last.regime,), images=images, explain=True)
            likeliest = explained if explained.same_failure(likeliest) else likeliest
        raise NoFeed(likeliest, tried)
    run.feed = second
    return second


def _candidates(classes: int, settings: Settings) -> Iterator[Feed]:
    one_channel = ["binary"] if classes <= 2 else []
    targets = [settings.target] if settings.target else [*(one_channel if classes == 1 else []), "index",
                                                         *(one_channel if classes == 2 else []), "onehot", "index1"]
    if settings.activation:
        yield from (Feed(target, settings.activation) for target in targets)
        return
    yield from (Feed(target, "none") for target in targets)
    yield from (Feed(target, "sigmoid" if target == "binary" else "softmax") for target in targets)
