"""SplitFacts: what is kept of one split so that it can be compared with others, and what comparisons have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, lgamma, log2, prod
from typing import NamedTuple

from labelguard.facts.image import PairFacts, fingerprint
from labelguard.facts.mask_facts import DatasetFacts, MaskFacts
from labelguard.text import count, percent


class Fingerprint(NamedTuple):
    """The fingerprint of one mask.

    Parameters
    ----------
    digest
        Equal where two masks hold equal labels.
    bits
        How much there is to get right, see `bits`: masks that were drawn apart agree with a chance of about 2 to the power of minus that.
    """

    digest: bytes
    bits: float


@dataclass(eq=False)
class SplitFacts:
    """One split of a data set.

    Parameters
    ----------
    name
        Such as ``"train"``.
    data
        The facts of its masks.
    prints
        For each mask that holds exact ids its fingerprint.
    classes
        The ids that count as classes: declared, or inferred from all splits together.
    copies
        For each content that another split has too the masks that hold it, certain to the pixel; no masks that agree by their nature.
    """

    name: str
    data: DatasetFacts
    prints: dict[str, Fingerprint] = field(default_factory=dict)
    classes: frozenset[int] = frozenset()
    copies: dict[bytes, list[str]] = field(default_factory=dict)

    def named(self, paths: Iterable[str]) -> list[str]:
        """Files of this split as a comparison names them: ``train/a.png``."""
        return [f"{self.name}/{path}" for path in paths]

    @property
    def pairs(self) -> dict[str, PairFacts]:
        """The masks whose images were looked at."""
        return {} if self.data.images is None else {pair.mask: pair for pair in self.data.images.pairs if pair.facts.pixels is not None}

    @property
    def pictures(self) -> dict[bytes, list[str]]:
        """For each content of an image its names; images of a single color are left out, they are equal by nature."""
        names: dict[bytes, list[str]] = defaultdict(list)
        for name, facts in ({} if self.data.images is None else self.data.images.images).items():
            if facts.pixels is not None and any(value is None for value in facts.pixels.constant):
                names[facts.pixels.digest].append(name)
        return names


def bits(facts: MaskFacts, ignored: Iterable[int] = ()) -> float:
    """How much has to agree by chance before two masks that were drawn apart are equal, in bits.

    The frame of an id's box counts where it is free of the edge of the image, with log2 of the length along which it could lie; a shape
    that does not fill its box counts one bit for each row and column in addition. The id with the largest box is what the others lie on.
    Nothing at all where only one id, or nothing but background and ignored ids is there.
    """
    if len(facts.ids) < 2 or set(facts.ids) <= {0, *ignored}:
        return 0.0
    height, width = facts.shape
    shapes = []
    for number, (top, left, bottom, right) in zip(facts.counts, facts.boxes, strict=True):
        area = (bottom - top) * (right - left)
        free = ((top > 0) + (bottom < height)) * log2(height) + ((left > 0) + (right < width)) * log2(width)
        shapes.append((area, free + (bottom - top + right - left) * (number < area)))
    shapes.sort()
    return sum(each for _, each in shapes[:-1])


def fingerprint_of(facts: MaskFacts, ignored: Iterable[int] = ()) -> Fingerprint:
    """The fingerprint of a mask with exact ids."""
    return Fingerprint(fingerprint(facts), bits(facts, ignored))


def joined(splits: Sequence[SplitFacts]) -> DatasetFacts:
    """All splits as one set; its files are called ``train/a.png``."""
    data = DatasetFacts(splits[0].data.root if len(splits) == 1 else "SRC")
    for split in splits:
        part, before = split.data, len(data.records)
        data.records += [record._replace(path=f"{split.name}/{record.path}") for record in part.records]
        data.skipped += split.named(part.skipped)
        for palette, places in part.palettes.items():
            data.palettes.setdefault(palette, []).extend(before + place for place in places)
        data.unreadable += part.unreadable
        data.pixels += part.pixels
        for sums, more in ((data.ids, part.ids), (data.files_with, part.files_with)):
            for label, number in more.items():
                sums[label] = sums.get(label, 0) + number
    return data


def shared(splits: Sequence[SplitFacts], contents: Sequence[dict[bytes, list[str]]]) -> dict[bytes, list[tuple[SplitFacts, list[str]]]]:
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


def chance_of_none(total: int, holding: int, drawn: int) -> float:
    """The chance that files drawn at random hold no example: hypergeometric, C(total - holding, drawn) / C(total, drawn).

    Parameters
    ----------
    total, holding
        Number of files, and of those that hold the class.
    drawn
        How many of them are drawn.
    """
    if drawn > total - holding:
        return 0.0
    return exp(min(0.0, lgamma(total - holding + 1) + lgamma(total - drawn + 1) - lgamma(total - holding - drawn + 1) - lgamma(total + 1)))


def pairs_between(splits: Sequence[SplitFacts]) -> int:
    """How many pairs of masks there are that could agree by chance."""
    return sum(prod(len(split.prints) for split in two) for two in combinations(splits, 2))
