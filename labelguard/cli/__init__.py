"""The command line: one file a command; each parses, makes one library call and prints.

Importing a command imports click and little else, so that help answers at once; the work is imported where it begins.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from labelguard._version import __version__
from labelguard.cli import init, probe, remap, resize, rules, run, scan
from labelguard.errors import IncompleteError, LabelguardError


class _Commands(click.Group):
    """Turns the exceptions of the package into one sentence and an exit code."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except LabelguardError as problem:
            click.echo(f"labelguard: {problem}", err=True)
            context.exit(3 if isinstance(problem, IncompleteError) else 2)
        except KeyboardInterrupt:
            click.echo("labelguard: interrupted.", err=True)
            context.exit(130)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, message="labelguard %(version)s")
def main() -> None:
    """Find what is wrong with segmentation masks before a training run does, and say why.

    \b
    labelguard init ./masks                              write down what the ids mean
    labelguard scan ./masks --num-classes 12             what is wrong?
    labelguard rules uint8-wraparound                    why is that bad, and how do I fix it?
    labelguard remap ./masks --shift -1 --merge 0:last   change ids by one printed table
    labelguard resize ./masks --height 256 --width 512   resize by exact area vote
    labelguard run cityscapes-train-ids ./labelIds       several steps, from a pipeline file
    labelguard probe ./masks --loss my_losses.py:build   does the loss cope with every mask?

    Masks are never changed in place: what is written goes into a new folder beside its source.

    Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 could not complete, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file name in another encoding must not end a run


for module in (scan, remap, resize, run, probe, rules, init):
    main.add_command(module.command)
