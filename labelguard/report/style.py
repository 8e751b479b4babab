"""Terminal colors. click is imported with the first line that is printed, since a program that scans may never print one."""

from __future__ import annotations


def style(text: str, color: str | None = None, *, bold: bool = False) -> str:
    """Text in a color; only text that stands on a terminal keeps it."""
    import click
    return click.style(text, fg=color, bold=bold or None)


def unstyle(text: str) -> str:
    """The same text without colors."""
    import click
    return click.unstyle(text)
