"""Ids beyond the last class were cut to it, by `np.clip` or a minimum, after a class count that was too low."""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.explanations.explanation import Case, Explanation
from labelguard.explanations.priors import prior

_MOST = 3  # classes that are cut off


def families(case: Case) -> Iterator[Explanation]:
    """The last class that is seen holds all those above it."""
    classes = [label for label in case.plain if label >= 0]
    number = case.spec.num_classes
    if case.illegal or not classes or number is None or not 0 < number - 1 - classes[-1] <= _MOST:
        return
    last = classes[-1]
    yield Explanation("clipped", f"ids above {last} were cut to {last}", prior("clipped"), *case.moved(), last, frozenset((last,)),
                      lost=number - 1 - last)
