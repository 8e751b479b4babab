"""labelguard scan."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labelguard.cli.options import (
    DEFAULT_SOURCE,
    color_source,
    detail_options,
    height_and_width,
    memory_option,
    named_folders,
    planned_reports,
    report_options,
    resolve_spec,
    selection_options,
    spec_options,
)
from labelguard.cli.printing import DETAIL, print_report, remark
from labelguard.cli.scan_settings import ScanCommand, check_codes
from labelguard.errors import UsageError

if TYPE_CHECKING:
    from labelguard.report.base import Format
    from labelguard.report.scan_settings import ScanSettings
    from labelguard.runs.compare_splits import SplitScan
    from labelguard.runs.pool import Backend
    from labelguard.spec.acceptance import Acceptance


@click.command(name="scan", cls=ScanCommand, short_help="Name what is wrong with masks.")
@click.argument("paths", nargs=-1, metavar="[PATHS...]")
@selection_options
@click.option("--images", type=click.Path(), multiple=True, metavar="DIR",
              help="Folder of the images, to check pairs too; NAME=DIR for the images of a split (repeatable).")
@click.option("--boxes", type=click.Path(), multiple=True, metavar="FILE",
              help="COCO file whose boxes are checked (repeatable). Without masks, only boxes are checked.")
@click.option("--instances", is_flag=True, help="The ids are instances: check the boxes that follow from them.")
@click.option("--batch-size", type=click.IntRange(min=1), metavar="N", help="Check what batches of N masks (on one device) will hold.")
@click.option("--crop", callback=height_and_width, metavar="HxW", help="Check what random crops of H x W pixels will hold.")
@spec_options
@click.option("--select", multiple=True, metavar="CODES",
              help="Run only these checks: codes, families such as LG1, or names; separated by commas.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Skip these checks; written like --select.")
@click.option("--fail-on", type=click.Choice(["error", "warning", "never"]), default="error", show_default=True,
              help="Exit with code 1 on findings of this severity or worse.")
@click.option("--baseline", type=click.Path(), metavar="FILE", help="Fail only on findings that FILE does not know.")
@click.option("--write-baseline", type=click.Path(), metavar="FILE", help="Write what is found to FILE, as known from now on.")
@click.option("--format", "format_", type=click.Choice(["text", "json", "jsonl", "github"]), default="text", show_default=True,
              help="Format of the report that is printed; github annotates the files of a pull request, then prints the text.")
@click.option("--explain", is_flag=True, help="Print every explanation of the ids that was weighed, with its odds and the evidence.")
@detail_options
@report_options
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of workers; by default one per processor.")
@click.option("--backend", type=click.Choice(["threading", "loky"]), default="threading", show_default=True,
              help="Run the workers as threads or as processes.")
@memory_option
@click.pass_context
def command(context: click.Context, paths: tuple[str, ...], include: tuple[str, ...], exclude: tuple[str, ...],
            files_from: str | None, images: tuple[str, ...], boxes: tuple[str, ...], instances: bool,
            batch_size: int | None, crop: tuple[int, int] | None,
            num_classes: int | None, ignore_index: tuple[int, ...], classes: Path | None, preset: str | None, select: tuple[str, ...],
            ignore: tuple[str, ...], fail_on: str, baseline: str | None, write_baseline: str | None, explain: bool, format_: Format,
            output: Path | None, reports: tuple[str, ...], jobs: int | None, backend: Backend, max_memory: int,
            settings: ScanSettings | None, accept: tuple[Acceptance, ...]) -> None:
    """Look through masks and name what is wrong with them.

    PATHS are files or folders, searched recursively; by default ./masks. Declare what the ids mean with the options below, or with a
    labelguard.toml in this folder or a folder above it, whose table [scan] may hold other options too. Without a declaration, labelguard
    infers it, says so, and skips the checks that need one. Only what every check has looked at is called clean: else the summary says
    what is missing.

    In the folder of a whole data set, masks and images are told apart by names, where these follow a layout that is known; the
    report says so.

    With --images, or where the layout tells them, images are paired with their masks by name, and each pair is checked: sizes, EXIF
    orientation, and whether the mask lies on what the image shows. The images themselves are checked too.

    With --batch-size or --crop, labelguard computes how many batches or random crops will hold no valid pixel, no foreground, or not every
    class.

    With --baseline, findings that are known do not fail the run; in a labelguard.toml, [[accept]] says with a reason which ones never do.

    Two or more PATHS of the form NAME=DIR are splits: each is scanned on its own, then they are compared.

    \b
    labelguard scan ./masks --num-classes 12 --ignore-index 255
    labelguard scan ./masks --num-classes 12 --explain
    labelguard scan ./masks --images ./images
    labelguard scan ./dataset
    labelguard scan ./gtFine --include '*_labelIds.png' --preset cityscapes
    labelguard scan ./masks --num-classes 12 --batch-size 8 --crop 256x256
    labelguard scan ./masks --num-classes 12 --write-baseline labelguard-baseline.json
    labelguard scan train=train/masks val=val/masks --images train=train/images --images val=val/images
    labelguard scan ./masks --preset voc --report report.html --report report.json

    Exit codes: 0 no findings at or above --fail-on; 1 findings; 2 wrong usage; 3 could not complete; 130 interrupted.
    """
    spec, origin = resolve_spec(num_classes, ignore_index, classes, preset)
    if explain and context.meta.get(DETAIL) == "quiet":
        raise UsageError("--quiet and --explain exclude each other; give one of them.")
    if not images:  # only pairs are judged by products of matrices; OpenBLAS otherwise starts a thread a processor when numpy is imported
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if settings is not None:
        check_codes(settings)
    from labelguard.cli.progress import waiting, watch_to_its_end
    from labelguard.finding import Severity
    from labelguard.runs.options import ScanOptions
    from labelguard.runs.plan import plan_scan
    from labelguard.runs.scan import Scan
    file, files = planned_reports(output, reports, format_)
    if write_baseline is not None:
        from labelguard.cli.known_findings import held_against, known_from_now_on
        baseline = held_against(baseline, write_baseline, [*files, *([file] if file else [])])
    options = ScanOptions(spec=spec, include=include, exclude=exclude, files_from=files_from, select=select, ignore=ignore,
                          instances=instances, batch_size=batch_size, crop=crop, jobs=jobs, backend=backend, max_memory=max_memory,
                          accept=accept, baseline=baseline, origin=origin, colors_from=color_source(spec, classes, preset))
    splits = named_folders(paths, "PATHS")
    scan: Scan | SplitScan
    if splits:
        from labelguard.runs.compare_splits import SplitScan, plan_splits
        _check_split_options(splits, images, boxes)
        with waiting("looking for masks"):
            scan = SplitScan(plan_splits(splits, options, images=named_folders(images, "--images")))
    else:
        if len(images) > 1:
            raise UsageError("--images is given more than once, which goes with splits only: labelguard scan train=DIR val=DIR "
                             "--images train=DIR --images val=DIR")
        if not paths and not (boxes and not Path(DEFAULT_SOURCE).exists()):
            paths = (DEFAULT_SOURCE,)
        with waiting("looking for masks"):
            scan = Scan(plan_scan(paths, options, images=images[0] if images else None, boxes=boxes))
    watch_to_its_end(scan)
    with waiting("weighing what may have happened to the ids"):
        report = replace(scan.result().explained() if explain else scan.result(), settings=settings)
    unwritten = None
    if write_baseline is not None:
        report, unwritten = known_from_now_on(report, write_baseline)
    limit = None if fail_on == "never" else Severity(fail_on)
    print_report(report, format_, file, limit, files)
    if unwritten is not None:
        if report.complete:
            raise unwritten
        remark(str(unwritten))
    context.exit(report.exit_code(limit))


def _check_split_options(splits: dict[str, str], images: tuple[str, ...], boxes: tuple[str, ...]) -> None:
    """Refuse what goes with one set of masks only."""
    first, folder = next(iter(splits.items()))
    if boxes:
        raise UsageError("--boxes goes with one set of masks, not with splits; check boxes in a run of their own.")
    if len(splits) == 1:
        raise UsageError(f"'{first}={folder}' is not a file or folder; read as NAME=DIR it is a split, and a single split has nothing to "
                         "be compared with: name two or more, as in train=DIR val=DIR.")
    if images and not named_folders(images, "--images"):
        raise UsageError(f"Whose images are in '{images[0]}'? Name the split: --images {first}={images[0]}")
