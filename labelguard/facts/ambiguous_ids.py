"""Ids that may be a void label or a wrapped number: those at the top of a type that nobody has declared."""

from __future__ import annotations

from labelguard.spec.labelspec import LabelSpec

TOPS = (255, 65535, 2 ** 32 - 1)  # the highest id of each unsigned type


def ambiguous_ids(spec: LabelSpec) -> frozenset[int]:
    """The ids whose shape helps to judge them, if they are present: the group of facts ``"erosion"`` is gathered of these."""
    return frozenset(label for top in (256, 65536) for label in (top - 1, top - 2) if not is_expected(label, spec))


def is_expected(label: int, spec: LabelSpec) -> bool:
    """Whether a declaration covers an id."""
    return label in spec.ignore_index or (spec.declared and spec.is_class(label))
