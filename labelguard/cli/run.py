"""labelguard run."""

from __future__ import annotations

from pathlib import Path

import click

from labelguard.cli.changing import drive_rewrite, writing_options
from labelguard.cli.help import Command
from labelguard.cli.options import DEFAULT_SOURCE


@click.command(name="run", cls=Command, short_help="Put masks through a pipeline file.")
@click.argument("pipeline")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@writing_options
@click.option("--again", is_flag=True, help="Move ids although SRC was remapped before.")
@click.pass_context
def command(context: click.Context, pipeline: str, source: str, out: Path | None, resume: bool, jobs: int | None, max_memory: int,
            again: bool) -> None:
    """Put masks through a pipeline file, and write them anew beside their source.

    PIPELINE is the path of a TOML file of your own, or the name of a ready-made one: ade20k-reduce-zero-label, binary-255,
    cityscapes-train-ids, coco-stuff, dataset-a-repair, oxford-pets-trimap, voc-check. SRC is a folder or a file, by default
    ./masks. If the file has a [probe] table, the written masks are put through the loss that it names.

    \b
    labelguard run cityscapes-train-ids ./labelIds
    labelguard run ./clean.toml ./masks --out ./clean

    Exit codes: 0 all written; 1 a mask was refused or something was found; 2 wrong usage; 3 could not complete; 130 interrupted.
    """
    from labelguard.runs.run import PipelineRun
    from labelguard.runs.write_plan import WriteOptions
    writing = WriteOptions(resume=resume, again=again, jobs=jobs, max_memory=max_memory)
    context.exit(drive_rewrite(PipelineRun(pipeline, source, out, writing)))
