"""labelguard resize."""

from __future__ import annotations

from pathlib import Path

import click

from labelguard.cli.changing import change, default_out, writing_options
from labelguard.cli.options import DEFAULT_SOURCE, resolve_spec, spec_options


@click.command(name="resize", short_help="Resize masks by exact area vote.")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@click.option("--height", type=click.IntRange(min=1), metavar="H", help="Height of the result in pixels.")
@click.option("--width", type=click.IntRange(min=1), metavar="W", help="Width of the result in pixels.")
@click.option("--scale", type=float, metavar="F", help="Multiply both sides by F instead.")
@click.option("--ties", type=click.Choice(["lowest", "center"]), default="lowest", show_default=True,
              help="Among ids of equal area: the lowest, or the one nearest to the middle of the cell.")
@click.option("--keep", multiple=True, metavar="ID:FRACTION", help="A thin class takes a cell once it covers this fraction; repeatable.")
@spec_options
@writing_options
@click.pass_context
def command(context: click.Context, source: str, height: int | None, width: int | None, scale: float | None, ties: str,
            keep: tuple[str, ...], num_classes: int | None, ignore_index: tuple[int, ...], classes: Path | None, preset: str | None,
            out: Path | None, resume: bool, jobs: int | None) -> None:
    """Resize masks exactly, and write them anew beside their source.

    Each pixel of the result takes the id that covers the largest exact area of it. With a class count, ids that are no class are
    refused, since shrinking would hide them. Classes that vanish are reported.

    \b
    labelguard resize ./masks --height 256 --width 512 --num-classes 19 --ignore-index 255
    labelguard resize ./masks --scale 0.5 --keep 5:0.25
    """
    from labelguard.stages import Resize
    spec, _ = resolve_spec(num_classes, ignore_index, classes, preset)
    stage = Resize(height, width, ties, _kept(keep), scale, spec.num_classes, spec.ignore_index)  # type: ignore[arg-type]
    context.exit(change("resize", source, str(out or default_out(source, "resized")), stage, spec, resume=resume, jobs=jobs))


def _kept(texts: tuple[str, ...]) -> dict[int, float]:
    from labelguard.errors import UsageError
    kept: dict[int, float] = {}
    for text in texts:
        label, _, share = text.partition(":")
        try:
            kept[int(label)] = float(share)
        except ValueError:
            raise UsageError(f"'{text}' keeps nothing; write ID:FRACTION, such as 5:0.25.") from None
    return kept
