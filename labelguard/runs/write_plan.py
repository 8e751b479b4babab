"""Before masks are written: where to, under which names, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.digest import digest_in_receipt
from labelguard.files.find import RECEIPT_NAME, FileListing, find_masks
from labelguard.files.folder_lock import LOCK_NAME, refuse_if_locked
from labelguard.files.formats import format_name
from labelguard.files.journal import JOURNAL_NAME
from labelguard.files.memory import DEFAULT_BYTES
from labelguard.files.output_folder import OutputFolder, identity_of, is_temporary
from labelguard.files.read import read_head
from labelguard.files.receipt import Provenance
from labelguard.files.selection import Selection
from labelguard.files.write import target_name
from labelguard.runs.pool import Backend, checked_jobs, checked_memory
from labelguard.runs.source_folders import refuse_common_folder, refuse_second_remap
from labelguard.spec.argument_checks import StrPath, checked_path
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, Stage
from labelguard.text import reason


class WriteKeywords(TypedDict, total=False):
    """The fields of `WriteOptions`, one by one."""

    resume: bool
    again: bool
    jobs: int | None
    backend: Backend
    max_memory: int


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How masks are written, whatever is done to them.

    Parameters
    ----------
    resume
        Go on with a run that was broken off.
    again
        Move ids although a receipt says that the source was remapped before.
    jobs, backend, max_memory
        See `labelguard.runs.pool.stream`.

    Raises
    ------
    UsageError
        When `jobs` or `max_memory` is not a positive number, or there is no such backend.
    """

    resume: bool = False
    again: bool = False
    jobs: int | None = None
    backend: Backend = "threading"
    max_memory: int = DEFAULT_BYTES

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", checked_jobs(self.jobs, self.backend))  # the class is frozen
        object.__setattr__(self, "max_memory", checked_memory(self.max_memory))


@dataclass(frozen=True)
class WritePlan:
    """What is to be done to which files; made by `plan_write`.

    Parameters
    ----------
    source, out
        The file or folder that is read, and the folder that is written to.
    stage
        What every mask goes through.
    spec
        What the ids of the result mean.
    provenance
        What the receipt will say of it.
    listing
        The files that are read.
    targets
        The name of the file to write for each name that is read.
    options
        How they are written.
    copied
        The names of those that are copied byte for byte, since only the others are to be changed.
    """

    source: str
    out: str
    stage: Stage
    spec: LabelSpec
    provenance: Provenance
    listing: FileListing
    targets: Mapping[str, str]
    options: WriteOptions = field(default_factory=WriteOptions)
    copied: frozenset[str] = frozenset()


def plan_write(command: str, source: StrPath, out: StrPath, stage: Stage, spec: LabelSpec,
               options: WriteOptions, selection: Selection | None = None) -> WritePlan:
    """Look at what is there, and refuse what cannot be done. Nothing is written yet.

    Parameters
    ----------
    command
        What the receipt calls it: ``remap``, ``resize`` or ``run``.
    source, out, stage, spec, options
        See `WritePlan`. `out` must be empty or not exist, unless a run is resumed.
    selection
        Which masks go through the stage; the others are copied.

    Raises
    ------
    IncompleteError
        When there is no mask below the source, or `out` cannot be used.
    UsageError
        When `out` lies in the source, two sources would write one file, or ids would be moved a second time.
    """
    source, out = os.fspath(source), os.fspath(out)
    listing = find_masks([source])
    check_folders(source, out, options, moves_ids=stage.moves_ids, of_colors=stage.reads_colors)
    refuse_common_folder(out, listing)
    copied = frozenset(name for _, name in selection.of(listing).left_out) if selection else frozenset()
    if stage.moves_ids and not options.again:
        refuse_second_remap(source, (path for path, name in listing.files if name not in copied), of_colors=stage.reads_colors)
    provenance = Provenance(command, repr(stage), _moves_again(stage), spec.num_classes, spec.ignore_index,
                            part=_part(selection, listing, copied) if copied else "")
    return WritePlan(source, out, stage, spec, provenance, listing, _targets(listing, copied, stage.container), options, copied)


def _moves_again(stage: Stage) -> bool:
    """Whether doing it a second time would move the ids again; colors are made ids once, and are none afterwards."""
    if isinstance(stage, Pipeline):
        return any(map(_moves_again, stage.stages))
    return stage.moves_ids and not stage.reads_colors


def _part(selection: Selection | None, listing: FileListing, copied: Collection[str]) -> str:
    """Which masks are changed, in words, with a digest of their names: a run that goes on must mean the same."""
    names = [name for _, name in listing.files if name not in copied]
    digest = digest_in_receipt("\n".join(names).encode("utf-8", "surrogateescape"))
    return f"{selection}: {len(names)} of {len(listing.files)} files, names {digest}"


def check_folders(source: str, out: str, options: WriteOptions, *, moves_ids: bool, of_colors: bool = False) -> None:
    """Refuse a source that was remapped before, where ids are to be moved, and an output folder that is the source, lies in it, or holds
    something already; see `plan_write`."""
    if moves_ids and not options.again:
        refuse_second_remap(source, of_colors=of_colors)
    here, there = Path(os.path.realpath(source)), Path(os.path.realpath(out))
    if there == here or here in there.parents:
        raise UsageError(f"The output '{out}' lies in the source '{source}'; choose a folder elsewhere (--out DIR).")
    if os.path.lexists(there) and not there.is_dir():
        raise IncompleteError(f"The output '{out}' is a file; choose a folder (--out DIR).")
    if there in here.parents:
        raise UsageError(f"The source '{source}' lies in the output '{out}'; choose a folder elsewhere (--out DIR).")
    with suppress(OSError):
        refuse_if_locked(OutputFolder(out, identity_of(os.stat(out))))
    check_contents(out, options)


def check_contents(out: str, options: WriteOptions) -> None:
    """Refuse an output folder that holds something and is not to be, or cannot be, resumed."""
    try:
        found = set(os.listdir(out))
    except FileNotFoundError:
        return
    except OSError as problem:
        raise IncompleteError(f"The output folder '{out}' cannot be used: {reason(problem)}.") from None
    names = {name for name in found if not is_temporary(name)} - {LOCK_NAME}
    if names and not options.resume:
        raise UsageError(f"The output folder '{out}' already holds something. Choose another (--out DIR), or go on with a run that was "
                         "broken off, with --resume (in Python: resume=True).")
    if names and not names & {RECEIPT_NAME, JOURNAL_NAME}:
        raise UsageError(f"There is nothing to resume in '{out}': what it holds is not from labelguard. Choose another folder with "
                         "--out DIR.")


def check_paths(source: StrPath, out: StrPath | None, advice: str = "") -> None:
    """Refuse a source or an output that is not a path; `advice` says how to give what is often given as `out`."""
    checked_path("source", source)
    if out is not None:
        checked_path("out", out, advice)


def _targets(listing: FileListing, copied: Collection[str], container: str) -> dict[str, str]:
    """The file to write for each source, in a format that its stage may ask for; a copy keeps its name. Refused where two would write
    one."""
    targets: dict[str, str] = {}
    sources: dict[str, str] = {}
    for path, name in listing.files:
        target = targets[name] = name if name in copied else target_name(name, container or format_name(read_head(path)))
        other = sources.setdefault(target, name)
        if other != name:
            raise UsageError(f"'{other}' and '{name}' would both be written to '{target}'; rename one of them.")
    for folder in {os.path.dirname(target) for target in sources}:
        while folder:
            if folder in sources:
                raise UsageError(f"'{sources[folder]}' would be written to '{folder}', which is a folder that other masks lie in; rename "
                                 "one of them.")
            folder = os.path.dirname(folder)
    return targets
