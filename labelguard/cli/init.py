"""labelguard init."""

from __future__ import annotations

from pathlib import Path

import click

from labelguard.cli.options import DEFAULT_SOURCE


@click.command(name="init", short_help="Write down what the ids mean, in a labelguard.toml.")
@click.argument("source", default=DEFAULT_SOURCE, metavar="[SRC]")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of workers; by default one for each processor.")
def command(source: str, jobs: int | None) -> None:
    """Write a labelguard.toml with what the ids of the masks in SRC seem to mean.

    Review it and keep it in version control: from then on, 'labelguard scan' holds every mask against it. An existing file is not
    overwritten.
    """
    from labelguard.cli.progress import watch
    from labelguard.errors import IncompleteError, UsageError
    from labelguard.facts.inference import infer, spec_file
    from labelguard.runs.options import ScanOptions
    from labelguard.runs.plan import plan_scan
    from labelguard.runs.scan import Scan
    from labelguard.spec.declarations import FILE_NAME
    target = Path(FILE_NAME)
    if target.exists():
        raise UsageError(f"{target} exists already; edit it, or remove it first.")
    scan = Scan(plan_scan((source,), ScanOptions(select="LG0", jobs=jobs)))
    watch(scan)
    inference = infer(scan.data)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(spec_file(inference, scan.data))
    except OSError as problem:
        raise IncompleteError(f"{target} cannot be written: {problem.strerror}.") from None
    for line in inference.lines:
        click.echo(line)
    click.echo(f"Wrote {target}. Review it, then run: labelguard scan {source}")
