"""Are the ids codes of something else: ids spread out to be visible, or colors read as luminance? Shared by checks that name the cause.

Codes are told from ids by how unlikely they are to come about by chance: few values are codes, and all ids are among them.
If classes are declared, only files with illegal ids are considered, so that one such file among many is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, floor, gcd
from typing import Literal

from labelguard.explanations.explanation import TOPS
from labelguard.explanations.palettes import READERS, palettes
from labelguard.facts.dataset import DatasetFacts, Where, once
from labelguard.facts.record import Ids
from labelguard.finding import FileList
from labelguard.spec.labelspec import LabelSpec

SpreadKind = Literal["luminance", "factor", "levels", "per-file"]
_UNLIKELY = 1e-3        # chance below which ids that are all luminances are not a coincidence
_MOST_LEVELS = 64       # classes that somebody spreads out to be visible
_EVEN = 0.12            # by which share of their distance levels spread by a viewer may be off
_ENOUGH_FILES = 3


@dataclass(frozen=True)
class Coded:
    """What some ids are codes of.

    Parameters
    ----------
    kind
        ``"luminance"`` of a palette; ids times a ``"factor"``; ``"levels"`` spread evenly; the same ``"per-file"``, differently in each.
    codes
        The ids as they are.
    table
        For each code the ids that it may stand for; several where colors share a luminance, empty in files of their own.
    files, where
        The files that hold codes, and the query that finds them.
    what
        The palette, in words; empty for other kinds.
    scale
        The factor, or the highest level; 0 for other kinds.
    part
        Whether other files hold ids that are not codes.
    """

    kind: SpreadKind
    codes: tuple[int, ...]
    files: FileList
    where: Where | None = None
    table: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    what: str = ""
    scale: int = 0
    part: bool = False


@once
def coded(data: DatasetFacts, spec: LabelSpec) -> Coded | None:
    """What the ids are codes of; None if they seem to be plain ids."""
    where, seen = None, set(data.files_with)
    if spec.declared:
        where = frozenset(label for label in seen if not spec.is_legal(label))
        seen = {label for ids in data.id_sets(where) for label in ids}
    codes = tuple(sorted(seen - set(spec.ignore_index)))
    if len(codes) < 2 or codes[0] < 0 or set(codes) <= {0, 1, *TOPS}:
        return None
    if len(codes) == 2 and codes[0] == 0 and codes[1] + 1 in TOPS and codes[1] + 1 in seen:
        return None  # 254 beside 255: a void label and a background that were shifted, and no foreground times 254
    found = _luminance(codes, spec) or _factor(codes, spec) or _levels(codes, spec)
    if found is not None:
        kind, what, scale, table = found
        if len(codes) == 2 and codes[0] == 0 and 1 in data.files_with:
            return None  # one stray id beside the foreground that other files have
        part = any(label not in table and label not in spec.ignore_index for label in data.files_with)
        return Coded(kind, codes, data.files(where), where, table, what, scale, part)
    ours = set(spec.ignore_index) - set(TOPS)
    files = Counter[Ids]()
    for ids, number in data.id_sets(where).items():
        files[tuple(label for label in ids if label not in ours)] += number
    if _per_file(files, spec):
        return Coded("per-file", codes, data.files(where), where)
    return None


Found = tuple[SpreadKind, str, int, dict[int, tuple[int, ...]]]  # kind, palette, factor or highest level, ids of each code


# --- luminance ----------------------------------------------------------------------------------------------------------------------------

def _luminance(codes: tuple[int, ...], spec: LabelSpec) -> Found | None:
    """The palette whose luminances the codes are, unless that may be chance."""
    if codes[-1] > 255 or 2 * (codes[-1] + 1) <= 3 * len(codes):
        return None
    void = spec.ignore_index[0] if spec.ignore_index else 255
    best: tuple[float, Found] | None = None
    for name, palette in palettes(spec, void):
        for luminance in READERS.values():
            of_ids = {label: luminance(*color) for label, color in palette.items()}
            table = {code: tuple(label for label, level in of_ids.items() if level == code) for code in codes}
            if not all(table.values()):
                continue
            reach = max(min(ids) for ids in table.values() if ids != (void,)) if set(table.values()) != {(void,)} else 0
            levels = {level for label, level in of_ids.items() if label <= reach or label == void}
            tries = len(READERS) * (1 if spec.declared else len(palette))
            chance = tries * (len(levels) / 256) ** sum(code > 0 for code in codes)
            if best is not None and best[1][1] == name:  # what may either reader have meant?
                both = {code: tuple(sorted({*ids, *best[1][3][code]})) for code, ids in table.items()}
                best = min(chance, best[0]), ("luminance", name, 0, both)
            elif chance < _UNLIKELY and (best is None or chance < best[0]):
                best = chance, ("luminance", name, 0, table)
    return best[1] if best else None


# --- spread to be visible -----------------------------------------------------------------------------------------------------------------

def _accepted(places: list[int], step: float, codes: tuple[int, ...], spec: LabelSpec) -> bool:
    """Whether codes at these places of an evenly spaced scale are more than chance."""
    there = [place for place in places if place]
    complete = places in (list(range(len(places))), list(range(1, len(places) + 1)))
    if not spec.declared:
        return complete and len(codes) >= 3 and codes[-1] >= 200 and len(codes) <= _MOST_LEVELS and step >= 4
    illegal = sum(not spec.is_legal(code) for code in codes)
    if places[-1] > spec.last or (spec.last > 1 and (illegal < 2 or len(codes) < 3)):
        return False
    return step ** -len(there) < 0.01 or (complete and (len(there) >= 4 or (len(there) >= 2 and step >= 8)))


def _factor(codes: tuple[int, ...], spec: LabelSpec) -> Found | None:
    """Ids times a number."""
    factor = gcd(*codes)
    places = [code // factor for code in codes]
    if factor < 2 or not _accepted(places, factor, codes, spec):
        return None
    return "factor", "", factor, {code: (place,) for code, place in zip(codes, places, strict=True)}


def _levels(codes: tuple[int, ...], spec: LabelSpec) -> Found | None:
    """Ids spread over the whole type, rounded."""
    top = 255 if codes[-1] < 256 else 65535
    steps = [(top, top / (len(codes) - 1))] if codes[-1] == top else []
    if spec.num_classes is not None and spec.num_classes > 2:
        steps += [(top, top / spec.last), (top, top / spec.num_classes), (top + 1, (top + 1) / spec.num_classes)]
    for reach, step in steps:
        for rounded in (0.5, 0.0):
            found = _places(codes, step, rounded) if step > 1 else None
            if found is not None and _accepted([*found.values()], step, codes, spec):
                return "levels", "", reach, {code: (place,) for code, place in found.items()}
    return None


def _places(codes: Ids, step: float, rounded: float) -> dict[int, int] | None:
    """For each code its place on an evenly spaced scale; None if one is not on it."""
    found = {}
    for code in codes:
        place = _place(code, step, rounded)
        if place is None:
            return None
        found[code] = place
    return found


def _place(code: int, step: float, rounded: float) -> int | None:
    """The place of a code on an evenly spaced scale whose places are rounded (0.5) or truncated (0.0); None if it is not on it."""
    place = ceil((code - rounded) / step - 1e-9)
    return place if floor(place * step + rounded + 1e-9) == code or (round(place * step) == code > 0 and rounded) else None


def _per_file(files: Counter[Ids], spec: LabelSpec) -> bool:
    """Whether nearly every file spreads its own ids over the same range, but not all in the same way."""
    several = Counter({ids: number for ids, number in files.items() if len(ids) > 1})
    telling = Counter({ids: number for ids, number in several.items() if len(ids) > 2})
    if telling.total() < _ENOUGH_FILES:
        return False
    tops = sorted(ids[-1] for ids in several.elements())
    usual = tops[len(tops) // 2]
    if usual < 200 or sum(abs(top - usual) <= 8 for top in tops) < 0.95 * len(tops):
        return False
    if len({label for ids in telling for label in ids}) <= max(map(len, telling)):
        return False
    most = min(_MOST_LEVELS, spec.last if spec.declared else _MOST_LEVELS // 2)
    misses, scales, chance = 0, set(), 1.0
    for ids, times in telling.items():
        scale = _scale(ids, most)
        misses += times * (scale is None)
        if misses > 0.05 * telling.total():
            return False
        if scale is not None:
            scales.add(scale[0])
            chance *= scale[1]
    return len(scales) > 1 and chance < _UNLIKELY


def _scale(ids: tuple[int, ...], most: int) -> tuple[int, float] | None:
    """Into how many steps the highest id of a file is divided, if its ids lie at such steps, and how likely that is by chance."""
    if len(ids) > most + 1:
        return None
    top, low, last = ids[-1], ids[0], len(ids) - 1
    for steps in range(last, most + 1):
        chance = (2 * steps / top) ** (last - 1)
        if chance < 0.5 and all(any(_place(label, top / steps, rounded) is not None for rounded in (0.5, 0.0)) for label in ids):
            return steps, chance
    step = (top - low) / last
    even = low <= _EVEN * step and all(abs(label - low - place * step) <= _EVEN * step for place, label in enumerate(ids))
    return (last, (2 * _EVEN) ** (last - 1)) if even else None
