"""labelguard rules."""

from __future__ import annotations

import shutil
import textwrap

import click

from labelguard.cli.help import Command
from labelguard.cli.printing import say
from labelguard.report.style import style

_WIDTH = 100


@click.command(name="rules", cls=Command, short_help="List the checks, or explain one.")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """List all checks, or explain one: what it does, why it matters, and how to fix what it finds.

    \b
    labelguard rules                     all of them
    labelguard rules LG1                 a family: all checks on ids
    labelguard rules uint8-wraparound    one, by its name or code
    """
    from labelguard.checks.registry import rules
    chosen = rules(code) if code else rules()
    if len(chosen) > 1:
        width = max(len(rule.name) for rule in chosen)
        say(*(f"{rule.code}  {rule.name:<{width}}  {rule.severity.value:<7}  {rule.summary}" for rule in chosen))
        return
    rule, = chosen
    how = {"": "", "splits": " NAME=DIR NAME=DIR"}.get(rule.needs, f" {rule.needs}")
    found_by = ["", f"Found by: labelguard {rule.found_by}{how}"] if how or rule.found_by != "scan" else []
    say(f"{style(rule.code, bold=True)} {style(rule.name, bold=True)} ({rule.severity.value})", "", *_laid_out(rule.manual), *found_by)


def _laid_out(manual: str) -> list[str]:
    """A manual for the terminal: headings in bold, paragraphs wrapped to its width."""
    width = min(shutil.get_terminal_size().columns, _WIDTH)
    lines: list[str] = []
    for paragraph in manual.split("\n\n"):
        heading, rule, text = paragraph.partition("\n---")
        if rule:
            lines += [style(heading, bold=True)]
            paragraph = text.partition("\n")[2]
        lines += [*textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False), ""]
    return lines[:-1]
