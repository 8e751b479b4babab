"""Whether there is anything to weigh in a set whose ids are all legal: most sets are not remarkable, and cost nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from labelguard.explanations import repeated
from labelguard.explanations.columns import Columns
from labelguard.explanations.counting import run_on
from labelguard.explanations.explanation import Column
from labelguard.explanations.lengths import absence
from labelguard.explanations.part import Part
from labelguard.explanations.seeds import apart, differing
from labelguard.explanations.sightings import FEW_IDS, NUM_AREAS, NUM_FRAMES, Sightings
from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec

_SURPRISE = 3.0  # bits by which a class ought to have been there; less outweighs no fault, whatever else speaks for it
_MOST_FOLDERS = 64


def may_be_remarkable(data: DatasetFacts, spec: LabelSpec) -> bool:
    """The same as `is_remarkable` as far as it can be told without looking at every file: False only where that is False."""
    if _misses_a_class(data.files_with, data.num_exact, spec) or len(data.files_with) <= FEW_IDS:
        return True
    if run_on(data.files_with, data.id_sets().items(), spec.ignore_index):
        return True
    kinds = Counter((record.path.rpartition("/")[0], record.ids) for record in data.select())
    places = {folder: place for place, folder in enumerate(dict.fromkeys(folder for folder, _ in kinds))}
    if not 1 < len(places) <= _MOST_FOLDERS:
        return False
    columns = {label: column for column, label in enumerate(data.files_with)}
    counts, files = np.zeros((len(places), len(columns), 1 + NUM_AREAS + NUM_FRAMES), np.int64), np.zeros(len(places), np.int64)
    for (folder, ids), number in kinds.items():
        counts[places[folder], [columns[label] for label in ids], 0] += number
        files[places[folder]] += number
    return bool((apart(counts, files) > 0).any())


def is_remarkable(seen: Sightings, spec: LabelSpec) -> bool:
    """Whether a class is absent that ought to be there, a group of files is unlike the others, a file of two classes is inside out, or
    more files than by chance have ids without a gap."""
    whole = Part(seen, np.ones(len(seen.files), bool))
    files_with = dict(zip(seen.ids, whole.counts.tolist(), strict=True))
    return _misses_a_class(files_with, seen.num_files, spec) or len({*seen.edge.tolist()}) > 1 or bool(
        differing(whole)) or run_on(files_with, whole.sets, spec.ignore_index)


def _misses_a_class(files_with: Mapping[int, int], num_files: int, spec: LabelSpec) -> bool:
    classes = [label for label in files_with if spec.is_class(label)]
    missing = spec.num_classes is not None and len(classes) < sum(map(spec.is_class, range(spec.num_classes)))
    return missing and (surprise(files_with, num_files, spec) > _SURPRISE or any(True for _ in repeated.tables(classes, spec)))


def surprise(files_with: Mapping[int, int], num_files: int, spec: LabelSpec) -> float:
    """How much of a surprise it is, in bits, that a class is in no file, as common as classes are; 0 where none is absent."""
    classes: dict[Column, int] = {label: number for label, number in files_with.items() if spec.is_class(label)}
    number = sum(map(spec.is_class, range(spec.num_classes or 0)))
    return absence(Columns((), num_files, classes), number) if len(classes) < number else 0.0
