"""ColorsToIds: masks that somebody painted, back to ids by an exact table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from labelguard.checks.registry import rule_named
from labelguard.errors import SpecError, UsageError
from labelguard.facts.mask import Mask, Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.colors import color_of_number
from labelguard.files.memory import take
from labelguard.finding import Finding, Severity
from labelguard.spec.argument_checks import whole_number
from labelguard.spec.class_files.class_list import NotClassesError
from labelguard.spec.class_files.color_rows import parsed_color
from labelguard.spec.color_table import RGB_IDS, color_text, find_colors
from labelguard.spec.declarations import presets
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.remap import moved_labels
from labelguard.stages.stage import Stage, reject_errors
from labelguard.text import count, listed, percent

ColorIds = Mapping[Any, int] | Sequence[tuple[Any, int]] | str

_MOST_TOLD = 4       # unknown colors in a finding
_NEAR = 12           # in each channel: so far a lossy codec moves a color
_ON_THE_LINE = 2     # in each channel: rounding of a mixture


@dataclass(frozen=True, init=False)
class ColorsToIds(Stage):
    """Give each pixel the id of its color; a color without an id is refused, and its mask with it.

    Parameters
    ----------
    colors
        The id of each color, ``{"128,64,128": 7, (0, 0, 0): 255}``: colors are texts as in class files, ``"#804080"``, or three numbers.
        Or the name of a preset that has colors, such as ``"voc"``. Or ``"rgb-ids"``: the colors are ids themselves, red + 256 green +
        65536 blue, as in COCO's panoptic masks.
    num_classes, ignore_index, names
        What the ids of the result mean; of a preset, by default as it says. Without `num_classes`, classes go up to the highest id.

    Raises
    ------
    UsageError
        When an argument makes no sense, a color has two ids, or an id is neither a class nor ignored.

    Notes
    -----
    Arrays are (H, W, 3) or, opaque, (H, W, 4) of uint8; tensors (3, H, W) as well; a PIL image in mode P gives the colors of its palette.
    The result is (H, W), of the smallest unsigned type that holds classes and ignored ids; int32 for ``"rgb-ids"``.
    """

    moves_ids: ClassVar[bool] = True
    reads_colors: ClassVar[bool] = True

    colors: tuple[tuple[str, int], ...] | str
    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    _ids: dict[int, int] = field(init=False, repr=False, compare=False)
    _shared: dict[int, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _spec: LabelSpec = field(init=False, repr=False, compare=False)

    def __init__(self, colors: ColorIds, num_classes: int | None = None, ignore_index: int | Iterable[int] = (),
                 names: Iterable[str] = ()) -> None:
        declared, shared, table = LabelSpec(num_classes, ignore_index, names), {}, colors
        if isinstance(colors, str) and colors != RGB_IDS:
            if colors not in presets():
                raise UsageError(f"colors is {colors!r}; it must be a table of colors and ids, '{RGB_IDS}', or the name of a preset.",
                                 argument="colors")
            found = find_colors(colors)
            shared = {_packed(color): classes for color, classes in found.shared.items()}
            table, declared = found.resolved(declared, f"The preset {colors}")
        ids = {} if isinstance(table, str) else _ids_of(table)
        if not isinstance(table, str):
            declared = _checked(declared, ids)
        pairs = tuple((_text(color), label) for color, label in sorted(ids.items(), key=lambda item: (item[1], item[0])))
        self._set(colors=table if isinstance(table, str) else pairs, num_classes=declared.num_classes, ignore_index=declared.ignore_index,
                  names=declared.names, _ids=ids, _shared=shared, _spec=declared)

    @property
    def spec(self) -> LabelSpec:
        """What the ids of the result mean."""
        return self._spec

    @property
    def known(self) -> tuple[int, ...]:
        """The colors of the table, as numbers."""
        return tuple(self._ids)

    @property
    def container(self) -> str:  # type: ignore[override]
        """The format that holds the ids, where it is not that of the source: a PNG has no room for 24 bits."""
        return "tiff" if self.colors == RGB_IDS else ""

    @property
    def dtype(self) -> np.dtype[np.integer]:
        """The type of the result."""
        if self.colors == RGB_IDS:
            return np.dtype(np.int32)  # which every reader and framework knows
        highest = max((self._spec.last, *self.ignore_index))
        return np.dtype(np.uint8 if highest < 1 << 8 else np.uint16 if highest < 1 << 16 else np.int32)

    def target(self, label: int) -> int | None:
        """The id of a color, as a number (see `labelguard.files.colors`); None where it is refused."""
        if self.colors != RGB_IDS:
            return self._ids.get(label)
        return (label & 255) << 16 | label & 0xFF00 | label >> 16 if label < 1 << 24 else None

    def source_text(self, label: int) -> str:
        """A color as class files have it."""
        return color_text(color_of_number(label)[:3]) + (f" with alpha {color_of_number(label)[3]}" if label >> 24 else "")

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """The colors of a mask that have no id; and a warning where a file of one channel is taken for colors, since it may hold ids."""
        facts = MaskFacts.of_labels(mask.labels)
        refused = [label for label in facts.present if self.target(label) is None]
        if not refused:
            return tuple(_doubtful(mask, facts))
        _, pixels, first, box = facts.region(refused)
        what = "transparent" if all(label >> 24 for label in refused) else "not in the table"
        return (rule_named("colour-mask").finding(
            f"{count(len(refused), 'color is', 'colors are')} {what}, on {count(pixels, 'pixel')} ({percent(pixels, facts.pixels)}).",
            path=mask.name or None, pixels=pixels, first=first, box=box, evidence=tuple(self._evidence(refused, facts)),
            fix="Look at these pixels: a class that is missing goes into the table; colors between two others, or near one, are traces of "
                "smoothing or of a lossy codec, and the mask has to be exported again."),)

    def apply(self, mask: Mask) -> Mask:
        """The mask with an id for each color."""
        take(mask.labels.size * self.dtype.itemsize)
        out = moved_labels(self, mask.labels, self.dtype)
        if out is None:
            reject_errors(self.findings(mask), mask)
            raise AssertionError("a refused color without a finding")
        return Mask(out, mask.name, self._stored(mask.stored))

    def _stored(self, stored: Storage | None) -> Storage | None:
        """How the result is to be stored: grey, in the container of the source where that is kept."""
        if stored is None:
            return None
        return replace(stored, format=self.container or stored.format, channels="grey", bits=8 * self.dtype.itemsize, kind=self.dtype.kind,
                       palette=None, codec="deflate" if self.container else stored.codec)

    def _evidence(self, refused: Sequence[int], facts: MaskFacts) -> Iterator[str]:
        rows = dict(zip(facts.present, facts.records, strict=True))
        frequent = sorted(refused, key=lambda label: (-int(rows[label][1]), label))
        known = [color_of_number(label) for label in self._ids]
        present = [color_of_number(label) for label in facts.present if label in self._ids]
        for label in frequent[:_MOST_TOLD]:
            row = rows[label]
            yield (f"{self.source_text(label)} on {count(int(row[1]), 'pixel')}, first at row {row[2]}, column {row[3]}"
                   f"{self._hint(label, present, known)}")
        if len(frequent) > _MOST_TOLD:
            yield f"and {count(len(frequent) - _MOST_TOLD, 'more color')}"
        if all(len({*color_of_number(label)}) == 1 for label in facts.present):
            yield "every pixel is grey: if these are ids already, leave the file out"

    def _hint(self, label: int, present: Sequence[Sequence[int]], known: Sequence[Sequence[int]]) -> str:
        """What an unknown color may be."""
        if label in self._shared:
            return f": the color of {listed(self._shared[label])}, which it does not tell apart"
        if label >> 24 or not known:
            return ""
        color = color_of_number(label)
        near = min(known, key=lambda other: (_apart(color, other), other))
        swapped = color[::-1]
        if swapped in set(known) and _apart(color, near) > _NEAR:
            return f": {color_text(swapped)}, which is in the table, with red and blue exchanged"
        if _apart(color, near) > _NEAR:
            pair = _mixture(color, present)
            if pair is not None:
                return f": a mixture of {color_text(pair[0])} and {color_text(pair[1])}, as smoothing leaves it"
        return f"; the nearest in the table is {color_text(near)}, {_apart(color, near)} away"


def _doubtful(mask: Mask, facts: MaskFacts) -> Iterator[Finding]:
    if mask.stored is not None and mask.stored.channels == "grey":
        yield rule_named("colour-mask").finding(
            f"Has one channel, which is read as grey: {listed((color_text(color_of_number(label)) for label in facts.present), 4)}. If it "
            "holds ids already, what became of them is wrong.", severity=Severity.WARNING, path=mask.name or None, pixels=facts.pixels,
            fix="Look at these files. What holds ids already is left out with --exclude.")


def _ids_of(table: object) -> dict[int, int]:
    """The id of each color, as a number."""
    pairs: list[Any] = list(table.items() if isinstance(table, Mapping) else table) if isinstance(table, Iterable) else [table]
    ids: dict[int, int] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise UsageError(f"{pair!r} does not say which id a color has; write a dictionary such as {{'128,64,128': 7}}.",
                             argument="colors")
        try:
            color = _packed(parsed_color(list(pair[0]) if isinstance(pair[0], (tuple, np.ndarray)) else pair[0]))
        except NotClassesError as problem:
            raise UsageError(f"{problem}.", argument="colors", entry=pair[0]) from None
        label = whole_number("colors", pair[1], least=0)
        if ids.setdefault(color, label) != label:
            raise UsageError(f"The color {_text(color)} has two ids, {ids[color]} and {label}; give it one.",
                             argument="colors")
    if not ids:
        raise UsageError("colors is empty; say which id each color has, as in {'128,64,128': 7}.", argument="colors")
    return ids


def _checked(spec: LabelSpec, ids: Mapping[int, int]) -> LabelSpec:
    """What the ids mean, with the number of classes."""
    classes = [label for label in ids.values() if label not in spec.ignore_index]
    spec = spec if spec.declared else replace(spec, num_classes=max(classes, default=0) + 1)
    for color, label in ids.items():
        if not spec.is_legal(label) or label < 0:
            raise SpecError(f"The color {_text(color)} has the id {label}, which is neither a class (0-{spec.last}) nor "
                            "ignored.", argument="colors")
    return spec


def _text(number: int) -> str:
    return color_text(color_of_number(number))


def _packed(color: Sequence[int]) -> int:
    return color[0] << 16 | color[1] << 8 | color[2]


def _apart(one: Sequence[int], other: Sequence[int]) -> int:
    """How far two colors are from each other, in the channel in which they differ most."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _mixture(color: Sequence[int], present: Sequence[Sequence[int]]) -> tuple[Sequence[int], Sequence[int]] | None:
    """Two colors of the mask on the line between which a color lies; the pair that is closest together."""
    from itertools import combinations
    found = [(_apart(one, other), one, other) for one, other in combinations(present[:256], 2) if _is_between(color, one, other)]
    return min(found)[1:] if found else None


def _is_between(color: Sequence[int], one: Sequence[int], other: Sequence[int]) -> bool:
    widest = max(range(3), key=lambda channel: abs(one[channel] - other[channel]))
    span = other[widest] - one[widest]
    part = (color[widest] - one[widest]) / span if span else -1
    return 0 < part < 1 and all(abs(a + part * (b - a) - c) <= _ON_THE_LINE for a, b, c in zip(one, other, color, strict=True))
