"""Which table of colors a painted set was drawn with, and the command that makes ids of it."""

from __future__ import annotations

from collections.abc import Collection

from labelguard.checks._remap_command import spec_arguments
from labelguard.checks._selecting import file_choice, selection_of
from labelguard.errors import SpecError
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.painted import Rgb
from labelguard.finding import PLACEHOLDER, Arguments, Fix
from labelguard.spec.color_table import ColorTable, color_text, find_colors
from labelguard.spec.label_spaces import Space, spaces
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, path_argument, percent

_TELLING = 3  # colors that nobody chooses by chance: a set that has so many of them was drawn with the table in which they stand
_SHOWN = 4
_ONE_CHANNEL = ("grey", "palette")  # how the encodings of masks end that hold ids already


def way_to_ids(data: DatasetFacts, spec: LabelSpec) -> Fix:
    """How the masks of a set that hold colors become ids, by the declared colors or those of a preset; found out once."""
    return data.remember(("way to ids", spec), lambda: _way(data, spec))


def _way(data: DatasetFacts, spec: LabelSpec) -> Fix:
    colors = data.painted.pixels.keys()
    if not data.painted.whole or not colors:
        return _by_a_file(data)
    if _which(data) is None:
        return Fix.advice("Some masks hold ids already, and no pattern tells them from the painted ones: move the painted ones into a "
                          "folder of their own, and scan it.")
    if spec.colors:
        return _by_declaration(data, spec)
    fitting = [space for space in spaces() if space.spec.colors and _fits(find_colors(space.name), colors, spec)]
    if not fitting:
        return Fix.advice(_nearly(data), _by_a_file(data))
    counted = [space for space in fitting if space.spec.num_classes == spec.num_classes]
    fitting = counted or fitting
    every = f"All {len(colors)} colors of the set are" if len(colors) > 1 else "The only color of the set is"
    if len(fitting) == 1 and (counted or not spec.declared) and sum(map(_is_telling, colors)) >= _TELLING:
        space = fitting[0]
        return Fix.advice(f"{every} among those of the preset {space.name} ({space.title}), and of no other: ",
                          _by_preset(data, space, spec))
    commands = [part for space in fitting for part in (" or ", _by_preset(data, space, spec))][1:]
    return Fix.advice(f"{every} among those of {listed(f'the preset {space.name}' for space in fitting)}, which may be chance. If "
                      f"{'it was' if len(colors) == 1 else 'they were'} drawn so: ", *commands, ". Else: ", _by_a_file(data))


def _by_declaration(data: DatasetFacts, spec: LabelSpec) -> Fix:
    """By the colors that somebody declared: all are known, or some are missing."""
    pixels, source = data.painted.pixels, data.colors_from
    try:
        table = find_colors(source) if source else ColorTable({color: label for label, color in enumerate(spec.colors)}, spec)
        table.resolved(spec, source)
    except SpecError as problem:
        return Fix.advice(str(problem))
    unknown = [color for color in pixels if not _knows(table, color)]
    if unknown:
        where = source or "the declared colors"
        return Fix.advice(f"Not in {where}: {_shown(data, unknown)}. Add what is a class, then: ",
                          _command(data, source, *_besides(table, spec, source)) if source else "labelguard.remap(source, colors=...).")
    if not source:
        return Fix.advice("All colors of the set are declared: labelguard.remap(source, colors=...) makes ids of them.")
    return Fix.command(*_command(data, source, *_besides(table, spec, source)), safe=data.root != PLACEHOLDER)


def _by_preset(data: DatasetFacts, space: Space, spec: LabelSpec) -> Arguments:
    return _command(data, space.name, *_besides(find_colors(space.name), spec, space.name))


def _by_a_file(data: DatasetFacts) -> Fix:
    return Fix.advice("Translate colors to ids by the classes and colors of the tool that drew the masks, as in ",
                      _command(data, "labelmap.txt"), ", or by a table of colors and ids of your own.")


def _command(data: DatasetFacts, colors: str, *options: str) -> Arguments:
    return "labelguard", "remap", path_argument(data.root), *(_which(data) or data.selected), "--colors", colors, *options


def _which(data: DatasetFacts) -> Arguments | None:
    """The options that tell painted masks from those that hold ids already, which are colors too where a table has grey levels."""
    return data.selected if len(data.sources) > 1 else data.remember("painted part", lambda: _painted_part(data))


def _painted_part(data: DatasetFacts) -> Arguments | None:
    painted, others = ({record.path: () for record in data.records if record.encoding.endswith(_ONE_CHANNEL) is holds_ids}
                       for holds_ids in (False, True))
    if not others:
        return data.selected
    chosen = file_choice(painted, others, data.left_out, selection_of(data.selected))
    return None if chosen is None else chosen.arguments


def _besides(table: ColorTable, spec: LabelSpec, source: str) -> Arguments:
    """The options for what is declared and does not follow from the table."""
    try:
        own = table.resolved(LabelSpec(), source)[1]
    except SpecError:
        own = LabelSpec()
    return spec_arguments(spec.num_classes if spec.num_classes != own.num_classes else None,
                          spec.ignore_index if spec.ignore_index != own.ignore_index else ())


def _nearly(data: DatasetFacts) -> str:
    """The preset that has most of the colors, and why it is not the one; nothing where none comes near."""
    pixels = data.painted.pixels
    unknown_to = {space.name: [color for color in pixels if not _knows(find_colors(space.name), color)]
                  for space in spaces() if space.spec.colors}
    name = min(unknown_to, key=lambda name: (len(unknown_to[name]), name))
    unknown = unknown_to[name]
    if sum(_is_telling(color) for color in pixels if color not in unknown) < _TELLING or 2 * len(unknown) > len(pixels):
        return ""
    if not unknown:
        return f"All {len(pixels)} colors are those of the preset {name}, whose classes are not those that are declared. "
    return f"{len(pixels) - len(unknown)} of {len(pixels)} colors are those of the preset {name}, but for {_shown(data, unknown)}. "


def _shown(data: DatasetFacts, colors: Collection[Rgb]) -> str:
    """Some colors, the most frequent first, with a file that holds each."""
    painted = data.painted
    total = sum(painted.pixels.values())
    frequent = sorted(colors, key=lambda color: (-painted.pixels[color], color))
    words = [f"{color_text(color)} on {percent(painted.pixels[color], total)} (as in {painted.seen_in[color]})"
             for color in frequent[:_SHOWN]]
    more = [count(len(frequent) - _SHOWN, "more color")] if len(frequent) > _SHOWN else []
    return listed([*words, *more], _SHOWN + 1)


def _fits(table: ColorTable, colors: Collection[Rgb], spec: LabelSpec) -> bool:
    """Whether a table has all colors, and ids that can be what is declared."""
    try:
        table.resolved(spec, "")
    except SpecError:
        return False
    return all(_knows(table, color) for color in colors)


def _knows(table: ColorTable, color: Rgb) -> bool:
    return len(color) == 3 and (color in table.ids or color in table.void)


def _is_telling(color: Rgb) -> bool:
    """Whether a color is none of those that everybody chooses: grey levels, and mixtures of full red, green and blue."""
    return len({*color}) > 1 and not {*color} <= {0, 255}
