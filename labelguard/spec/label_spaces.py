"""Spaces: the public numberings of classes that come with labelguard, and the official tables from one to the other.

A preset (`presets/*.toml`) says what ids mean, as a labelguard.toml does. Its table ``[space]`` says what tells this numbering from others:

::

    [space]
    title = "Cityscapes label ids"   what to call it in a sentence
    files = "*labelids.*"            how its files are called, in lower case, where they have a name of their own
    unused = [3]                     ids below num_classes that no mask holds
    void_color = [224, 224, 192]     the color of what is ignored
    drawn_alike = [[17, 18]]         ids of one color that are told apart nowhere but in the ids: pictures of masks make them the first one

    [space.to.cityscapes-train]      for every id that masks hold, the id in another preset, or "ignore"
    7 = 0

    [space.pipelines]                the ready-made pipeline that does what such a table does, where there is one
    cityscapes-train = "cityscapes-train-ids"
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from labelguard.spec.declarations import presets, read_preset
from labelguard.spec.labelspec import Color, LabelSpec
from labelguard.spec.toml_file import read_toml


@dataclass(frozen=True)
class Space:
    """A public numbering of classes.

    Parameters
    ----------
    name
        Of the preset.
    title
        What to call it in a sentence.
    source
        Where it is defined.
    spec
        What its ids mean.
    unused
        Ids below the class count that no mask holds.
    files
        Pattern of its file names in lower case, empty where they have none of their own.
    void_color
        The color of what is ignored.
    to
        For each preset that there is an official table to: for each id its id there, None for what is ignored there.
    pipelines
        For some of these presets the name of the ready-made pipeline that does it.
    drawn_alike
        Ids that have one color, and become the first of them where colors are made ids again.
    """

    name: str
    title: str
    source: str
    spec: LabelSpec
    unused: frozenset[int] = frozenset()
    files: str = ""
    void_color: Color | None = None
    to: dict[str, dict[int, int | None]] = field(default_factory=dict)
    pipelines: dict[str, str] = field(default_factory=dict)
    drawn_alike: tuple[tuple[int, ...], ...] = ()

    @property
    def drawn(self) -> frozenset[int]:
        """The ids of classes that masks hold."""
        return frozenset(range(self.spec.last + 1)) - self.unused


@cache
def spaces() -> tuple[Space, ...]:
    """The numberings of all presets, by name."""
    found = []
    for name, path in presets().items():
        values = read_toml(path)
        about = values["space"]
        tables = {target: {int(label): None if there == "ignore" else int(there) for label, there in table.items()}
                  for target, table in about.get("to", {}).items()}
        color = about.get("void_color")
        found.append(Space(name, about["title"], values["source"], read_preset(name), frozenset(about.get("unused", ())),
                           about.get("files", ""), tuple(color) if color else None, tables, about.get("pipelines", {}),
                           tuple(map(tuple, about.get("drawn_alike", ())))))
    return tuple(found)
