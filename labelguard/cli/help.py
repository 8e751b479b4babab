"""``--help``, printed like everything else."""

from __future__ import annotations

import click

from labelguard.cli.printing import say


class Command(click.Command):
    """A command whose help, too, says where it cannot be printed."""

    def get_help_option(self, context: click.Context) -> click.Option | None:
        """The option of the library, with our way of printing."""
        option = super().get_help_option(context)
        if option is not None:
            option.callback = _print_help
        return option


def _print_help(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        say(*context.get_help().splitlines())
        context.exit()
