"""What the ids of an undeclared data set seem to mean, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed

_TOPS = (255, 65535, 2 ** 32 - 1)
_GAP = 32
_FEW_FILES = 20
_MOST_CLASSES = 1024
_MOST_LISTED = 300


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


def infer(data: DatasetFacts) -> Inference:
    """Infer a spec from the ids that are there.

    The chance that a further file brings a new id is estimated as the number of ids that a single file holds, divided by the
    number of files (Good 1953, "The population frequencies of species and the estimation of population parameters").
    """
    files = data.num_exact
    present = sorted(label for label in data.files_with if label >= 0)
    if not present:
        return Inference(LabelSpec(), files, False, ("Nothing can be inferred: no file holds ids that can be relied on.",))
    if present[-1] in _TOPS and set(present) <= {0, 1, present[-1]} and not any(
            {1, present[-1]} <= set(ids) for ids in data.id_sets()):
        return Inference(LabelSpec(2), files, files >= _FEW_FILES, (
            f"2 classes, stored as 0 and {present[-1]}{' in some files' if 1 in present else ''}, {_from(files)}.",))
    ignored = tuple(label for label in present if label in _TOPS and len(present) > 1
                    and label - max((other for other in present if other not in _TOPS or other < label), default=0) > _GAP)
    classes = [label for label in present if label not in ignored]
    if not classes:
        return Inference(LabelSpec(None, ignored), files, False, (
            f"The class count cannot be inferred {_from(files)}: there is nothing but {listed(ignored)}, which usually mean void.",))
    number = classes[-1] + 1
    if number > _MOST_CLASSES or number > 8 * len(classes) + _GAP:
        return Inference(LabelSpec(None, ignored), files, False, (
            f"The class count cannot be inferred {_from(files)}: there are {count(len(classes), 'id')} spread up to {classes[-1]:,}.",))
    single = [label for label in classes if data.files_with[label] == 1]
    missing = sorted(set(range(number)) - set(classes))
    sure = files >= _FEW_FILES and data.files_with[classes[-1]] > 2 and len(missing) * 4 <= number
    lines = [f"{count(number, 'class', 'classes')} (ids 0-{number - 1}), {_from(files)}."
             + (f" {listed(ignored)} was not counted as a class." if ignored else "")]
    if missing:
        lines.append(f"Never seen: {id_ranges(missing)}.")
    if files < _FEW_FILES:
        lines.append("Not sure: that is few files, and higher classes may not have come up.")
    elif single:
        lines.append(f"Seen in a single file: {id_ranges(single)}; the chance that a further file brings a new id is about "
                     f"{100 * len(single) / files:.1g} %.")
    else:
        lines.append("Fairly sure: every id is seen in several files." if sure else
                     "Not sure: the highest id is rare, or many lower ones are missing.")
    return Inference(LabelSpec(number, ignored), files, sure, tuple(lines))


def _from(files: int) -> str:
    return f"from {count(files, 'file')}"


def spec_file(inference: Inference, data: DatasetFacts) -> str:
    """A labelguard.toml that says what was inferred, how sure that is, and what was counted."""
    spec = inference.spec
    lines = ["# What the ids of this data set mean. Inferred by labelguard: review every line, then keep this file in version control.",
             *(f"# {line}" for line in inference.lines), ""]
    lines.append(f"num_classes = {spec.num_classes}" if spec.declared else
                 "# num_classes = 2    # could not be inferred: how many are there?")
    lines.append(f"ignore_index = {list(spec.ignore_index)}"
                 + ("    # not counted as a class: is it void? If not, see what 'labelguard scan' says of it" if spec.ignore_index else ""))
    lines += ["", '# One name for each class, in the order of the ids; a class named "background" is what empty masks hold.']
    lines += ['# names = ["background", "first class", ...]', ""]
    lines.append("# id: pixels, files")
    lines += [f"# {label}: {data.ids[label]:,}, {data.files_with[label]:,}" for label in sorted(data.files_with)[:_MOST_LISTED]]
    if len(data.files_with) > _MOST_LISTED:
        lines.append(f"# ... and {count(len(data.files_with) - _MOST_LISTED, 'more id')}")
    return "\n".join(lines) + "\n"
