"""labelguard show."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TextIO

import click

from labelguard.cli.help import Command
from labelguard.cli.options import resolve_spec, spec_options
from labelguard.cli.printing import remark, say_drawn, saying_all_the_same

if TYPE_CHECKING:
    from labelguard.report.show import ShowReport

_CELLS = (160, 0.7)           # half blocks: at most so many columns, and this share of the terminal's lines
_PIXELS = 1024                # of the longer side of a picture, where a terminal does not say how wide it is
_CLOSE_UP = 400               # pixels that are left for the close-up beside it


def _row_and_column(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """A place given as ROW,COL."""
    if value is None:
        return None
    match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", value)
    if match is None:
        raise click.BadParameter(f"'{value}' is no place; write row and column, counted from 0, such as 120,64.")
    return int(match[1]), int(match[2])


@click.command(name="show", cls=Command, short_help="Look at one mask.")
@click.argument("file", type=click.Path())
@click.option("--image", type=click.Path(), metavar="FILE|DIR", help="Its image, to lie below the colors; in a folder it is found by name.")
@click.option("--ids", metavar="IDS", help="Outline these ids, such as 12,255 or 30-33, or a class name; by default those that are wrong.")
@click.option("--at", metavar="ROW,COL", callback=_row_and_column, help="Enlarge this pixel; by default the first that is outlined.")
@click.option("--output", type=click.Path(), metavar="FILE", help="Write the picture to FILE, a PNG; of what exists, only such a picture "
                                                                  "is replaced.")
@spec_options
def command(file: str, image: str | None, ids: str | None, at: tuple[int, int] | None, output: str | None, num_classes: int | None,
            ignore_index: tuple[int, ...], classes: Path | None, preset: str | None) -> None:
    """Show one mask: its ids in the colors of their classes, over its image, with what is wrong outlined and enlarged.

    The picture goes to --output, or to the terminal: in full where it is one of those that show pictures (kitty, Ghostty, iTerm2,
    WezTerm), else as colored blocks. Below it stand the ids with their names and pixels, and what a scan of this file alone finds.

    Classes have the colors that are declared, or else those of a palette that color-blind people can tell apart. Ignored ids are grey and
    hatched; ids that are no class have one color that no class comes near. An outlined pixel that is too small to be seen has a ring
    around it.

    \b
    labelguard show masks/a.png --preset camvid
    labelguard show masks/a.png --image images --ids 255 --output a_shown.png
    labelguard show masks/a.png --at 120,64

    Exit codes: 0 shown, whatever was found; 2 wrong usage; 3 cannot be shown; 130 interrupted.
    """
    spec, origin = resolve_spec(num_classes, ignore_index, classes, preset)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from labelguard.report.picture_file import picture_file
    from labelguard.runs.show import show
    from labelguard.stages.merge_syntax import parse_source
    target = None if output is None else picture_file(output)
    shown = show(file, image=image, ids=() if ids is None else parse_source(ids, 0, spec), at=at, spec=spec, origin=origin)
    if target is None:
        say_drawn(partial(_drawn, shown))
        return
    target.write(shown.sheet())
    with saying_all_the_same(f"{target.name} was written."):
        say_drawn(lambda _: ((), [*shown.lines(), f"Picture: {target.name}"]))
    if os.path.dirname(target.place) == os.path.dirname(os.path.realpath(file)):
        remark(f"'{target.name}' lies beside the mask: a scan of that folder takes it for one.")


def _drawn(shown: ShowReport, stream: TextIO) -> tuple[Iterable[str], Iterable[str]]:
    """The picture as a stream can show it, and the lines below it."""
    from labelguard.cli import terminal_picture as terminal
    able = terminal.ability(stream, os.environ)
    if not able:
        return (), _without_picture(shown)
    lines = shown.lines(partial(terminal.swatch, deep=able != "256"))
    if able in ("kitty", "iterm2"):
        width, height = terminal.size_in_pixels(stream) or (_PIXELS + _CLOSE_UP, _PIXELS)
        png = shown.sheet(max(64, min(width - _CLOSE_UP, height, _PIXELS))).png()
        return (terminal.kitty if able == "kitty" else terminal.iterm2)(png), lines
    rows, columns = shown.facts.shape
    window = get_terminal_size()
    scale = min(min(window.columns, _CELLS[0]) / columns, 2 * max(8, int(window.lines * _CELLS[1])) / rows)
    return terminal.half_blocks(shown.picture(max(1, int(max(rows, columns) * scale))).pixels, able == "truecolor"), lines


def _without_picture(shown: ShowReport) -> Iterator[str]:
    yield from shown.lines()
    yield "No picture: standard output does not show any; '--output PICTURE.png' writes one."
