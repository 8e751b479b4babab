"""labelguard remap."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labelguard.cli.changing import change, check_source_and_out, default_out, facts_first, writing_options
from labelguard.cli.options import DEFAULT_SOURCE, resolve_spec, spec_options
from labelguard.spec.declarations import merge_specs
from labelguard.spec.labelspec import LabelSpec

if TYPE_CHECKING:
    from labelguard.facts.dataset import DatasetFacts
    from labelguard.stages import Remap


@click.command(name="remap", short_help="Move ids by one printed table.")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@click.option("--shift", type=int, default=0, metavar="S", help="Add S to every id that is neither merged nor ignored.")
@click.option("--merge", "merges", multiple=True, metavar="A:B",
              help="Send A (0, 1,2,5, 30-33 or a class name; ids before the shift) to B (an id after it, a name, last, ignore); "
                   "repeatable.")
@click.option("--map", "map_file", type=click.Path(path_type=Path), metavar="FILE",
              help="A whole table instead: CSV, JSON or TOML. Ids that it does not name are refused.")
@spec_options
@writing_options
@click.option("--dry-run", is_flag=True, help="Print the table with pixel counts, and write nothing.")
@click.option("--again", is_flag=True, help="Do it although SRC was remapped before.")
@click.pass_context
def command(context: click.Context, source: str, shift: int, merges: tuple[str, ...], map_file: Path | None, num_classes: int | None,
            ignore_index: tuple[int, ...], classes: Path | None, preset: str | None, out: Path | None, resume: bool, jobs: int | None,
            dry_run: bool, again: bool) -> None:
    """Move ids, and write the masks anew beside their source.

    Everything goes by one table, which is printed: no arithmetic is done on stored pixels, and nothing can wrap. The options that say
    what ids mean describe the result. Ignored ids stay unless a merge names them; an id that would be no class is refused, and its
    file is not written.

    \b
    labelguard remap ./masks --shift -1 --merge 0:last
    labelguard remap ./masks --merge 255:1 --num-classes 2 --out ./masks01
    """
    from labelguard.errors import UsageError
    from labelguard.report.changes import render_table
    from labelguard.stages.merge_syntax import parse_merge
    if not (shift or merges or map_file):
        raise UsageError("Say what is to be moved: --shift, --merge or --map.")
    spec, _ = resolve_spec(num_classes, ignore_index, classes, preset)
    pairs = tuple(parse_merge(text) for text in merges)
    target = str(out or default_out(source, "remapped"))
    if not dry_run:
        check_source_and_out(source, target, resume=resume, again=again)
    data = None
    if dry_run or not spec.declared:
        data = facts_first(source, jobs).data
        if not spec.declared:
            spec, lines = _infer(data, spec, shift, pairs, map_file is not None)
            click.echo("".join(f"inferred: {line}\n" for line in lines), nl=False)
    stage = _stage(shift, pairs, map_file, spec)
    if dry_run:
        assert data is not None
        table = render_table(stage, Counter(data.ids), spec)
        click.echo(table if sys.stdout.isatty() else click.unstyle(table), nl=False)
        refused = [label for label in sorted(data.ids) if stage.target(label) is None]
        click.echo("Dry run: nothing was written." + (f" Ids {', '.join(map(str, refused))} would be refused." if refused else ""))
        context.exit(1 if refused else 0)
    context.exit(change("remap", source, target, stage, spec, resume=resume, jobs=jobs, again=again))


def _stage(shift: int, pairs: tuple[tuple[str, str], ...], map_file: Path | None, spec: LabelSpec) -> Remap:
    from labelguard.errors import UsageError
    from labelguard.stages import Remap
    if map_file is None:
        return Remap(shift, dict(pairs), None, spec.num_classes, spec.ignore_index, spec.names)
    if shift or pairs:
        raise UsageError("--map says where every id goes: leave out --shift and --merge.")
    from labelguard.stages.map_file import read_map
    return Remap(table=read_map(map_file), num_classes=spec.num_classes, ignore_index=spec.ignore_index, names=spec.names)


def _infer(data: DatasetFacts, spec: LabelSpec, shift: int, pairs: tuple[tuple[str, str], ...],
           by_table: bool) -> tuple[LabelSpec, list[str]]:
    """The class count of the result, from the ids that are there and are neither merged nor ignored."""
    from labelguard.errors import UsageError
    from labelguard.facts.inference import infer
    from labelguard.stages.merge_syntax import parse_source
    if by_table:
        raise UsageError("With --map, say how many classes the result has: --num-classes N.")
    inference = infer(data)
    merged = {label for source, _ in pairs for label in parse_source(source, shift, spec)}
    ignored = spec.ignore_index or tuple(label for label in inference.spec.ignore_index if label not in merged)
    moved = [label + shift for label in data.ids if label not in merged and label not in ignored]
    targets = [int(target) for _, target in pairs if target.lstrip("-").isdigit() and int(target) not in ignored]
    if not inference.spec.declared or not moved or min(moved) < 0:
        low = f" {min(moved) - shift} {'+' if shift >= 0 else '-'} {abs(shift)} is below 0." if moved and min(moved) < 0 else ""
        raise UsageError(f"The class count of the result cannot be inferred.{low} Declare it with --num-classes N.")
    count = max(*moved, *targets, 0) + 1
    lines = [*inference.lines, f"So the result has {count} classes; the last is {count - 1}."]
    if ignored and not spec.ignore_index:
        lines.append(f"{', '.join(map(str, ignored))} is taken for void and passes untouched.")
    return merge_specs(spec, num_classes=count, ignore_index=ignored), lines
