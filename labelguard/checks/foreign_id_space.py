"""The ids follow a different numbering than the declared classes.

What it does
------------
Reports ids beyond the declared classes that belong to a public numbering (Cityscapes label ids, COCO and COCO-Stuff with their gaps,
ADE20K with 0 for other objects, BraTS 0, 1, 2 and 4) whose official table leads to as many classes as are declared. Also reports sets
with as many ids as classes, but scattered over higher numbers. If nothing is declared, numberings with gaps are a note.

Why is this bad?
----------------
Higher ids are out of range, and lower ones are mistaken for other classes: 7 is road as a Cityscapes label id and traffic sign as a train
id. Metrics come out as nonsense, without an error.

How to fix
----------
The command of the finding moves the ids by the official table. The alternative is to declare what the files hold (`--preset`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._spread_ids import coded
from labelguard.checks._weighed import as_weighed, ruled_out
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import TOPS
from labelguard.facts.dataset import DatasetFacts, Where
from labelguard.finding import Finding, Severity
from labelguard.spec.label_spaces import Space, spaces
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, of_files

rule = Rule("LG108", "foreign-id-space", Severity.ERROR, "The ids follow a different numbering than the declared classes.",
            symptom_of=("LG111",), needs_facts=("erosion",))

_SCATTERED_FILES, _SOME_FILES, _ENOUGH_FILES = 3, 5, 20
_FEW_IDS, _MANY_IDS = 10, 20  # no test can tell 10 from 5 to 19, or 20 from 5 to 81: no space has as many ids as that
_NEARLY_ALL, _MOST = 0.9, 0.8  # shares of the ids of a space
_RARE = 10  # an id in fewer than one file out of so many is a stray
_TELLING_CLASSES = 2  # more of them are needed to recognize a space


@dataclass(frozen=True)
class _Official:
    """A label space, and an official table from it to another one."""

    space: Space
    target: Space
    table: dict[int, int | None]

    @property
    def kept(self) -> set[int]:
        """The ids that stay classes."""
        return {label for label, there in self.table.items() if there is not None}

    def beyond(self, spec: LabelSpec) -> set[int]:
        """Those of them that are out of the declared range."""
        return {label for label in self.kept if not spec.is_class(label)}

    def resolved(self, spec: LabelSpec) -> tuple[dict[int, int], tuple[int, ...]]:
        """The table with a void label filled in, and the ids that are then ignored."""
        ignored = tuple(label for label in spec.ignore_index if label >= 0) or self.target.spec.ignore_index
        return {label: ignored[0] if there is None else there for label, there in self.table.items()}, ignored


def _tables() -> Iterator[_Official]:
    by_name = {space.name: space for space in spaces()}
    return (_Official(space, by_name[target], table) for space in spaces() for target, table in space.to.items())


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if not spec.declared:
        yield from _hint(data, spec)
        return
    outside = {label for label in data.files_with if not spec.is_legal(label)} - set(TOPS)
    if not outside or min(outside) < 0 or coded(data, spec) is not None or ruled_out(data, spec, "space", "in order"):
        return
    official = next((official for official in _tables() if _fits(official, outside, data, spec)), None)
    found: dict[str, Any] = {"ids": tuple(sorted(outside)), "pixels": sum(data.ids[label] for label in outside),
                             "explains": (*_ids(data, spec), *range(spec.last + 1))}
    if official is not None:
        yield as_weighed(_named(official, found, data, spec), data, spec, "space")
    else:
        yield from (as_weighed(said, data, spec, "in order", "space") for said in _scattered(outside, found, data, spec))


def _ids(data: DatasetFacts, spec: LabelSpec, where: Where | None = None) -> set[int]:
    return {label for ids in data.id_sets(where) for label in ids} - set(spec.ignore_index) - set(TOPS)


def _meant(official: _Official, outside: set[int], data: DatasetFacts, spec: LabelSpec) -> Where | None:
    """The files that use this numbering: those with ids out of range, or all, if gaps or a single id beyond show it for the whole set."""
    telling = official.space.unused or len(official.beyond(spec)) == 1 or 2 * data.count_of(outside) >= data.num_exact
    return None if telling and _ids(data, spec) <= official.space.drawn else outside


def _fits(official: _Official, outside: set[int], data: DatasetFacts, spec: LabelSpec) -> bool:
    """Whether the ids are those of a label space, beyond chance."""
    space, kept = official.space, official.kept
    if official.target.spec.num_classes != spec.num_classes:
        return False
    seen, beyond = _ids(data, spec, _meant(official, outside, data, spec)), official.beyond(spec)
    if not seen <= space.drawn or 2 * len(outside & beyond) < len(beyond):
        return False
    if len(beyond) == 1 and not space.unused:  # looks like one class too many: is 0 simply the background of a custom set?
        largest = max(seen, key=lambda label: data.ids[label])
        return 0 in seen and largest != 0 and len(seen) >= _MOST * len(space.drawn)
    if len(kept) < _FEW_IDS:  # a gap among few ids may be a class that did not come up
        return seen == kept and data.num_exact >= _SOME_FILES
    return 2 * len(seen & kept) >= len(kept)


def _named(official: _Official, found: dict[str, Any], data: DatasetFacts, spec: LabelSpec) -> Finding:
    space = official.space
    table, ignored = official.resolved(spec)
    outside = set(found["ids"])
    meant = _meant(official, outside, data, spec)
    files = data.files(meant)
    whole = len(files) == data.num_exact
    number = data.count_of(outside)
    evidence = [f"all {len(_ids(data, spec, meant))} ids seen in these files are {space.title}, of which there are {len(space.drawn)}",
                f"the official table leads from them to {official.target.spec.num_classes} classes, as many as are declared",
                f"{id_ranges(found['ids'])} {'is' if len(outside) == 1 else 'are'} seen {of_files(number, data.num_exact)}"]
    if space.unused:
        evidence.append(f"the gaps at {id_ranges(tuple(space.unused), 12)} match")
    return rule.finding(f"The ids are {space.title}, not the {spec.num_classes} declared classes.", files=files, evidence=tuple(evidence),
                        fix=remap_fix(data, spec, table, spec.num_classes, ignored, part=not whole), **found)


def _scattered(outside: set[int], found: dict[str, Any], data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    """As many ids as there are classes, but not 0 to the last."""
    seen = _ids(data, spec)
    if data.num_exact < _SCATTERED_FILES:
        return
    common = all(_RARE * data.files_with[label] >= data.num_exact for label in outside)
    if max(seen) <= spec.last + 1 or not common or 2 * len(outside) < len(seen) or (len(outside) < 2 and spec.last != 1):
        return
    tables = sorted(_tables(), key=lambda official: len(official.space.drawn))
    candidates: list[tuple[set[int], Space | None]] = [(seen, None)]
    candidates += [(seen & official.kept, official.space) for official in tables if seen <= official.space.drawn
                   and 2 * len(official.table) > 3 * len(official.kept)]  # where most ids are kept, it means little that all of these are
    classes, space = next(((ids, space) for ids, space in candidates
                           if len(ids) == spec.num_classes and (space is None or len(ids) > _TELLING_CLASSES)), (set(), None))
    if not classes:
        return
    evidence = [f"{count(len(classes), 'id')} for {count(len(classes), 'class', 'classes')}, up to {max(classes)}"]
    if space is not None:
        evidence.append(f"all of them are trained classes among the {space.title}, where {id_ranges(sorted(seen - classes))} is void")
    yield rule.finding(f"The ids are numbered differently than declared: {id_ranges(sorted(classes), 12)} instead of 0-{spec.last}.",
                       files=data.files(), evidence=tuple(evidence),
                       fix="Look at the list of classes: where they are the classes in this order, 'labelguard remap' moves them.", **found)


def _hint(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    """Where nothing is declared: does the set look like a numbering that most people move before training?"""
    seen = _ids(data, spec)
    for official in _tables():
        space = official.space
        if not seen or not seen <= space.drawn:
            continue
        named = space.files and all(fnmatch(path.lower(), space.files) for path in data.files())
        enough = len(space.drawn) >= _MANY_IDS or data.num_exact >= _ENOUGH_FILES
        gaps = space.unused and enough and len(seen) >= _NEARLY_ALL * len(space.drawn) and max(seen) == max(space.drawn)
        if named or gaps:
            yield rule.finding(f"The ids seem to be {space.title}; most people train on {official.target.spec.num_classes} classes.",
                               severity=Severity.NOTE, ids=tuple(sorted(seen)), files=data.files(),
                               evidence=(f"the gaps at {id_ranges(tuple(space.unused), 12)} match" if gaps else "the file names match",),
                               fix=f"Declare what they are: --preset {space.name}. To train on the others, move them first; "
                                   "'labelguard run' has pipelines for the common ones.")
            return
