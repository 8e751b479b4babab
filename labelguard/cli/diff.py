"""labelguard diff."""

from __future__ import annotations

import click

from labelguard.cli.help import Command
from labelguard.cli.printing import say


@click.command(name="diff", cls=Command, short_help="What came and what went between two scans.")
@click.argument("old", metavar="OLD.json")
@click.argument("new", metavar="NEW.json")
@click.option("--fail-on", type=click.Choice(["error", "warning", "never"]), default="error", show_default=True,
              help="Exit with code 1 on new findings of this severity or worse.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report.")
@click.pass_context
def command(context: click.Context, old: str, new: str, fail_on: str, format_: str) -> None:
    """Say what came and what went between two scans, and how the shares of the classes moved.

    OLD.json and NEW.json are reports of labelguard scan, written with --report or --format json (or jsonl). A finding is the same where
    its check, its file and its ids are; one about the whole set is looked at in each of its files. A mask has changed where its size, its
    encoding or the pixels of an id have.

    \b
    labelguard scan ./masks --num-classes 12 --report monday.json
    labelguard scan ./masks --num-classes 12 --report friday.json
    labelguard diff monday.json friday.json

    Exit codes: 0 nothing new at or above --fail-on; 1 new findings; 2 wrong usage, or what is given is no report; 3 could not complete;
    130 interrupted.
    """
    from labelguard.finding import Severity
    from labelguard.report.difference import compare_scans
    from labelguard.report.json import chunks
    from labelguard.report.saved import read_report
    found = compare_scans(read_report(old), read_report(new))
    limit = None if fail_on == "never" else Severity(fail_on)
    say(*found.lines()) if format_ == "text" else say(*"".join(chunks(found.to_dict(limit), indent=2)).splitlines())
    context.exit(found.exit_code(limit))
