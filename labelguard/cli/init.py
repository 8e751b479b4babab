"""labelguard init."""

from __future__ import annotations

import click

from labelguard.cli.help import Command
from labelguard.cli.options import DEFAULT_SOURCE, memory_option
from labelguard.cli.printing import say, saying_all_the_same
from labelguard.text import path_argument, shell_command


@click.command(name="init", cls=Command, short_help="Write down what the ids mean, in a labelguard.toml.")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of workers; by default one per processor.")
@memory_option
def command(source: str, jobs: int | None, max_memory: int) -> None:
    """Write a labelguard.toml that says what the ids of the masks in SRC seem to mean.

    SRC is a mask or a folder of masks, searched recursively; by default ./masks.

    Review it and keep it in version control: from then on, 'labelguard scan' checks every mask against it. An existing file is never
    overwritten.

    \b
    labelguard init ./masks

    Exit codes: 0 written; 2 wrong usage, or the file is there already; 3 could not complete; 130 interrupted.
    """
    from labelguard.cli.progress import watch
    from labelguard.runs.init import Init, plan_init
    work = Init(plan_init(source, jobs=jobs, max_memory=max_memory))
    watch(work)
    lines = work.write().lines
    with saying_all_the_same(f"{work.plan.file} was written."):
        say(*lines, f"Wrote {work.plan.file}. Review it, then run: {shell_command(['labelguard', 'scan', path_argument(source)])}")
