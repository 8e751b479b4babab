"""labelguard rules."""

from __future__ import annotations

import click


@click.command(name="rules", short_help="List the checks, or explain one.")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """List the checks, or explain one: what it looks for, why that hurts, how to mend it.

    \b
    labelguard rules
    labelguard rules LG102
    labelguard rules uint8-wraparound
    """
    from labelguard.checks.registry import select_rules
    rules = select_rules([code] if code else [])
    if len(rules) > 1:
        width = max(len(rule.name) for rule in rules)
        for rule in rules:
            click.echo(f"{rule.code}  {rule.name:<{width}}  {rule.severity.value:<7}  {rule.summary}")
        return
    rule = rules[0]
    how = {"": "", "splits": " NAME=DIR NAME=DIR"}.get(rule.needs, f" {rule.needs}")
    found_by = f"\n\nFound by: labelguard {rule.found_by}{how}" if how or rule.found_by != "scan" else ""
    click.echo(f"{click.style(rule.code, bold=True)} {click.style(rule.name, bold=True)} ({rule.severity.value})\n\n"
               f"{rule.manual}{found_by}")
