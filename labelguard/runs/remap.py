"""remap: move the ids of a folder of masks by one whole table, whose class count is inferred where nobody declares it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Unpack

from labelguard.checks.registry import findings_of_remap
from labelguard.errors import UsageError
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import infer
from labelguard.files.default_folder import default_out
from labelguard.files.find import find_masks
from labelguard.files.selection import Selection
from labelguard.report.progress import Progress
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.color_stage import ColorCount, color_stage
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import plan_scan
from labelguard.runs.rewrite import Rewrite, in_order
from labelguard.runs.scan import Scan
from labelguard.runs.write_plan import WriteKeywords, WriteOptions, check_folders, check_paths, plan_write
from labelguard.spec.argument_checks import StrPath, refuse_unknown, whole_number
from labelguard.spec.declarations import merge_specs
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Remap
from labelguard.stages.colors_to_ids import ColorIds
from labelguard.stages.map_file import read_map
from labelguard.stages.merge_syntax import Moves, pairs_of, parse_source, stated_id
from labelguard.text import listed


@dataclass(frozen=True, kw_only=True)
class RemapOptions:
    """Where ids go; see `remap`."""

    shift: int = 0
    merge: Moves = ()
    table: Moves | StrPath | None = None
    colors: ColorIds | StrPath | None = None
    spec: LabelSpec = field(default_factory=LabelSpec)
    dry_run: bool = False
    selection: Selection = field(default_factory=Selection)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shift", whole_number("shift", self.shift))  # the class is frozen

    def stage(self, spec: LabelSpec) -> Remap:
        """The stage that moves ids so, for a result whose ids mean what `spec` says."""
        table = read_map(self.table) if isinstance(self.table, str | os.PathLike) else self.table
        return Remap(self.shift, self.merge, table, spec.num_classes, spec.ignore_index, spec.names)


class Remapping:
    """A remap under way: iterate over it, then take the `result`.

    All masks are looked at before anything is written where the class count has to be inferred, where those are meant that hold some ids,
    or in a dry run.

    Parameters
    ----------
    source, out
        What is read, and the folder to write to; None for one beside the source.
    options, writing
        Where ids go, and how masks are written.
    """

    def __init__(self, source: StrPath, out: StrPath | None, options: RemapOptions,
                 writing: WriteOptions) -> None:
        self.source = os.fspath(source)
        self.out = out
        self.options = options
        self.writing = writing
        self._rewrite: Rewrite | None = None
        self._dry_run: RewriteReport | None = None
        self._inferred: tuple[str, ...] = ()
        self._about: tuple[str, ...] = ()

    @property
    def begun(self) -> bool:
        """Whether there is a result to be taken."""
        return self._dry_run is not None or (self._rewrite is not None and self._rewrite.begun)

    def __iter__(self) -> Iterator[Progress]:
        options, spec = self.options, self.options.spec
        if options.colors is not None:
            yield from self._from_colors(options.colors)
            return
        if not (options.shift or options.merge or options.table):
            raise UsageError("Say what is to be moved: shift (--shift), merge (--merge), a table (--map), or colors to ids (--colors).")
        if options.table is not None and (options.shift or options.merge):
            raise UsageError("A table (--map) says where every id goes: leave out shift and merge (--shift, --merge).")
        if isinstance(options.table, str | os.PathLike):
            read_map(options.table)  # a file that is not there is told before what else is missing
        if options.table is not None and not spec.declared:
            raise UsageError("With a table (--map), say how many classes the result has: num_classes (--num-classes N).")
        out = os.fspath(self.out) if self.out is not None else default_out(self.source, "remapped")
        if not options.dry_run:  # what will be refused anyway is refused before time is spent on looking at masks
            check_folders(self.source, out, self.writing, moves_ids=True)
        which, writing = options.selection, self.writing
        if options.dry_run or which.holding or not spec.declared:
            scan = Scan(plan_scan((self.source,), ScanOptions(
                select="unreadable", include=which.include, exclude=which.exclude, files_from=which.files_from, jobs=writing.jobs,
                backend=writing.backend, max_memory=writing.max_memory)))
            yield from scan
            data = scan.data
            if which.holding:
                which, data = replace(which, names=frozenset(data.files(which.holding))), data.only(which.holding)
                which.of(scan.plan.listing)  # refused where no mask holds any of them
            if not spec.declared:
                spec, self._inferred = _infer(data, options)
            if options.dry_run:
                stage, before = options.stage(spec), dict(data.ids)
                self._dry_run = RewriteReport(
                    findings=tuple(findings_of_remap(before, stage.target, stage.ignore_index)), command="remap", source=self.source,
                    out=out, stage=stage, spec=spec, files=scan.plan.total,
                    done=scan.plan.total, before=before, inferred=self._inferred, dry_run=True)
                return
        self._rewrite = Rewrite(plan_write("remap", self.source, out, options.stage(spec), spec, writing, which))
        yield from self._rewrite

    def result(self) -> RewriteReport:
        """What was done up to now; nothing before the remap has `begun`."""
        if self._dry_run is not None:
            return self._dry_run
        assert self._rewrite is not None, "iterate over it first"
        return replace(self._rewrite.result(), inferred=self._inferred, about=self._about)

    def _from_colors(self, colors: ColorIds | StrPath) -> Iterator[Progress]:
        """Masks that hold colors, to ids."""
        options, which = self.options, self.options.selection
        if options.shift or options.merge or options.table or which.holding:
            raise UsageError("Colors (--colors) become ids in a step of their own: leave out shift, merge, a table and holding (--shift, "
                             "--merge, --map, --holding), and move the ids afterwards.")
        stage, self._about = color_stage(colors, options.spec)
        out = os.fspath(self.out) if self.out is not None else default_out(self.source, "remapped")
        if not options.dry_run:
            self._rewrite = Rewrite(plan_write("remap", self.source, out, stage, stage.spec, self.writing, which))
            yield from self._rewrite
            return
        listing = find_masks([self.source])
        look = ColorCount(stage, which.of(listing) if which else listing, self.writing)
        yield from look
        files = len(look.listing.files)
        findings = in_order([*look.findings, *findings_of_remap(look.pixels, stage.target, stage.ignore_index)])
        self._dry_run = RewriteReport(findings=findings, command="remap", source=self.source, out=out, stage=stage, spec=stage.spec,
                                      files=files, done=files, before=look.pixels, about=self._about, dry_run=True)


def remap(source: StrPath, out: StrPath | None = None, *, shift: int = 0, merge: Moves = (),
          table: Moves | StrPath | None = None, colors: ColorIds | StrPath | None = None, num_classes: int | None = None,
          ignore_index: int | Iterable[int] = (), names: Iterable[str] = (), include: str | Iterable[str] = (),
          exclude: str | Iterable[str] = (), files_from: StrPath | None = None, holding: int | Iterable[int] = (), dry_run: bool = False,
          **writing: Unpack[WriteKeywords]) -> RewriteReport:
    """Move the ids of a folder of masks by one whole table, and write the masks anew.

    Parameters
    ----------
    source
        A file or folder.
    out
        The folder to write to, which must be empty or not exist; by default beside the source, as in ``masks-remapped``.
    shift
        Added to every id that is neither merged nor ignored.
    merge
        Ids before the shift to ids after it, as in ``{0: "last", "30-33": "ignore"}``; see `labelguard.Remap`.
    table
        Instead of shift and merges: every id and where it goes, or the CSV, JSON or TOML file that says so.
    colors
        The masks hold colors, which become ids: the id of each color, or the file that says so, such as CVAT's ``labelmap.txt``, or a
        preset, or ``"rgb-ids"``; see `labelguard.ColorsToIds`.
    num_classes, ignore_index, names
        What the ids of the result mean. Where the class count is not given, all masks are looked at first, it is inferred, and the
        report says so.
    include, exclude, files_from, holding
        Which masks are changed: by patterns, by a list, or by ids of which they hold any; see `labelguard.files.selection.Selection`. The
        others are copied byte for byte, so that `out` can take the place of `source`.
    dry_run
        Look at the masks and say where each id would go; write nothing.
    writing
        `resume` a run that was broken off; do it `again` although the source was remapped before; `jobs`, `backend` and `max_memory` of the
        workers. See `labelguard.runs.write_plan.WriteOptions`.

    Returns
    -------
    RewriteReport
        Where each id went, which files were written, and what was refused and why.

    Raises
    ------
    IncompleteError
        When there is no mask, or `out` cannot be written to.
    UsageError
        When an argument makes no sense, the class count cannot be inferred, or the source was remapped before.

    Examples
    --------
    >>> report = labelguard.remap("masks", shift=-1, merge={0: "last"}, num_classes=12)  # doctest: +SKIP
    >>> report.moves  # doctest: +SKIP
    {0: 11, 1: 0, 2: 1}
    """
    refuse_unknown(remap, writing, WriteKeywords.__annotations__)
    check_paths(source, out)
    options = RemapOptions(shift=shift, merge=merge, table=table, colors=colors, spec=LabelSpec(num_classes, ignore_index, names),
                           dry_run=dry_run, selection=Selection(include, exclude, files_from, holding))
    remapping = Remapping(source, out, options, WriteOptions(**writing))
    for _ in remapping:
        pass
    return remapping.result()


def _infer(data: DatasetFacts, options: RemapOptions) -> tuple[LabelSpec, tuple[str, ...]]:
    """What the ids of the result mean, from the ids that are there and are neither merged nor ignored; and the same in sentences."""
    spec, shift, pairs = options.spec, options.shift, pairs_of(options.merge)
    inference = infer(data)
    merged = {label for source, _ in pairs for label in parse_source(source, shift, spec)}
    ignored = spec.ignore_index or tuple(label for label in inference.spec.ignore_index if label not in merged)
    moved = [label + shift for label in data.ids if label not in merged and label not in ignored]
    if not inference.spec.declared or not moved or min(moved) < 0:
        low = f" {min(moved) - shift} {'+' if shift >= 0 else '-'} {abs(shift)} is below 0." if moved and min(moved) < 0 else ""
        raise UsageError(f"The class count of the result cannot be inferred.{low} Declare it with num_classes (--num-classes N).")
    targets = (stated_id(target) for _, target in pairs)
    count = max(0, *moved, *(target for target in targets if target is not None and target not in ignored)) + 1
    lines = [*inference.lines, f"So the result has {count} classes; the last is {count - 1}."]
    if ignored and not spec.ignore_index:
        passes = "is taken for void and passes" if len(ignored) == 1 else "are taken for void and pass"
        lines.append(f"{listed(ignored)} {passes} untouched.")
    return merge_specs(spec, num_classes=count, ignore_index=ignored), tuple(lines)
