"""labelguard resize."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from labelguard.cli.changing import drive_rewrite, writing_options
from labelguard.cli.help import Command
from labelguard.cli.options import DEFAULT_SOURCE, resolve_spec, selection_options, spec_options

if TYPE_CHECKING:
    from labelguard.stages.resize import Ties


@click.command(name="resize", cls=Command, short_help="Resize masks by exact area vote.")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@click.option("--height", type=click.IntRange(min=1), metavar="H", help="Height of the result in pixels.")
@click.option("--width", type=click.IntRange(min=1), metavar="W", help="Width of the result in pixels.")
@click.option("--scale", type=float, metavar="F", help="Multiply both sides by F instead.")
@click.option("--ties", type=click.Choice(["lowest", "center"]), default="lowest", show_default=True,
              help="Among ids of equal area: the lowest, or the one nearest to the middle of the cell.")
@click.option("--keep", multiple=True, metavar="ID:FRACTION", help="A thin class takes a cell once it covers this fraction (repeatable).")
@selection_options
@spec_options
@writing_options
@click.pass_context
def command(context: click.Context, source: str, height: int | None, width: int | None, scale: float | None, ties: Ties,
            keep: tuple[str, ...], include: tuple[str, ...], exclude: tuple[str, ...], files_from: str | None,
            num_classes: int | None, ignore_index: tuple[int, ...], classes: Path | None, preset: str | None,
            out: Path | None, resume: bool, jobs: int | None, max_memory: int) -> None:
    """Resize masks exactly, and write them anew beside their source.

    SRC is a mask or a folder of masks, searched recursively; by default ./masks.

    Each pixel of the result takes the id that covers the largest exact area of it. With a class count, ids that are not classes are
    refused, since shrinking would hide them. Classes that vanish are reported.

    With --include, --exclude or --files-from only these masks are resized, and the others are copied byte for byte.

    \b
    labelguard resize ./masks --height 256 --width 512 --num-classes 19 --ignore-index 255
    labelguard resize ./masks --scale 0.5 --keep 5:0.25

    Exit codes: 0 all written; 1 a mask was refused or something was found; 2 wrong usage; 3 could not complete; 130 interrupted.
    """
    from labelguard.files.selection import Selection
    from labelguard.runs.resize import plan_resize
    from labelguard.runs.rewrite import Rewrite
    from labelguard.runs.write_plan import WriteOptions
    from labelguard.stages import Resize
    from labelguard.stages.resize import parse_keep
    spec, _ = resolve_spec(num_classes, ignore_index, classes, preset)
    stage = Resize(height, width, ties, [parse_keep(text) for text in keep], scale, spec.num_classes, spec.ignore_index)
    writing = WriteOptions(resume=resume, jobs=jobs, max_memory=max_memory)
    context.exit(drive_rewrite(Rewrite(plan_resize(source, out, stage, spec, writing, Selection(include, exclude, files_from)))))
