"""What a labelguard.toml says to ``labelguard scan`` besides what ids mean: its table [scan] gives values of options, and flags win."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from labelguard.cli.help import Command
from labelguard.cli.options import seen_from_here
from labelguard.errors import SpecError, UsageError
from labelguard.report.scan_settings import ScanSettings
from labelguard.spec.declarations import find_spec_file, read_scan_table

if TYPE_CHECKING:
    from labelguard.spec.scan_table import ScanTable

_OF_THE_MASKS = ("images", "boxes", "files_from", "baseline", "accept")  # say something about the very masks that [scan] names


class ScanCommand(Command):
    """A command whose options have the values of the table [scan] where they are not given; `ScanSettings` and acceptances are two more."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse, with the nearest labelguard.toml for what is not given."""
        aside = context.resilient_parsing or {"--help", "-h"} & {*args}  # completion and help do without
        file = None if aside else find_spec_file(Path.cwd())
        if file is None:
            rest = super().parse_args(context, args)
            context.params |= {"settings": None, "accept": ()}
            return rest
        name = seen_from_here(file)
        table = read_scan_table(name)
        context.default_map = {key: value for key, value in table.values.items() if key not in ("masks", "preset")}
        rest = super().parse_args(context, args)
        context.params |= _resolved(context, table, name)
        return rest


def _resolved(context: click.Context, table: ScanTable, file: str) -> dict[str, Any]:
    """The arguments that the table changes once all are known, and where each of its values went."""
    values, accept = table.values, table.accept
    given = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and context.params[name]}
    names = {"masks": "paths"}
    over = [key for key in values if names.get(key, key) in given]
    changed: dict[str, Any] = {"accept": accept}
    if "select" in given and "ignore" in values and "ignore" not in given:
        over.append("ignore")
        changed["ignore"] = ()
    others = "masks" in over and {*map(os.path.realpath, values["masks"])} != {*map(os.path.realpath, context.params["paths"])}
    aside = [key for key in _OF_THE_MASKS if (key in values or (key == "accept" and accept)) and key not in given] if others else []
    for key in aside:
        changed[key] = None if key in ("files_from", "baseline") else ()
    if "masks" in values and not others:
        changed["paths"] = context.params["paths"] or values["masks"]
        over = [key for key in over if key != "masks"]
    taken = [key for key in values if key not in over and key not in aside]
    flags = {option.name: max(option.opts, key=len) for option in context.command.params} | {"masks": "PATHS"}
    settings = ScanSettings(file, tuple(taken), tuple(str(flags[key]) for key in over),
                        tuple("[[accept]]" if key == "accept" else key for key in aside), {key: values[key] for key in taken})
    return changed | {"settings": settings}


def check_codes(settings: ScanSettings) -> None:
    """Name the file where a code of the table names no check.

    Raises
    ------
    SpecError
        Where that is so.
    """
    from labelguard.checks.registry import select_rules
    from labelguard.spec.argument_checks import checked_codes
    for key in ("select", "ignore"):
        try:
            select_rules(checked_codes(key, settings.values.get(key, ())))
        except UsageError as problem:
            raise SpecError(f"{settings.file}: [scan]: {key}: {problem}") from None
