"""labelguard remap."""

from __future__ import annotations

from pathlib import Path

import click

from labelguard.cli.changing import drive_rewrite, writing_options
from labelguard.cli.help import Command
from labelguard.cli.options import DEFAULT_SOURCE, resolve_spec, selection_options, spec_options


@click.command(name="remap", cls=Command, short_help="Move ids by one printed table.")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@click.option("--shift", type=int, default=0, metavar="S", help="Add S to every id that is neither merged nor ignored.")
@click.option("--merge", "merges", multiple=True, metavar="A:B",
              help="Send A (0, 1,2,5, 30-33 or a class name; ids before the shift) to B (an id after it, a name, last or ignore) "
                   "(repeatable).")
@click.option("--map", "map_file", type=click.Path(path_type=Path), metavar="FILE",
              help="Take the whole table from a CSV, JSON or TOML file instead. Ids that it does not name are refused.")
@click.option("--colors", metavar="WHAT",
              help="The masks hold colors: give each its id, as a file of classes with colors says (CVAT's labelmap.txt, METAINFO, ...), a "
                   "table of colors and ids, a preset, or rgb-ids (red + 256 green + 65536 blue).")
@selection_options
@click.option("--holding", multiple=True, metavar="IDS", help="Only masks that hold any of these ids: 255 or 1,2,5 or 30-33 (repeatable).")
@spec_options
@writing_options
@click.option("--dry-run", is_flag=True, help="Print the table with pixel counts, and write nothing.")
@click.option("--again", is_flag=True, help="Remap SRC although it was remapped before.")
@click.pass_context
def command(context: click.Context, source: str, shift: int, merges: tuple[str, ...], map_file: Path | None, colors: str | None,
            include: tuple[str, ...],
            exclude: tuple[str, ...], files_from: str | None, holding: tuple[str, ...], num_classes: int | None,
            ignore_index: tuple[int, ...], classes: Path | None, preset: str | None, out: Path | None, resume: bool, jobs: int | None,
            max_memory: int, dry_run: bool, again: bool) -> None:
    """Move ids, and write the masks anew beside their source.

    SRC is a mask or a folder of masks, searched recursively; by default ./masks.

    One table says where each id goes, and it is printed: no arithmetic is done on stored pixels, so nothing can wrap around. The
    options that say what ids mean describe the result; without a class count it is inferred, and printed. Ignored ids stay unless a
    merge names them. An id that would not be a class is refused, and its file is not written.

    With --colors, masks that hold colors become masks of ids. A color that the table does not name is refused, with where it
    is and what it is near to.

    With --include, --exclude, --files-from or --holding only these masks are changed, and the others are copied byte for byte: what is
    written is the whole set, and can take the place of the source.

    \b
    labelguard remap ./masks --shift -1 --merge 0:last
    labelguard remap ./masks --merge 255:1 --num-classes 2 --out ./masks01
    labelguard remap ./masks --include b/ --shift -1 --num-classes 12
    labelguard remap ./painted --colors labelmap.txt

    Exit codes: 0 all written; 1 a mask was refused or something was found; 2 wrong usage; 3 could not complete; 130 interrupted.
    """
    from labelguard.files.selection import Selection
    from labelguard.runs.remap import RemapOptions, Remapping
    from labelguard.runs.write_plan import WriteOptions
    from labelguard.spec.labelspec import LabelSpec
    from labelguard.stages.merge_syntax import parse_merge, parse_source
    spec, _ = resolve_spec(num_classes, ignore_index, classes, preset)
    ids = [label for text in holding for label in parse_source(text, 0, LabelSpec())]
    options = RemapOptions(shift=shift, merge=[parse_merge(text) for text in merges], table=map_file, colors=colors,
                           spec=spec, dry_run=dry_run,
                           selection=Selection(include, exclude, files_from, ids))
    writing = WriteOptions(resume=resume, again=again, jobs=jobs, max_memory=max_memory)
    context.exit(drive_rewrite(Remapping(source, out, options, writing)))
