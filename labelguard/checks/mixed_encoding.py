"""The files of one data set are stored in different ways.

Looks for: more than one container, pixel type or channel layout. The bit depth of palette files does not count: writers choose it by
content, and no reader cares.

Hurts because: one line of loading code treats each kind differently. A palette file read by OpenCV turns into colors, a 1-bit file
into 0 and 255 or into truth values, a 16-bit file into its upper byte.

Mend it: write all masks the same way, best as 8-bit grey PNG.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from labelguard.checks import Rule
from labelguard.facts import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec import LabelSpec
from labelguard.words import count

rule = Rule("LG007", "mixed-encoding", Severity.WARNING, "The files of the set are stored in different ways.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    by_encoding: dict[str, list[str]] = defaultdict(list)
    for record in data.records:
        by_encoding[record.encoding].append(record.path)
    if len(by_encoding) < 2:
        return
    kinds = sorted(by_encoding.items(), key=lambda item: (-len(item[1]), item[0]))
    usual, rest = kinds[0], kinds[1:]
    unusual = tuple(sorted(path for _, paths in rest for path in paths))
    yield rule.finding(f"{count(len(unusual), 'file is', 'files are')} not stored like the other {len(usual[1]):,} ({usual[0]}).",
                       files=unusual, evidence=tuple(f"{encoding}: {count(len(paths), 'file')}" for encoding, paths in kinds),
                       fix="Write all masks the same way, best as 8-bit grey PNG.")
