"""What the commands that write masks have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from labelguard.spec.labelspec import LabelSpec

if TYPE_CHECKING:
    from labelguard.runs.scan import Scan
    from labelguard.stages import Stage

Function = TypeVar("Function", bound=Callable[..., Any])


def writing_options(function: Function) -> Function:
    """Add the options of a command that writes masks."""
    for option in reversed((
        click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder to write to; by default beside SRC."),
        click.option("--resume", is_flag=True, help="Go on with a run that was broken off."),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of workers; by default one for each processor."),
    )):
        function = option(function)
    return function


def default_out(source: str, word: str) -> str:
    """``masks`` and ``remapped`` make ``masks-remapped``; a file is named without its suffix."""
    path = Path(source)
    path = path if path.name not in ("", "..") else path.resolve()
    return str(path.with_name(f"{path.name if path.is_dir() else path.stem}-{word}"))


def check_source_and_out(source: str, out: str, *, resume: bool, again: bool) -> None:
    """Refuse what will be refused anyway before time is spent on looking at masks."""
    from labelguard.runs.rewrite import check_out, refuse_second_remap
    if not again:
        refuse_second_remap(source)
    check_out(source, out, resume)


def facts_first(source: str, jobs: int | None) -> Scan:
    """Look at all masks before anything is decided; faults of single files are reported later."""
    from labelguard.cli.progress import watch
    from labelguard.runs.options import ScanOptions
    from labelguard.runs.plan import plan_scan
    from labelguard.runs.scan import Scan
    scan = Scan(plan_scan((source,), ScanOptions(select="LG001", jobs=jobs)))
    watch(scan)
    return scan


def change(command: str, source: str, out: str, stage: Stage, spec: LabelSpec, *, resume: bool, jobs: int | None,
           again: bool = False) -> int:
    """Put all masks through a stage, print what was done; gives the exit code."""
    from labelguard.cli.progress import watch
    from labelguard.files.receipt import Job
    from labelguard.report.changes import render_result
    from labelguard.runs.rewrite import Transform
    work = Job(command, repr(stage), stage.moves_ids, spec.num_classes, spec.ignore_index)
    transform = Transform(source, out, stage, work, resume=resume, again=again, jobs=jobs)
    interrupted = False
    try:
        watch(transform)
    except KeyboardInterrupt:
        interrupted = True
    click.echo(render_result(transform, spec, sys.stdout.isatty()), nl=False)
    return 130 if interrupted else 1 if transform.unwritten else 0
