"""Palette files disagree on which index has which color.

What it does
------------
Reports palette files in which one index has several colors; only indices that occur count. If the same colors come up under other
indices, the indices drift; if each color keeps its index, some palettes were merely recolored.

Why is this bad?
----------------
Loaders read indices. A class that is 3 in one file and 5 in the next is two classes, and no id is out of range. Tools that give each file
a palette of its own (quantize, convert('P')) number colors by how often they occur.

How to fix
----------
Translate by color: export all files again with one palette, or turn colors into ids with one table. Recolored palettes need no repair.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.split import SplitFacts, joined
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import Color, LabelSpec
from labelguard.text import count, listed

rule = Rule("LG009", "palette-drift", Severity.ERROR, "Palette files disagree on which index has which color.")


@dataclass(frozen=True)
class _Use:
    """A palette, the files that have it, and the colors of the indices that they hold."""

    palette: bytes
    files: list[str]
    colors: dict[int, Color]

    def full(self, label: int) -> Color | None:
        """The color of an index, whether it occurs or not; None beyond the end of the palette."""
        color = self.palette[3 * label:3 * label + 3]
        return (color[0], color[1], color[2]) if len(color) == 3 else None


def _uses(palette: bytes, places: Sequence[int], data: DatasetFacts) -> _Use:
    use = _Use(palette, [data.records[place].path for place in places], {})
    for label in {label for place in places for label in data.records[place].ids}:
        color = use.full(label)
        if color is not None:
            use.colors[label] = color
    return use


@dataclass(frozen=True)
class _Drift:
    """The indices with several colors, the colors with several indices, and whether most of those that several palettes share moved."""

    of_index: dict[int, set[Color]]
    of_color: dict[Color, set[int]]
    unstable: list[int]
    moved: list[Color]
    sure: bool
    files: tuple[str, ...]


def _drift(data: DatasetFacts) -> _Drift | None:
    """What the palettes disagree on; None where they do not."""
    if len(data.palettes) < 2:
        return None
    uses = [_uses(palette, places, data) for palette, places in data.palettes.items()]
    of_index: dict[int, set[Color]] = defaultdict(set)
    of_color: dict[Color, set[int]] = defaultdict(set)
    for use in uses:
        for label, color in use.colors.items():
            of_index[label].add(color)
            of_color[color].add(label)
    unstable = sorted(label for label, colors in of_index.items() if len(colors) > 1)
    if not unstable:
        return None
    shown = Counter(color for use in uses for color in set(use.colors.values()))
    shared = [color for color, number in shown.items() if number > 1]
    moved = sorted({color for use in uses for color in set(use.colors.values())
                    if any(use.full(label) != color for label in of_color[color])})
    groups: dict[tuple[tuple[int, Color], ...], list[str]] = defaultdict(list)
    for use in uses:
        groups[tuple(sorted(use.colors.items()))] += use.files
    usual = max(groups.values(), key=len)
    if 2 * len(usual) < sum(map(len, groups.values())):
        usual = []  # all of them are as usual as that
    files = tuple(sorted(path for paths in groups.values() if paths is not usual for path in paths))
    return _Drift(of_index, of_color, unstable, moved, 2 * len(moved) > len(shared), files)


@rule.refines
def without_drifted(data: DatasetFacts, spec: LabelSpec) -> DatasetFacts:
    """The facts without the ids of palette files whose indices drift: they say nothing about the set."""
    drift = _drift(data)
    return data.distrusting(drift.files) if drift is not None and drift.moved and drift.sure else data


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    drift = _drift(data)
    if drift is None:
        return
    files, moved = drift.files, drift.moved
    evidence = [f"index {drift.unstable[0]} is " + listed((_words(color) for color in sorted(drift.of_index[drift.unstable[0]])), 4)]
    details: dict[str, Any] = {"ids": tuple(drift.unstable), "files": files}
    if not moved:
        yield rule.finding(f"{count(len(files), 'palette file')} show the same indices in different colors; no color has two indices.",
                           severity=Severity.NOTE, evidence=tuple(evidence), **details,
                           fix="Nothing, if loaders read indices, though one palette for all files is safer.")
        return
    evidence += [f"{_words(color)} is index {listed(sorted(drift.of_color[color]))}" for color in moved[:3]]
    named = set(files)
    seen = {label for record in data.records if record.path in named for label in record.ids}
    yield rule.finding(f"The indices of {count(len(moved), 'color')} differ between palette files: the same id means different classes.",
                       severity=Severity.ERROR if drift.sure else Severity.WARNING, evidence=tuple(evidence), **details,
                       explains=tuple(sorted(seen)),
                       fix="Translate by color: export all files with one palette, or turn colors into ids with one table.")


@rule.on_splits
def between(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    if len({palette for split in splits for palette in split.data.palettes}) < 2:
        return
    told = max((finding.severity.rank for split in splits for finding in check(split.data, spec)), default=-1)
    yield from (finding for finding in check(joined({split.name: split.data for split in splits}), spec) if finding.severity.rank > told)


def _words(color: Color) -> str:
    return f"({', '.join(map(str, color))})"
