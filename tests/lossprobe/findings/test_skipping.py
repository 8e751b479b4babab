"""What to do about an id that a loss does not skip: only what the loss can be told."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from labelguard.lossprobe.findings.skipping import how_to_skip
from labelguard.lossprobe.supervisor.outcome import Step
from labelguard.lossprobe.supervisor.settings import ImportPath
from labelguard.lossprobe.worker.skipping import skipping


class Skips:
    def __init__(self, gamma: float = 2.0, ignore_label: int = -100) -> None:
        self.gamma, self.ignore_label = gamma, ignore_label


class Whole:
    def __init__(self, ignore_index: int = -100) -> None:
        self.parts = [self, Skips(ignore_label=ignore_index)]

    def modules(self) -> list[Any]:
        return self.parts


class Refuses:
    def modules(self) -> Any:
        raise RuntimeError


def plain(logits: Any, target: Any, ignore_empty: bool = True, avoidance: int = 0) -> None: ...


def named_void(logits: Any, target: Any, void: int | None = None) -> None: ...


def anything(**options: Any) -> None: ...


def fix(found: Any, made: Any, step: Step | None = None, **arguments: Any) -> str:
    return how_to_skip(255, ImportPath("mine:Loss", arguments), {"skipping": skipping(found, made)}, step or Step("", "ok"))


NAN = Step("random", "nan-loss", "loss", source="/data/mine.py:7: total = (mask * probabilities.log()).sum()")
IN_A_LIBRARY = Step("random", "nan-loss", "loss", source="/x/monai/dice.py:9: x / y (in monai)")


@pytest.mark.parametrize(("found", "made", "words"), [
    (Skips, Skips(), "Tell the loss: --loss-arg ignore_label=255."),
    (named_void, named_void, "Tell the loss: --loss-arg void=255."),
    (lambda: Skips(), Skips(), "Give Skips ignore_label=255 where it is made."),
    (lambda: Whole(), Whole(), "Give Skips ignore_label=255 where it is made."),
    (anything, partial(anything), "--loss-arg ignore_index=255, or whatever that argument is called."),
    (max, max, "--loss-arg ignore_index=255, or whatever that argument is called."),
    (plain, plain, "The loss has no argument for an ignored id: inside the loss, leave pixels of 255 out before a logarithm"),
    (lambda: Refuses(), Refuses(), "The loss has no argument for an ignored id"),
    (lambda: Skips(ignore_label=255), Skips(ignore_label=255), "Skips has ignore_label=255, and that is not enough: inside the loss"),
])
def test_a_loss_is_told_only_what_it_can_be_told(found: Any, made: Any, words: str) -> None:
    assert words in fix(found, made)


def test_what_it_was_told_already_is_not_told_again() -> None:
    assert "--loss-arg ignore_label=255" in fix(Skips, Skips(), ignore_label=254)
    assert fix(Skips, Skips(), ignore_label=255).startswith("ignore_label=255 is not enough: inside the loss, leave pixels of 255 out")


def test_a_nan_has_its_line_and_says_why_a_mask_afterwards_does_not_help() -> None:
    said = fix(plain, plain, NAN)
    assert "leave pixels of 255 out before the line /data/mine.py:7." in said and "0 * inf is NaN" in said
    assert "0 * inf" not in fix(plain, plain) and "dice.py" not in fix(plain, plain, IN_A_LIBRARY)


def test_a_worker_that_does_not_say_leaves_it_open() -> None:
    assert "or whatever that argument is called" in how_to_skip(255, ImportPath("mine:Loss"), {}, Step("", "ok"))
