"""The files of the set are stored in different ways.

What it does
------------
Reports sets with more than one file format, pixel type or channel layout, within a split and across splits. The bit depth of palette
files does not count: writers choose it by content, and no reader cares.

Why is this bad?
----------------
One line of loading code treats each kind differently. OpenCV turns a palette file into colors, a 1-bit file may become 0 and 255 or
booleans, and a 16-bit file its upper byte. If a whole split is stored differently, the network is tested on something else than it was
trained on.

How to fix
----------
Write all masks the same way, preferably as 8-bit grayscale PNG.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.split import SplitFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG007", "mixed-encoding", Severity.WARNING, "The files of the set are stored in different ways.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    encodings = sorted(_encodings(data).items(), key=lambda item: (-item[1], item[0]))
    if len(encodings) < 2:
        return
    usual, often = encodings[0]
    unusual = sorted(data.files_of_kind(lambda kind: kind.encoding != usual))
    yield rule.finding(f"{count(len(unusual), 'file is', 'files are')} stored differently from the other {often:,} ({usual}).",
                       files=unusual, evidence=tuple(f"{encoding}: {count(files, 'file')}" for encoding, files in encodings),
                       fix="Write all masks the same way, preferably as 8-bit grayscale PNG.")


@rule.on_splits
def between(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    kinds = {split.name: _encodings(split.data) for split in splits if split.data.records}
    usual = {name: min(counts, key=lambda kind: (-counts[kind], kind)) for name, counts in kinds.items()}
    often = Counter(usual.values())
    reference = max(usual, key=lambda name: (often[usual[name]], sum(kinds[name].values())), default="")
    odd = [name for name in usual if usual[name] not in kinds[reference]]  # else the reference mixes them itself, and that was said
    if not odd:
        return
    evidence = [f"{name}: {listed(f'{kind}, {number:,} of {sum(counts.values()):,}' for kind, number in sorted(counts.items()))}"
                for name, counts in kinds.items()]
    like = listed(name for name in usual if usual[name] == usual[reference])
    yield rule.finding(f"The masks of {listed(odd)} are not stored like those of {like}.", evidence=tuple(evidence),
                       files=tuple(sorted(path for split in splits if split.name in odd for path in split.named(
                           split.data.files_of_kind(lambda kind: kind.encoding != usual[reference])))),
                       fix="Write the masks of all splits the same way, preferably as 8-bit grayscale PNG.")


def _encodings(data: DatasetFacts) -> Counter[str]:
    """The number of files stored in each way."""
    found = Counter[str]()
    for kind, files in data.kinds().items():
        found[kind.encoding] += files
    return found
