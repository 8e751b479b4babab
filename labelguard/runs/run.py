"""run: put a folder of masks through a pipeline, or through a file that holds one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Unpack

from labelguard.report.rewrite import RewriteReport
from labelguard.runs.rewrite import Rewrite
from labelguard.runs.write_plan import WriteKeywords, WriteOptions, WritePlan, default_out, plan_write
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage
from labelguard.stages.pipeline_file import find_pipeline, read_pipeline


def plan_run(pipeline: Stage | str | os.PathLike[str], source: str | os.PathLike[str], out: str | os.PathLike[str] | None,
             writing: WriteOptions) -> WritePlan:
    """Read the pipeline, look at what is there, and refuse what cannot be done; see `labelguard.runs.write_plan.plan_write`."""
    if isinstance(pipeline, Stage):
        stage, name = pipeline, type(pipeline).__name__.lower()
    else:
        path = find_pipeline(Path(pipeline))
        stage, name = read_pipeline(path), path.stem
    return plan_write("run", source, default_out(source, name) if out is None else out, stage, LabelSpec(), writing)


def run(pipeline: Stage | str | os.PathLike[str], source: str | os.PathLike[str], out: str | os.PathLike[str] | None = None,
        **writing: Unpack[WriteKeywords]) -> RewriteReport:
    """Put a folder of masks through a pipeline, and write the masks anew.

    Parameters
    ----------
    pipeline
        A stage such as `labelguard.Pipeline`; or the path of a pipeline file, or the name of a ready-made one.
    source
        A file or folder.
    out
        The folder to write to, which must be empty or not exist; by default beside the source, named after the pipeline.
    writing
        `resume` a run that was broken off; do it `again` although the source was remapped before; `jobs` and `backend` of the workers.
        See `labelguard.runs.write_plan.WriteOptions`.

    Returns
    -------
    RewriteReport
        Where each id went, which files were written, and what was refused and why.

    Raises
    ------
    IncompleteError
        When there is no mask, or `out` cannot be written to.
    UsageError
        When the file makes no sense, or ids would be moved a second time.

    Examples
    --------
    >>> report = labelguard.run("cityscapes-train-ids", "labelIds")  # doctest: +SKIP
    """
    rewrite = Rewrite(plan_run(pipeline, source, out, WriteOptions(**writing)))
    for _ in rewrite:
        pass
    return rewrite.result()
