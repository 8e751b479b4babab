"""SkippedCheck: a check that could not be judged."""

from __future__ import annotations

from dataclasses import dataclass


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
        Whether its code was asked for, rather than all checks.
    undeclared
        Whether it was skipped because no class count is declared.
    """

    code: str
    why: str
    asked: bool = False
    undeclared: bool = False
