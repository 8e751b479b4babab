"""The commands that mend a set: the verdict's table for each part of it as options of `labelguard remap`, proven on the facts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from labelguard.checks._remap_command import spec_arguments, table_arguments
from labelguard.checks._selecting import file_choice, selection_of
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.explanations.explanation import VOID
from labelguard.explanations.part import Part
from labelguard.explanations.restoring import restored_ids
from labelguard.explanations.search import open_rows
from labelguard.explanations.settling import settling
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord, Ids
from labelguard.files.default_folder import default_out
from labelguard.finding import Arguments, Fix
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges, listed, path_argument, shell_command

_Told = tuple[Part, dict[int, int]]  # some files, and what each of their ids is to become

_MOST_COMMANDS = 4
_EXPORT = "export the masks again from their source"
_SMOOTHED = "No table mends smoothed masks: export these again from their source first, then scan what comes out."


@dataclass(frozen=True)
class _Move:
    """Where the ids of some files go: what `labelguard remap` is told, and what it does."""

    parts: tuple[Part, ...]
    shift: int
    merges: dict[int, int]
    num_classes: int
    ignored: tuple[int, ...]

    @property
    def arguments(self) -> Arguments:
        shift = ("--shift", str(self.shift)) if self.shift else ()
        return (*shift, *table_arguments(self.merges, self.shift), *spec_arguments(self.num_classes, self.ignored))

    def of(self, ids: Ids) -> Ids | None:
        """What becomes of some ids; None where the command refuses one."""
        moved = tuple(self.merges.get(label, label if label in self.ignored else label + self.shift) for label in ids)
        return moved if all(0 <= label < self.num_classes or label in self.ignored for label in moved) else None


def mending(data: DatasetFacts, spec: LabelSpec) -> Fix:
    """The commands that make of a set what it was meant to be; where none is certain to, what to look at instead.

    Each reads a folder, moves the ids of one part of its files and copies the others, so that what is written can take the place of what
    was read. They are printed only where the whole account of what happened is certain, and where all of them, carried out on the ids of
    each file, leave exactly what that account says was there.
    """
    verdict = verdict_on(data, spec)
    if data.smoothed:
        return Fix.advice(_SMOOTHED)
    if verdict is None:
        return Fix()
    if not verdict.mendable:
        return Fix.advice(_why_not(verdict, data, spec))
    told = [(part, restored_ids(part, explanation, spec)) for part, explanation in verdict.told]
    moves = [*_moves(told, verdict, spec)]
    found = _of_paths(_at_once(moves), told, data) or _of_paths(moves, told, data)
    commands = [command for several in found for command in several]
    if not 0 < len(commands) <= _MOST_COMMANDS:
        return _by_hand(moves, data)
    if len(commands) == 1:
        return Fix.command(*_ready_made(verdict, moves[0], data) or commands[0])
    if all(len(several) == 1 for several in found):
        return Fix.advice("One command for each path: ", *_listed(commands), ".")
    whole = "The last one writes the whole set." if len(found) == 1 else "The last one for each path writes all of it."
    return Fix.advice("One after the other, since not all files have the same fault: ", *_listed(commands), f". {whole}")


def _why_not(verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> str:
    """Why there is no command, and what to do instead."""
    if verdict.certainty != "certain":
        question = settling(verdict, data, spec)
        return f"Settle this before anything is moved{f': {question}' if question else ', beside the images.'}"
    mixed = sorted({label for _, explanation in verdict.told for label in explanation.mixed})
    if mixed:
        return f"No table can part again what {id_ranges(mixed)} stand{'s' * (len(mixed) == 1)} for: {_EXPORT}."
    if any(explanation.lost or explanation.own_bits is not None for _, explanation in verdict.told):
        return f"No table brings back what these ids no longer say: {_EXPORT}."
    if not all(explanation.repairable for _, explanation in verdict.told):
        return (f"Which id is which class is not in the masks: {_EXPORT}, or write the table by hand and give it to labelguard remap "
                "with --map.")
    doubtful = _doubtful(verdict, data, spec)
    if doubtful:
        have, look = ("has", "it beside its image") if len(doubtful) == 1 else ("have", "them beside their images")
        return (f"By ids alone it is open whether {listed(doubtful, 4)} {have} this fault too, so no command is printed: look at {look}, "
                "or scan each folder by itself.")
    return f"No command is sure to mend this: {_EXPORT}, or look at some masks beside their images before any id is moved."


def _doubtful(verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> list[str]:
    """The files that could belong to either of two parts of the set."""
    seen, rows = verdict.told[0].part.seen, open_rows(verdict.accounts[0], spec)
    return [record.path for record in data.select() if rows[seen.row_of(record)]]


def _ready_made(verdict: Verdict, move: _Move, data: DatasetFacts) -> Arguments:
    """The ready-made pipeline that does the same to all files; empty where there is none."""
    name = verdict.told[0].explanation.pipeline
    whole = len(verdict.told) == 1 and len(data.sources) <= 1 and not data.selected
    return ("labelguard", "run", name, path_argument(data.root)) if name and whole and {*move.ignored} <= {TOPS[0]} else ()


def _listed(commands: Sequence[Arguments]) -> Iterator[str | Arguments]:
    for number, command in enumerate(commands):
        yield ", then " if number else ""
        yield command


def _by_hand(moves: Sequence[_Move], data: DatasetFacts) -> Fix:
    """What to do where no options say which files are meant."""
    if len(moves) != 1 or len(data.sources) > 1:
        return Fix.advice("Scan the folder of these files by itself: where the fault is the same in all its files, the command is printed.")
    command = shell_command(("labelguard", "remap", path_argument(data.root), "--files-from", "LIST", *moves[0].arguments))
    return Fix.advice("No pattern tells these files from the others. Write their names into a file LIST, one on each line (the JSON report "
                      f"has them under 'files'), and run {command}")


def _moves(told: Sequence[_Told], verdict: Verdict, spec: LabelSpec) -> Iterator[_Move]:
    """What has to be moved, part by part."""
    explanations = [explanation for _, explanation in verdict.told]
    number = spec.num_classes or max(explanation.num_classes for explanation in explanations)
    voids = {there for (_, table), explanation in zip(told, explanations, strict=True) for label, there in table.items()
             if explanation.table[label] == VOID}
    ignored = tuple(sorted({*(label for label in spec.ignore_index if label >= 0), *voids}))
    for (part, table), explanation in zip(told, explanations, strict=True):
        shift = {"shift": 1, "up": -1}.get(explanation.cause, 0) * explanation.amount
        merges = {label: there for label, there in table.items()
                  if there != (label if label in ignored else label + shift) or (there in ignored and label not in ignored)}
        if any(label != there for label, there in table.items()):
            yield _Move((part,), shift, merges, number, ignored)


def _at_once(moves: Sequence[_Move]) -> list[_Move]:
    """The same as one move, where no id goes to two places."""
    merges = {label: there for move in moves for label, there in move.merges.items()}
    alike = len({move.shift for move in moves}) == 1 and all(move.merges.items() <= merges.items() for move in moves)
    return [replace(moves[0], parts=tuple(part for move in moves for part in move.parts), merges=merges)] if alike else []


def _of_paths(moves: Sequence[_Move], told: Sequence[_Told], data: DatasetFacts) -> list[list[Arguments]]:
    """For each path the commands for the files below it; none where there are none that do just what was told."""
    paths = {_prefix(path): path for path in data.sources} if len(data.sources) > 1 else {"": data.root}
    outer = [path for prefix, path in paths.items() if not any(prefix.startswith(other) for other in paths if other != prefix)]
    found = [_of_path(path, moves, told, data) for path in outer] if moves else []
    return [] if None in found else [commands for commands in found if commands]


def _prefix(path: str) -> str:
    """What the names of the files below one of several paths begin with."""
    return path.replace(os.sep, "/").rstrip("/") + "/"


def _of_path(path: str, moves: Sequence[_Move], told: Sequence[_Told], data: DatasetFacts) -> list[Arguments] | None:
    """The commands for the files below one of the paths; None where there are none that do just what was told."""
    prefix = "" if len(data.sources) <= 1 else _prefix(path)
    records = {record.path.removeprefix(prefix): record for record in data.select() if record.path.startswith(prefix)}
    left_out = [name.removeprefix(prefix) for name in data.left_out if name.startswith(prefix)]
    now = {name: record.ids for name, record in records.items()}
    commands: list[Arguments] = []
    for move in moves:
        after = {ids: move.of(ids) for ids in {*now.values()}}
        changed = {name for name, ids in now.items() if after[ids] != ids}
        inside = {name for name in changed if any(_holds(part, records[name]) for part in move.parts)}
        if inside:
            chosen = file_choice({name: now[name] for name in inside}, {name: now[name] for name in changed - inside}, left_out,
                            selection_of(data.selected))
            if chosen is None:
                return None
            again = ("--again",) if commands or data.remapped else ()  # to a folder in which ids were moved before
            commands.append(("labelguard", "remap", path_argument(path), *chosen.arguments, *move.arguments, *again))
            path = default_out(path, "remapped") if len(commands) == 1 else f"{path}-remapped"  # which is a folder, once it is written
            now = {name: after[ids] or () if chosen.takes(name, ids) else ids for name, ids in now.items()}
    return commands if all(ids == _meant(records[name], told) for name, ids in now.items()) else None


def _holds(part: Part, record: FileRecord) -> bool:
    return bool(part.chosen[part.seen.row_of(record)])


def _meant(record: FileRecord, told: Sequence[_Told]) -> Ids:
    """What the ids of a file were, one by one."""
    table = next(table for part, table in told if _holds(part, record))
    return tuple(table[label] for label in record.ids)
