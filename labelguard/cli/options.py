"""Options that commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from labelguard.cli.printing import DETAIL, remark
from labelguard.errors import UsageError
from labelguard.report.written import ENDINGS, Format
from labelguard.spec.declarations import find_spec_file, merge_specs, presets, read_preset, read_spec
from labelguard.spec.labelspec import LabelSpec

if TYPE_CHECKING:
    from labelguard.report.report_file import ReportFile

DEFAULT_SOURCE = "./masks"
_ENDING_OF = {"text": ".txt", "github": ".txt"}  # of formats that are not called like their files

_Function = TypeVar("_Function", bound=Callable[..., Any])


def preset_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The presets whose names go on from what has been typed, for the completion of a shell."""
    return [name for name in presets() if name.startswith(begun)]


def spec_options(function: _Function) -> _Function:
    """Add the options that say what the ids mean; `resolve_spec` takes their values."""
    for option in reversed((
        click.option("--num-classes", type=click.IntRange(min=1), metavar="N", help="Number of classes; their ids are 0 to N - 1."),
        click.option("--ignore-index", type=int, multiple=True, metavar="V", help="Id that the loss ignores (repeatable)."),
        click.option("--classes", type=click.Path(path_type=Path), metavar="FILE",
                     help="File of class names, as any of the usual tools writes it."),
        click.option("--preset", metavar="NAME", shell_complete=preset_names,
                     help=f"Public label space: {', '.join(presets())}; see 'labelguard presets'."),
    )):
        function = option(function)
    return function


def selection_options(function: _Function) -> _Function:
    """Add the options that say which masks are meant; `labelguard.files.selection.Selection` takes their values."""
    for option in reversed((
        click.option("--include", multiple=True, metavar="GLOB",
                     help="Only masks whose names match, as in a .gitignore: '*_labelIds.png', b/, val/**/*.png (repeatable)."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="Leave masks out; written like --include."),
        click.option("--files-from", type=click.Path(allow_dash=True), metavar="FILE",
                     help="Only the masks that FILE lists, one on each line, as VOC's train.txt does; - reads standard input."),
    )):
        function = option(function)
    return function


def report_options(function: _Function) -> _Function:
    """Add the options that say where reports are written; `planned_reports` takes their values."""
    for option in reversed((
        click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
                     help="Write the report to FILE instead of printing it; of what exists, only a report is replaced."),
        click.option("--report", "reports", type=click.Path(dir_okay=False), multiple=True, metavar="FILE",
                     help=f"Write FILE too, in the format that its end names: {', '.join(ENDINGS)} (repeatable). Tables have "
                          "a row for each finding, or, where they end in facts, for each mask."),
    )):
        function = option(function)
    return function


def planned_reports(output: Path | None, reports: Sequence[str], format_: Format) -> tuple[ReportFile | None, tuple[ReportFile, ...]]:
    """The file in place of standard output, and the files besides, found out before there is anything to lose.

    A remark says so where the first has a name that promises another format than --format.

    Raises
    ------
    IncompleteError, UsageError
        As `labelguard.report.report_file.report_files` does.
    """
    if output is None and not reports:
        return None, ()
    from labelguard.report.report_file import report_file, report_files
    file = None if output is None else report_file(output)
    if output is not None and output.suffix.lower() in {*ENDINGS} - {_ENDING_OF.get(format_, f".{format_}")}:
        remark(f"'{output}' will hold {format_}, as --format says. '--report {output}' writes what the name promises.")
    return file, report_files(reports, [file] if file else ())


def detail_options(function: _Function) -> _Function:
    """Add the options that say how much the text report holds; `labelguard.cli.printing.print_report` obeys them."""
    def chosen(context: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted and context.meta.setdefault(DETAIL, option.name) != option.name:
            raise UsageError("--quiet and --verbose exclude each other; give one of them.")

    for option in reversed((
        click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=chosen,
                     help="Print only the findings that make the exit code 1, and nothing where there are none (of text; not in files)."),
        click.option("-v", "--verbose", is_flag=True, expose_value=False, callback=chosen,
                     help="Tell every finding with all its evidence and files, and not only the worst (of text, in files too)."),
    )):
        function = option(function)
    return function


def memory_option(function: _Function) -> _Function:
    """Add the option that bounds what workers take for the files that they read; its value is in bytes."""
    return click.option("--max-memory", type=click.FloatRange(min=0.1), default=1, show_default=True, metavar="GB",
                        callback=lambda _context, _option, value: value * 1e9,  # which the run judges, as any
                        help="Memory that all workers may take together for the files that they read.")(function)


def resolve_spec(num_classes: int | None, ignore_index: tuple[int, ...], classes: Path | None,
                 preset: str | None) -> tuple[LabelSpec, str]:
    """The spec that flags, preset and the nearest labelguard.toml declare, and where it is from, in words; flags win.

    Raises
    ------
    SpecError
        When a file cannot be read or the declarations contradict each other.
    """
    file = None if preset else find_spec_file(Path.cwd())
    listed = None
    if classes:
        from labelguard.spec.class_files.read import read_classes
        listed = read_classes(classes)
    base = read_preset(preset) if preset else read_spec(seen_from_here(file)) if file else LabelSpec()
    spec = merge_specs(base, num_classes=num_classes, ignore_index=ignore_index, classes=listed)
    given = [name for name, value in (("--num-classes", num_classes), ("--ignore-index", ignore_index), ("--classes", classes)) if value]
    origin = [f"preset {preset}"] * bool(preset) + ([seen_from_here(file)] if file else []) + given
    return spec, ", ".join(origin)


def color_source(spec: LabelSpec, classes: Path | None, preset: str | None) -> str:
    """What `labelguard remap --colors` takes for the colors of a spec that `resolve_spec` gave; empty where it has none."""
    file = find_spec_file(Path.cwd())
    if not spec.colors:
        return ""
    return str(classes or preset or (seen_from_here(file) if file else ""))


def seen_from_here(file: Path) -> str:
    """A file by its way from the current folder, or by its whole path where there is none."""
    with suppress(ValueError):  # another drive
        return os.path.relpath(file)
    return str(file)


def height_and_width(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """A size given as HxW."""
    if value is None:
        return None
    height, _, width = value.lower().partition("x")
    if not (height.isdecimal() and width.isdecimal() and int(height) and int(width)):
        raise click.BadParameter(f"'{value}' is not a size; write height and width in pixels, such as 256x512.")
    return int(height), int(width)


def named_folders(values: Sequence[str], what: str) -> dict[str, str]:
    """The folders of ``NAME=DIR``, by name; empty where all values are plain paths. A path that is there is a path, whatever it is called.

    Raises
    ------
    UsageError
        When named folders and plain paths are mixed, or a name comes twice.
    """
    folders: dict[str, str] = {}
    plain = []
    for value in values:
        match = re.fullmatch(r"([^=/\\]+)=(.*)", value)
        if match is None or os.path.lexists(value):
            plain.append(value)
            continue
        name, folder = match.groups()
        if not folder:
            raise UsageError(f"'{value}' names no folder; write NAME=DIR, as in train=data/train.")
        if name in folders:
            raise UsageError(f"The split '{name}' is given twice in {what}: '{folders[name]}' and '{folder}'. (Give each folder of "
                             "images an option of its own: --images train=DIR --images val=DIR.)")
        folders[name] = folder
    if folders and plain:
        name = next(iter(folders))
        raise UsageError(f"{what} mixes a split, '{name}={folders[name]}', with a plain path, '{plain[0]}': name all of them, or none.")
    return folders
