"""What the ids of an undeclared data set seem to mean, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, percent

WIDE_GAP = 32  # ids beyond a gap as wide as this are not just more classes
_FEW_FILES = 20
_MOST_CLASSES = 1024


@dataclass(frozen=True)
class Inference:
    """A guess that is printed as one.

    Parameters
    ----------
    spec
        What the ids seem to mean; without a class count where that cannot be told.
    files
        How many files the guess rests on.
    sure
        Whether it is likely to hold for files not seen.
    lines
        What was inferred and how sure that is, in sentences.
    """

    spec: LabelSpec
    files: int
    sure: bool
    lines: tuple[str, ...]


def is_drawn_for_viewing(data: DatasetFacts, top: int) -> bool:
    """Whether a two-valued set holds `top` for its foreground: 0 and the highest id of a type, where 1 and `top` never share a file."""
    present = {label for label in data.files_with if label >= 0}
    return top in TOPS and top in present <= {0, 1, top} and not any({1, top} <= set(ids) for ids in data.id_sets())


def infer(data: DatasetFacts) -> Inference:
    """Infer a spec from the ids that are there.

    The chance that a further file brings a new id is estimated as the number of ids that a single file holds, divided by the
    number of files (Good 1953, "The population frequencies of species and the estimation of population parameters").
    """
    files = data.num_exact
    present = sorted(label for label in data.files_with if label >= 0)
    if not present:
        return Inference(LabelSpec(), files, False, ("Nothing can be inferred: no file holds ids that can be relied on.",))
    if is_drawn_for_viewing(data, present[-1]):
        return Inference(LabelSpec(2), files, files >= _FEW_FILES, (
            f"2 classes, stored as 0 and {present[-1]}{' in some files' if 1 in present else ''}, {_from(files)}.",))
    ignored = tuple(label for label in present if label in TOPS and len(present) > 1
                    and label - max((other for other in present if other not in TOPS or other < label), default=0) > WIDE_GAP)
    classes = [label for label in present if label not in ignored]
    if not classes:
        return Inference(LabelSpec(None, ignored), files, False, (
            f"The class count cannot be inferred {_from(files)}: there is nothing but {listed(ignored)}, which usually "
            f"{'means' if len(ignored) == 1 else 'mean'} void.",))
    number = classes[-1] + 1
    if number > _MOST_CLASSES or number > 8 * len(classes) + WIDE_GAP:
        return Inference(LabelSpec(None, ignored), files, False, (
            f"The class count cannot be inferred {_from(files)}: there are {count(len(classes), 'id')} spread up to {classes[-1]:,}.",))
    single = [label for label in classes if data.files_with[label] == 1]
    missing = sorted(set(range(number)) - set(classes))
    sure = files >= _FEW_FILES and data.files_with[classes[-1]] > 2 and len(missing) * 4 <= number
    lines = [f"{count(number, 'class', 'classes')} (ids 0-{number - 1}), {_from(files)}."
             + (f" {listed(ignored)} {_not_counted(ignored)}." if ignored else "")]
    if missing:
        lines.append(f"Never seen: {id_ranges(missing)}.")
    if missing[:1] == [0] and len(classes) > 1 and files > 1:
        fewer = number - 1
        lines.append(f"If the labels start at 1, there are {count(fewer, 'class', 'classes')}: declare --num-classes {fewer}.")
    if files < _FEW_FILES:
        lines.append("Not sure: that is few files, and higher classes may not have come up.")
    elif single:
        further = (f"the chance that a further file brings a new id is about {percent(len(single), files)}" if len(single) < files else
                   f"a further file brings about {round(len(single) / files):,} new")
        lines.append(f"Seen in a single file: {id_ranges(single)}; {further}.")
    else:
        lines.append("Fairly sure: every id is seen in several files." if sure else
                     "Not sure: the highest id is rare, or many lower ones are missing.")
    return Inference(LabelSpec(number, ignored), files, sure, tuple(lines))


def _from(files: int) -> str:
    return f"from {count(files, 'file')}"


def _not_counted(ignored: Sequence[int]) -> str:
    return "was not counted as a class" if len(ignored) == 1 else "were not counted as classes"
