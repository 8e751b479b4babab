"""Colors to ids: what was asked for as a stage, and a look at the colors of a folder before anything is written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from labelguard.checks.registry import findings_of_refused, findings_of_unreadable
from labelguard.errors import UnreadableMaskError
from labelguard.files.colors import decode_colors
from labelguard.files.find import FileListing
from labelguard.files.read import read_bytes
from labelguard.finding import Finding
from labelguard.report.progress import Progress
from labelguard.runs.pool import stream
from labelguard.runs.rewrite_mask import why_no_labels
from labelguard.runs.write_plan import WriteOptions
from labelguard.spec.argument_checks import StrPath
from labelguard.spec.color_table import RGB_IDS, find_colors
from labelguard.spec.declarations import presets
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.colors_to_ids import ColorIds, ColorsToIds
from labelguard.text import count, id_ranges, listed

_MOST_UNKNOWN = 256  # colors without an id, in a file that is counted: more are those of a photograph


def color_stage(colors: ColorIds | StrPath, spec: LabelSpec) -> tuple[ColorsToIds, tuple[str, ...]]:
    """The stage that gives each color its id, and what has to be said of it, in sentences.

    Parameters
    ----------
    colors
        A table, the name of a preset, ``"rgb-ids"``, or a file that declares colors.
    spec
        What is declared about the result; it wins.

    Raises
    ------
    UsageError
        When that is no table, or a file cannot be read as one.
    """
    about: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    if isinstance(colors, str | os.PathLike) and os.fspath(colors) != RGB_IDS:
        name = os.fspath(colors)
        found = find_colors(name)
        about, names = found.remarks, found.spec.names
        if name in presets():
            colors, origin = name, f"the preset {name}"
        else:
            colors, spec = found.resolved(spec, name)
            origin = name
    elif isinstance(colors, os.PathLike | str):
        return ColorsToIds(RGB_IDS, spec.num_classes, spec.ignore_index, spec.names), (
            "each id is red + 256 green + 65536 blue, and is written as a TIFF of 32 bits; no table says which class it is.",)
    else:
        origin = "the table"
    stage = ColorsToIds(colors, spec.num_classes, spec.ignore_index, spec.names)
    renamed = [f"'{ours}' for '{theirs}'" for ours, theirs in zip(stage.names, names, strict=False) if ours.casefold() != theirs.casefold()]
    if renamed:
        about += (f"names that are declared stand for those of {origin}: {listed(renamed)}.",)
    targets = [stage.target(color) for color in stage.known]
    void = sum(label in stage.ignore_index for label in targets)
    ignored = f", and {count(void, 'color')} for what is ignored ({id_ranges(stage.ignore_index)})" if void else ""
    classes = count(stage.spec.last + 1, "class", "classes")
    return stage, (f"{origin} has {count(len(targets) - void, 'color')} for {classes}{ignored}.", *about)


@dataclass(frozen=True)
class _Colors:
    """What one file holds: pixels of each color, and what is wrong with it."""

    path: str
    pixels: dict[int, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class _Look:
    """The work on one file. Picklable, so that it can go to other processes."""

    stage: ColorsToIds

    def __call__(self, path: str, name: str) -> _Colors:
        try:
            mask, facts = decode_colors(read_bytes(path), name)
        except UnreadableMaskError as problem:
            return self.failed(name, str(problem))
        if mask is None:
            return _Colors(name, findings=why_no_labels(facts, name))
        unknown = sum(self.stage.target(label) is None for label in facts.present)
        return _Colors(name, facts.counts if unknown <= _MOST_UNKNOWN else {}, self.stage.findings(mask))

    def failed(self, name: str, problem: str) -> _Colors:
        """The result for a file that cannot be read."""
        return _Colors(name, problem=problem)


class ColorCount:
    """A look at the colors of some files: iterate over it, then take `pixels` and `findings`."""

    def __init__(self, stage: ColorsToIds, listing: FileListing, writing: WriteOptions) -> None:
        self.stage, self.listing, self.writing = stage, listing, writing
        self.pixels: Counter[int] = Counter()
        self.findings: list[Finding] = findings_of_refused(listing.refused)

    def __iter__(self) -> Iterator[Progress]:
        unreadable = 0
        work = stream(_Look(self.stage), self.listing.files, self.writing.jobs, self.writing.backend, self.writing.max_memory)
        for done, result in enumerate(work, 1):
            self.pixels.update(result.pixels)
            self.findings += [*result.findings, *(findings_of_unreadable(result.path, result.problem) if result.problem else ())]
            unreadable += bool(result.problem)
            yield Progress("scanning", done, len(self.listing.files), result.path, unreadable)
