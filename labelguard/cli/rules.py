"""labelguard rules."""

from __future__ import annotations

import click


@click.command(name="rules")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """List the checks, or explain one: what it looks for, why that hurts, how to mend it.

    \b
    labelguard rules
    labelguard rules LG102
    labelguard rules uint8-wraparound
    """
    from labelguard.checks import select_rules
    rules = select_rules([code] if code else [])
    if len(rules) > 1:
        for rule in rules:
            click.echo(f"{rule.code}  {rule.name:<21} {rule.severity.value:<8} {rule.summary}")
        return
    rule = rules[0]
    found_by = f"\n\nFound by: labelguard {rule.found_by}" if rule.found_by != "scan" else ""
    click.echo(f"{click.style(rule.code, bold=True)} {click.style(rule.name, bold=True)} ({rule.severity.value})\n\n"
               f"{rule.manual}{found_by}")
