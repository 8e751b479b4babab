"""labelguard presets."""

from __future__ import annotations

import click

from labelguard.cli.help import Command
from labelguard.cli.options import preset_names
from labelguard.cli.printing import say
from labelguard.report.style import style


@click.command(name="presets", cls=Command, short_help="List the public label spaces, or show one.")
@click.argument("name", required=False, shell_complete=preset_names)
def command(name: str | None) -> None:
    """List the public label spaces that --preset knows, or show the classes of one.

    \b
    labelguard presets                all of them
    labelguard presets cityscapes     ids, names and colors of one, and where they are from
    """
    from labelguard.spec.declarations import read_preset
    from labelguard.spec.label_spaces import spaces
    from labelguard.text import count, listed
    if name is None:
        width = max(len(space.name) for space in spaces())
        for space in spaces():
            ignored = f", {listed(space.spec.ignore_index)} ignored" if space.spec.ignore_index else ""
            say(f"{style(f'{space.name:<{width}}', bold=True)}  {space.title}: {space.spec.num_classes} classes{ignored}")
        return
    spec = read_preset(name)
    title, source = next((space.title, space.source) for space in spaces() if space.name == name)
    say(f"{style(name, bold=True)}: {title}, {count(spec.last + 1, 'class', 'classes')}", f"Source: {source}", "")
    for label in range(spec.last + 1):
        color = "{:>3} {:>3} {:>3}  ".format(*spec.colors[label]) if spec.colors else ""
        say(f"{label:>3}  {color}{spec.names[label]}{' (ignored)' * (label in spec.ignore_index)}")
    say(*(f"{label:>3}  ignored" for label in spec.ignore_index if label > spec.last))
