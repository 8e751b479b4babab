"""resize: resize a folder of masks by exact area vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Unpack

from labelguard.files.default_folder import default_out
from labelguard.files.selection import Selection
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.rewrite import Rewrite
from labelguard.runs.write_plan import WriteKeywords, WriteOptions, WritePlan, check_paths, plan_write
from labelguard.spec.argument_checks import StrPath, refuse_unknown
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Resize
from labelguard.stages.resize import Ties


def plan_resize(source: StrPath, out: StrPath | None, stage: Resize, spec: LabelSpec, writing: WriteOptions,
                selection: Selection) -> WritePlan:
    """Look at what is there, and refuse what cannot be done; see `labelguard.runs.write_plan.plan_write`."""
    return plan_write("resize", source, default_out(source, "resized") if out is None else out, stage, spec, writing, selection)


def resize(source: StrPath, out: StrPath | None = None, *, height: int | None = None,
           width: int | None = None, scale: float | None = None, ties: Ties = "lowest",
           keep: Mapping[int, float] | Sequence[tuple[int, float]] = (), num_classes: int | None = None,
           ignore_index: int | Iterable[int] = (), names: Iterable[str] = (), include: str | Iterable[str] = (),
           exclude: str | Iterable[str] = (), files_from: StrPath | None = None, **writing: Unpack[WriteKeywords]) -> RewriteReport:
    """Resize a folder of masks by exact area vote, and write the masks anew.

    Parameters
    ----------
    source
        A file or folder.
    out
        The folder to write to, which must be empty or not exist; by default beside the source, as in ``masks-resized``.
    height, width
        Size of the result in pixels; or instead:
    scale
        The factor by which both sides are multiplied.
    ties, keep
        See `labelguard.Resize`.
    num_classes, ignore_index, names
        What the ids mean. Where the class count is given, a mask with other ids is refused: shrinking would hide them.
    include, exclude, files_from
        Which masks are resized, by patterns or by a list; see `labelguard.files.selection.Selection`. The others are copied byte for byte.
    writing
        `resume` a run that was broken off; `jobs`, `backend` and `max_memory` of the workers. See
        `labelguard.runs.write_plan.WriteOptions`.

    Returns
    -------
    RewriteReport
        The share of each id before and after, which files were written, and which classes vanished.

    Raises
    ------
    IncompleteError
        When there is no mask, or `out` cannot be written to.
    UsageError
        When an argument makes no sense.

    Examples
    --------
    >>> report = labelguard.resize("masks", height=256, width=512, num_classes=19, ignore_index=255)  # doctest: +SKIP
    """
    refuse_unknown(resize, writing, WriteKeywords.__annotations__)
    check_paths(source, out, "A size is given by name: height=256, width=512.")
    spec = LabelSpec(num_classes, ignore_index, names)
    stage = Resize(height, width, ties, keep, scale, spec.num_classes, spec.ignore_index)
    rewrite = Rewrite(plan_resize(source, out, stage, spec, WriteOptions(**writing), Selection(include, exclude, files_from)))
    for _ in rewrite:
        pass
    return rewrite.result()
