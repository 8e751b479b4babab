"""The same image has different masks.

Looks for: images whose pixels are equal, under different names, and whose masks are not. Metadata and compression do not count, only
pixels. Images of a single color are left out: black frames may be labelled as anything.

Hurts because: the network is told two things about one picture. The loss cannot fall below their difference, and where one copy is in
the training part and the other in validation, the scores measure the annotators.

Mend it: decide which mask is right, and keep one copy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from labelguard.checks import Rule
from labelguard.facts import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.imagefacts import PairFacts
from labelguard.spec import LabelSpec
from labelguard.words import count, listed

rule = Rule("LG404", "same-image-other-mask", Severity.WARNING, "Images of equal content have masks that differ.", needs="--images",
            needs_pixels=True)

_MOST = 8


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None:
        return
    by_image: dict[bytes, list[PairFacts]] = defaultdict(list)
    for pair in data.images.pairs:
        pixels = pair.facts.pixels
        if pixels is not None and pair.content is not None and any(value is None for value in pixels.constant):
            by_image[pixels.digest].append(pair)
    groups = [group for group in by_image.values() if len({pair.content for pair in group}) > 1]
    if groups:
        evidence = [f"{listed([pair.image for pair in group], 4)} are one image; masks {listed([pair.mask for pair in group], 4)}"
                    for group in groups[:_MOST]]
        masks = tuple(sorted(pair.mask for group in groups for pair in group))
        yield rule.finding(f"{count(len(groups), 'image')} {'is' if len(groups) == 1 else 'are'} there several times, under other names "
                           "and with other masks.", files=masks, evidence=tuple(evidence),
                           fix="Look at these masks, keep the right one of each image, and remove the copies.")
