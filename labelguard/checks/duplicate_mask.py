"""Different images have masks that are equal in every pixel.

What it does
------------
Reports masks with identical labels whose images differ, within a split and across splits. Masks with a single id, or with nothing but
background and ignored ids, are naturally equal and are left out; so are those of less than 64 pixels on the shorter side that hold
three ids or fewer, since there are few places for one border.

Why is this bad?
----------------
Objects do not cover the same pixels twice by chance. One of the masks was copied to the wrong name, a script wrote the previous mask
again, or an annotation tool carried it over to the next frame. The network learns labels that do not fit the picture.

How to fix
----------
Find out which image the mask was drawn for, and fetch or draw the others. If the same scene is there on purpose (augmented copies, a
fixed camera), nothing is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import PairFacts
from labelguard.facts.split import SplitFacts, shared
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG405", "duplicate-mask", Severity.WARNING, "Different images have masks that are equal in every pixel.", needs="--images",
            needs_facts=("image_pixels",))

_MOST = 8
_COARSE, _FEW_IDS = 64, 3  # of drawn sets in layers, every fifth at 16 pixels has equal masks by chance, and none of 83 at 64 pixels


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None:
        return
    by_content: dict[bytes, list[PairFacts]] = defaultdict(list)
    for pair in data.images.pairs:
        drawn = len(pair.ids) > 1 and not set(pair.ids) <= {0, *spec.ignore_index}
        if drawn and not _may_be_chance(pair, spec) and pair.content is not None and pair.facts.pixels is not None:
            by_content[pair.content].append(pair)
    groups = [group for group in by_content.values() if len({pair.facts.pixels.digest for pair in group if pair.facts.pixels}) > 1]
    if groups:
        masks = tuple(sorted(pair.mask for group in groups for pair in group))
        evidence = [f"{listed([pair.mask for pair in group], 4)} are equal" for group in groups[:_MOST]]
        yield rule.finding(f"{count(len(masks), 'mask')} of different images are equal to another mask in every pixel.", files=masks,
                           evidence=tuple(evidence), fix="Find out which image each of these masks fits, and fetch or draw the others.")


def _may_be_chance(pair: PairFacts, spec: LabelSpec) -> bool:
    """Whether it has few places for its borders."""
    return min(pair.shape) < _COARSE and len({*pair.ids}.difference(spec.ignore_index)) <= _FEW_IDS


@rule.on_splits
def between(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    pairs = {split.name: split.pairs for split in splits}
    named = []
    for group in shared(splits, [split.copies for split in splits]).values():
        facts = [pairs[split.name].get(name) for split, names in group for name in names]
        digests = [each.facts.pixels.digest for each in facts if each is not None and each.facts.pixels is not None]
        if len(digests) == len(facts) == len(set(digests)):
            named.append(sorted(path for split, names in group for path in split.named(names)))
    if named:
        yield rule.finding(f"{count(sum(map(len, named)), 'mask')} of different images are equal to a mask of another split.",
                           files=tuple(sorted(path for names in named for path in names)),
                           evidence=tuple(f"{listed(names, 4)} are equal" for names in sorted(named)[:_MOST]),
                           fix="Look at their images: if they show one scene, keep it in one split; if not, fetch or draw the right masks.")
