"""SkippedCheck: a check that could not be judged; and what else a scan has not looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labelguard.text import count


@dataclass(frozen=True)
class SkippedCheck:
    """A check that was not run.

    Parameters
    ----------
    code
        Of its rule.
    why
        The reason, in words.
    asked
        Whether its code was asked for, or the option that it needs was given.
    undeclared
        Whether it was skipped because no class count is declared.
    """

    code: str
    why: str
    asked: bool = False
    undeclared: bool = False


def reservations(skipped_checks: Iterable[SkippedCheck], unselected: int, left_out: int, unreadable: int) -> Iterator[str]:
    """Why a scan that found nothing is not clean, in words that follow "No findings;".

    Parameters
    ----------
    skipped_checks
        The checks that were not run. Those that nobody asked for and that need an option, as for images, are not missed.
    unselected
        How many checks were not selected.
    left_out
        How many masks were not selected.
    unreadable
        How many files could not be read.
    """
    skipped = [*skipped_checks]
    undeclared = len({check.code for check in skipped if check.undeclared})
    unjudged = len({check.code for check in skipped if check.asked and not check.undeclared})
    if undeclared:
        yield f"{count(undeclared, 'check needs', 'checks need')} --num-classes"
    if unjudged:
        yield f"{count(unjudged, 'check')} could not be judged"
    if unselected:
        yield f"{count(unselected, 'check was', 'checks were')} not selected"
    if left_out:
        yield f"{count(left_out, 'mask was', 'masks were')} not selected"
    if unreadable:
        yield f"{count(unreadable, 'file')} could not be read"
