"""The ids that are no class, once for the set: how many pixels each covers, and in how many files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding
from labelguard.text import count, of_files, percent

RULE = "out-of-range"  # whose findings on several files are one table

_MOST_IDS = 8


def id_table(findings: Sequence[Finding], data: DatasetFacts) -> Iterator[str]:
    """What findings on single files say of ids, first in a sentence, then the ids that cover most.

    Parameters
    ----------
    findings
        Of the rule above, on several files.
    data
        The facts of the set.
    """
    ids_of = {finding.path: finding.ids for finding in findings}
    pixels, files = Counter[int](), Counter[int]()
    for record in data.records:
        for label in ids_of.get(record.path, ()):
            pixels[label] += record.count(label)
            files[label] += 1
    if not files:
        return
    _, _, what = max(findings, key=lambda finding: len(finding.ids)).message.partition(": ")
    yield f"{count(len(files), 'id')} {of_files(len(ids_of), len(data.records))}: {what}"
    for label, number in sorted(pixels.items(), key=lambda item: (-item[1], item[0]))[:_MOST_IDS]:
        yield f"- {label}: {percent(number, data.pixels)} of all pixels, in {count(files[label], 'file')}"
    if len(files) > _MOST_IDS:
        yield f"- and {count(len(files) - _MOST_IDS, 'more id')}"
