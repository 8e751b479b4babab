"""How merges are written: ``0``, ``1,2,5``, ``30-33`` or a class name, a colon, and an id, a name, ``last`` or ``ignore``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labelguard.errors import SpecError, UsageError
from labelguard.spec.argument_checks import as_int
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges

Source = int | str | tuple[int, ...]
MergeTarget = int | str
# The keys are `Source`s; Any, since a Mapping is invariant in its keys.
Moves = Mapping[Any, MergeTarget] | Sequence[tuple[Source, MergeTarget]]

_RANGE = re.compile(r"(-?\d+)(?:-(\d+))?")
_LONGEST_RANGE = 65536


def parse_merge(text: str) -> tuple[str, str]:
    """Split ``A:B`` as on the command line; the last colon counts, since class names may hold one.

    Raises
    ------
    UsageError
        When there is no colon, or nothing on one side of it.
    """
    source, colon, target = text.rpartition(":")
    if not colon or not source.strip() or not target.strip():
        raise UsageError(f"'{text}' is not a merge; write A:B, such as 0:last, 1,2,5:0 or 30-33:ignore.")
    return source.strip(), target.strip()


def pairs_of(moves: Moves) -> list[tuple[Source, MergeTarget]]:
    """Merges, or a table, as pairs of a source and its target.

    Raises
    ------
    UsageError
        When it is something else.
    """
    pairs: list[Any] = list(moves.items() if isinstance(moves, Mapping) else moves) if isinstance(moves, Iterable) else [moves]
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise UsageError(f"{moves!r} does not say which id goes where; write a dictionary such as {{0: 11}}.")
    return pairs


def parse_source(source: Source, shift: int, spec: LabelSpec) -> tuple[int, ...]:
    """The ids before the shift that a merge names.

    Raises
    ------
    UsageError
        When it names none.
    """
    if isinstance(source, str):
        return _parse_text(source, shift, spec)
    ids = tuple(map(as_int, source if isinstance(source, tuple) else (source,)))
    if not ids or None in ids:
        raise UsageError(f"{source!r} names no ids; write an id, several ids, a range such as '30-33', or a class name.")
    return tuple(label for label in ids if label is not None)


def _parse_text(text: str, shift: int, spec: LabelSpec) -> tuple[int, ...]:
    if text in spec.names:
        return (spec.names.index(text) - shift,)
    ids: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            known = f" or one of the classes {', '.join(spec.names)}" if spec.names else ""
            raise UsageError(f"'{text}' names no ids; write 0, 1,2,5 or 30-33{known}.")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + _LONGEST_RANGE:
            raise UsageError(f"'{part.strip()}' is not a range of ids; write the lower id first, and at most {_LONGEST_RANGE:,} ids.")
        ids.extend(range(first, last + 1))
    return tuple(ids)


def parse_target(target: MergeTarget, spec: LabelSpec) -> int:
    """The id after the shift that a merge leads to.

    Raises
    ------
    UsageError
        When it is neither a class nor ignored, or cannot be resolved.
    """
    label = _resolve(target, spec)
    if not spec.is_legal(label):
        classes = f"classes are 0-{spec.last}" if spec.declared else "ids are 0 or more"
        ignored = f", ignored is {id_ranges(spec.ignore_index)}" if spec.ignore_index else ""
        raise UsageError(f"The target {label} is not a class ({classes}{ignored}).")
    return label


def stated_id(target: MergeTarget) -> int | None:
    """The id that a target gives as a number; None where it is a name, or nothing that can be a target."""
    return int(target) if isinstance(target, str) and re.fullmatch(r"-?\d+", target) else as_int(target)


def _resolve(target: MergeTarget, spec: LabelSpec) -> int:
    label = as_int(target)
    if label is not None:
        return label
    if target == "last":
        try:
            return spec.last
        except SpecError as problem:
            raise UsageError(f"'last' cannot be resolved. {problem}") from None
    if target == "ignore":
        if len(spec.ignore_index) != 1:
            which = f"there are several ({id_ranges(spec.ignore_index)}); name one by its number" if spec.ignore_index else \
                "none is declared (ignore_index)"
            raise UsageError(f"The target 'ignore' needs one ignored id: {which}.")
        return spec.ignore_index[0]
    if isinstance(target, str) and target in spec.names:
        return spec.names.index(target)
    label = stated_id(target)
    if label is not None:
        return label
    raise UsageError(f"{target!r} is not a target; write an id, a class name, 'last' or 'ignore'.")
