"""SplitFacts: what is kept of one split so that it can be compared with others, and what comparisons have in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.fingerprint import Fingerprint
from labelguard.facts.frozen import FrozenDict
from labelguard.facts.image import PairFacts
from labelguard.finding import PLACEHOLDER
from labelguard.text import count, percent


@dataclass(frozen=True, eq=False)
class SplitFacts:
    """One split of a data set.

    Parameters
    ----------
    name
        Such as ``"train"``.
    data
        The facts of its masks.
    fingerprints
        For each mask that holds exact ids, its fingerprint.
    classes
        The ids that count as classes: declared, or inferred from all splits together.
    copies
        For each content that another split has too, the masks that hold it, compared pixel by pixel; without those that may agree by
        chance.
    """

    name: str
    data: DatasetFacts
    fingerprints: Mapping[str, Fingerprint] = field(default_factory=FrozenDict)
    classes: frozenset[int] = frozenset()
    copies: Mapping[bytes, list[str]] = field(default_factory=FrozenDict)

    def named(self, paths: Iterable[str]) -> list[str]:
        """Files of this split as a comparison names them: ``train/a.png``."""
        return [f"{self.name}/{path}" for path in paths]

    @property
    def pairs(self) -> dict[str, PairFacts]:
        """The masks whose images were looked at."""
        return {} if self.data.images is None else {pair.mask: pair for pair in self.data.images.pairs if pair.facts.pixels is not None}

    @property
    def pictures(self) -> dict[bytes, list[str]]:
        """For each content of an image its names; images of a single color are left out, since two of them may agree by chance."""
        names: dict[bytes, list[str]] = defaultdict(list)
        for name, facts in ({} if self.data.images is None else self.data.images.images).items():
            if facts.pixels is not None and any(value is None for value in facts.pixels.constant):
                names[facts.pixels.digest].append(name)
        return names


def joined(splits: Mapping[str, DatasetFacts]) -> DatasetFacts:
    """The facts of splits, by their names, as those of one set; its files are called ``train/a.png``."""
    parts = list(splits.values())
    ids, files_with = Counter[int](), Counter[int]()
    palettes: dict[bytes, tuple[int, ...]] = {}
    before = 0
    for part in parts:
        ids.update(part.ids)
        files_with.update(part.files_with)
        for palette, places in part.palettes.items():
            palettes[palette] = (*palettes.get(palette, ()), *(before + place for place in places))
        before += len(part.records)
    return DatasetFacts(
        root=parts[0].root if len(parts) == 1 else PLACEHOLDER,
        records=tuple(record._replace(path=f"{name}/{record.path}") for name, data in splits.items() for record in data.records),
        skipped=tuple(f"{name}/{path}" for name, data in splits.items() for path in data.skipped),
        refused=tuple(f"{name}/{path}" for name, data in splits.items() for path in data.refused),
        unreadable=sum(part.unreadable for part in parts), pixels=sum(part.pixels for part in parts), ids=FrozenDict(ids),
        files_with=FrozenDict(files_with), palettes=FrozenDict(palettes))


def shared(splits: Sequence[SplitFacts], contents: Sequence[Mapping[bytes, list[str]]]) -> dict[bytes, list[tuple[SplitFacts, list[str]]]]:
    """The contents that more than one split has, each with its names in those splits."""
    holders: dict[bytes, list[tuple[SplitFacts, list[str]]]] = defaultdict(list)
    for split, of_split in zip(splits, contents, strict=True):
        for content, names in of_split.items():
            holders[content].append((split, sorted(names)))
    return {content: held for content, held in holders.items() if len(held) > 1}


def overlaps(splits: Sequence[SplitFacts], groups: Iterable[Sequence[tuple[SplitFacts, list[str]]]], totals: Sequence[int], noun: str
             ) -> list[str]:
    """Evidence: how much every two splits have in common."""
    held = [{split.name: len(names) for split, names in group} for group in groups]
    lines = []
    for (first, total_first), (second, total_second) in combinations(zip(splits, totals, strict=True), 2):
        both = [group for group in held if first.name in group and second.name in group]
        if both:
            parts = (f"{count(sum(group[split.name] for group in both), noun)} of {split.name} "
                     f"({percent(sum(group[split.name] for group in both), total)})"
                     for split, total in ((first, total_first), (second, total_second)))
            lines.append(" and ".join(parts))
    return lines


def pairs_between(numbers: Iterable[int]) -> int:
    """How many pairs of masks of two splits there are, from the number of masks in each."""
    return sum(one * other for one, other in combinations(numbers, 2))
