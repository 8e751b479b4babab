"""labelguard rules."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from labelguard.cli.help import Command
from labelguard.cli.printing import say
from labelguard.errors import UsageError
from labelguard.report.style import style
from labelguard.text import did_you_mean

if TYPE_CHECKING:
    from labelguard.checks.rule import Rule

_WIDTH = 100


def _named_like(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The codes and names that go on from what has been typed, for the completion of a shell."""
    from labelguard.checks.registry import rules
    return [name for rule in rules() for name in (rule.code, rule.name) if name.lower().startswith(begun.lower())]


@click.command(name="rules", cls=Command, short_help="List the checks, or explain one.")
@click.argument("words", nargs=-1, metavar="[CODE|WORDS...]", shell_complete=_named_like)
def command(words: tuple[str, ...]) -> None:
    """List all checks, or explain one: what it does, why it matters, and how to fix what it finds.

    \b
    labelguard rules                     all of them
    labelguard rules LG1                 a family: all checks on ids
    labelguard rules uint8-wraparound    one, by its name or code
    labelguard rules device-side assert  those whose manual holds all these words
    """
    chosen = _chosen(words)
    if len(chosen) > 1:
        width = max(len(rule.name) for rule in chosen)
        say(*(f"{rule.code}  {rule.name:<{width}}  {rule.severity.value:<7}  {rule.summary}" for rule in chosen))
        return
    rule, = chosen
    how = {"": "", "splits": " NAME=DIR NAME=DIR"}.get(rule.needs, f" {rule.needs}")
    found_by = ["", f"Found by: labelguard {rule.found_by}{how}"] if how or rule.found_by != "scan" else []
    say(f"{style(rule.code, bold=True)} {style(rule.name, bold=True)} ({rule.severity.value})", "", *_laid_out(rule), *found_by)


def _chosen(words: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules that a code, a family or a name stands for, else those whose manual holds all words.

    Raises
    ------
    UsageError
        When there is none.
    """
    from labelguard.checks.registry import rules
    try:
        return rules(*words[:1]) if len(words) < 2 else rules("-".join(words))
    except UsageError:
        wanted = " ".join(words).lower().split()
        found = tuple(rule for rule in rules() if all(word in f"{rule.name} {rule.manual}".lower() for word in wanted))
        if not found:
            near = did_you_mean("-".join(words), (rule.name for rule in rules()))
            raise UsageError(f"'{' '.join(words)}' names no check, and no manual page speaks of it; 'labelguard rules' lists the "
                             f"checks.{near}") from None
        return found


def _laid_out(rule: Rule) -> list[str]:
    """The manual of a check for the terminal: headings in bold, paragraphs wrapped to its width."""
    width = min(shutil.get_terminal_size().columns, _WIDTH)
    lines: list[str] = []
    for heading, paragraphs in rule.sections:
        lines += [style(heading, bold=True)] * bool(heading)
        for paragraph in paragraphs:
            lines += [*textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False), ""]
    return lines[:-1]
