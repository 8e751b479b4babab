"""labelguard run."""

from __future__ import annotations

from pathlib import Path

import click

from labelguard.cli.changing import change, default_out, writing_options
from labelguard.cli.options import DEFAULT_SOURCE
from labelguard.spec import LabelSpec


@click.command(name="run")
@click.argument("pipeline")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@writing_options
@click.option("--again", is_flag=True, help="Do it although SRC was remapped before.")
@click.pass_context
def command(context: click.Context, pipeline: str, source: str, out: Path | None, resume: bool, jobs: int | None, again: bool) -> None:
    """Put masks through a pipeline file, and write them anew beside their source.

    PIPELINE is the name of a ready-made one, or the path of a TOML file of one's own.

    \b
    labelguard run cityscapes-train-ids ./labelIds
    labelguard run ./clean.toml ./masks --out ./clean
    """
    from labelguard.pipefile import find_pipeline, read_pipeline
    path = find_pipeline(pipeline)
    stage = read_pipeline(path)
    target = str(out or default_out(source, path.stem))
    context.exit(change("run", source, target, stage, LabelSpec(), resume=resume, jobs=jobs, again=again))
