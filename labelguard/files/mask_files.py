"""From many mask files to their facts at once, as far as they are of the common kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from labelguard.facts.frozen import FrozenDict
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files import png
from labelguard.files._chunks import stored_as
from labelguard.files.formats import with_suffix
from labelguard.files.mask import erosion_stats

if TYPE_CHECKING:
    from labelguard.kernels.tally_files import FileTally


def facts_of_files(files: Sequence[tuple[str, ...]], most_bytes: int, erosion_of: Sequence[int] = (),
                   with_label_runs: bool = False) -> list[MaskFacts | None]:
    """Gather the facts of PNG files of one channel, those that `labelguard.files.mask.facts_of` gives of their content.

    Parameters
    ----------
    files
        Path and name of each.
    most_bytes
        What may be allocated for one of them without asking anybody.
    erosion_of, with_label_runs
        As for `labelguard.files.mask.facts_of`.

    Returns
    -------
    list
        None for each file that has to be looked at alone, since something is unusual about it.
    """
    from labelguard.kernels.tally_files import tally_files
    tallies = tally_files([path for path, *_ in files], most_bytes, with_label_runs, erosion_of)
    return [None if tally is None else _facts(name, tally, erosion_of, with_label_runs)
            for (_, name, *_), tally in zip(files, tallies, strict=True)]


def _facts(name: str, tally: FileTally, erosion_of: Sequence[int], with_label_runs: bool) -> MaskFacts:
    height, width, bits, palette, records, numbers, eroded = tally
    stored = with_suffix(png, stored_as("grey" if palette is None else "palette", bits, palette), name)
    facts = MaskFacts.of_records(records, (height, width), "uint16" if bits == 16 else "uint8", stored,
                                 label_runs=LabelRuns.of(numbers) if with_label_runs else None)
    there = [(label, count) for label, count in zip(erosion_of, eroded.tolist(), strict=True) if label in facts.present]
    if not there:
        return facts
    return replace(facts, erosion=FrozenDict({label: erosion_stats(facts, label, count) for label, count in there}))
