"""run: put a folder of masks through a pipeline, or through a file that holds one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from labelguard.errors import UsageError
from labelguard.files.default_folder import default_out
from labelguard.report.progress import Progress
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.rewrite import Rewrite
from labelguard.runs.write_plan import WriteKeywords, WriteOptions, check_paths, plan_write
from labelguard.spec.argument_checks import StrPath, refuse_unknown
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage
from labelguard.stages.pipeline_file import find_pipeline, read_pipeline

if TYPE_CHECKING:
    from labelguard.lossprobe import Probing
    from labelguard.lossprobe.stage import Probe


class PipelineRun:
    """A pipeline under way over a folder, and then the probe that its file asks for: iterate over it, then take the `result`.

    Parameters
    ----------
    pipeline, source, out
        See `run`.
    writing
        How masks are written.
    """

    def __init__(self, pipeline: Stage | StrPath, source: StrPath, out: StrPath | None,
                 writing: WriteOptions) -> None:
        self.pipeline = pipeline
        self.source = source
        self.out = out
        self.writing = writing
        self._rewrite: Rewrite | None = None
        self._probing: Probing | None = None

    @property
    def begun(self) -> bool:
        """Whether there is a result to be taken."""
        return self._rewrite is not None and self._rewrite.begun

    def __iter__(self) -> Iterator[Progress]:
        stage, probe, name, origin = _read(self.pipeline)
        out = default_out(self.source, name) if self.out is None else self.out
        self._rewrite = Rewrite(plan_write("run", self.source, out, stage, LabelSpec(), self.writing))
        yield from self._rewrite
        if probe is not None and self._rewrite.result().written:
            self._probing = probe.over(os.fspath(out), origin=origin)
            yield from self._probing

    def result(self) -> RewriteReport:
        """What was done up to now; nothing before the run has `begun`."""
        assert self._rewrite is not None, "iterate over it first"
        return replace(self._rewrite.result(), probe=None if self._probing is None else self._probing.result())


def run(pipeline: Stage | StrPath, source: StrPath, out: StrPath | None = None,
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
        `resume` a run that was broken off; do it `again` although the source was remapped before; `jobs`, `backend` and `max_memory` of the
        workers. See `labelguard.runs.write_plan.WriteOptions`.

    Returns
    -------
    RewriteReport
        Where each id went, which files were written, and what was refused and why. Where the file has a table ``[probe]``, `probe` is
        the report on what the target loss made of the written masks.

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
    refuse_unknown(run, writing, WriteKeywords.__annotations__)
    check_paths(source, out)
    under_way = PipelineRun(pipeline, source, out, WriteOptions(**writing))
    for _ in under_way:
        pass
    return under_way.result()


def _read(pipeline: Stage | StrPath) -> tuple[Stage, Probe | None, str, str]:
    """The stages; the probe that comes after them; what both are called, for a folder and for a report."""
    if isinstance(pipeline, Stage):
        return pipeline, None, type(pipeline).__name__.lower(), ""
    if not isinstance(pipeline, (str, os.PathLike)):
        raise UsageError(f"pipeline is {pipeline!r}; it must be a stage, such as labelguard.Pipeline([...]), or the path or the name of a "
                         "pipeline file.", argument="pipeline")
    from labelguard.lossprobe.stage import read_probe
    path = find_pipeline(Path(pipeline))
    return read_pipeline(path), read_probe(path), path.stem, f"{path.name}, [probe]"
