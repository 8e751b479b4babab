"""All commands, and how their errors are said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from labelguard._version import __version__
from labelguard.cli.help import Command
from labelguard.cli.interruption import say_interrupted
from labelguard.cli.printing import remark, say
from labelguard.errors import IncompleteError, LabelguardError
from labelguard.report.exit_codes import INCOMPLETE, INTERRUPTED, WRONG_USAGE
from labelguard.text import printable

_HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())  # click 8.2 raises it for a command without arguments


_NAMES = ("diff", "init", "presets", "probe", "remap", "resize", "rules", "run", "scan", "show")  # of commands, and of their modules


class _Commands(Command, click.Group):
    """Imports a command when it is asked for, and turns the exceptions of the package into one sentence and an exit code."""

    def get_command(self, _context: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself, in place of the name that stood for it."""
        return import_module(f"labelguard.cli.{cmd_name}").command if cmd_name in self.commands else None

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        with _in_words(context):
            return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> Any:
        with _in_words(context):
            return super().invoke(context)


@contextmanager
def _in_words(context: click.Context) -> Iterator[None]:
    """Faults of use as one sentence that can be printed, and the exit code of the contract."""
    try:
        yield
    except click.UsageError as problem:
        if isinstance(problem, _HELP):
            raise
        raise click.UsageError(printable(problem.format_message()), problem.ctx) from None  # it repeats the arguments
    except LabelguardError as problem:
        remark(str(problem))
        context.exit(INCOMPLETE if isinstance(problem, IncompleteError) else WRONG_USAGE)
    except KeyboardInterrupt:
        say_interrupted()
        context.exit(INTERRUPTED)


def _version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        say(f"labelguard {__version__}")
        context.exit()


@click.group(cls=_Commands, commands=[click.Command(name) for name in _NAMES],
             context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit.")
def main() -> None:
    """Find what is wrong with segmentation masks before a training run does, and say why.

    \b
    labelguard init ./masks                              write down what the ids mean
    labelguard scan ./masks --num-classes 12             what is wrong?
    labelguard scan ./masks --report report.html         the same as a page, with pictures
    labelguard rules uint8-wraparound                    why is that bad, and how do I fix it?
    labelguard show ./masks/a.png --image ./images       look at one mask
    labelguard diff old.json new.json                    what came and went between two scans
    labelguard remap ./masks --shift -1 --merge 0:last   change ids by one printed table
    labelguard resize ./masks --height 256 --width 512   resize by exact area vote
    labelguard run cityscapes-train-ids ./labelIds       several steps, from a pipeline file
    labelguard probe ./masks --loss my_losses.py:build   does the loss cope with every mask?
    labelguard presets cityscapes                        what the ids of a public data set mean

    Masks are never changed in place: what is written goes into a new folder beside its source.

    Exit codes: 0 no errors; 1 errors, or what --fail-on names; 2 wrong usage; 3 could not complete; 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a letter that the terminal's encoding lacks must not end a run
