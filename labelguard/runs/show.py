"""Show: one mask to be looked at, with its image, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import IncompleteError, NotLabelsError, UnreadableMaskError, UsageError
from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.find import find_masks
from labelguard.files.image_folder import match
from labelguard.files.photograph import read_photograph
from labelguard.files.read import read
from labelguard.finding import Finding
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.scaling import as_photograph
from labelguard.report.scan import ScanReport
from labelguard.report.show import ShowReport, worth_enlarging, worth_outlining
from labelguard.runs.options import ScanKeywords, ScanOptions, refuse_unknown_options, scan_options
from labelguard.runs.plan import plan_scan
from labelguard.runs.scan import Scan
from labelguard.spec.argument_checks import StrPath, whole_numbers
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.interop import as_mask
from labelguard.stages.validate import Validate

_OF_SETS = ("absent-class",)  # what one file lacks says nothing


def show(mask: StrPath | Mask | Any, *, image: StrPath | NDArray[Any] | None = None, ids: int | Iterable[int] = (),
         at: Sequence[int] | None = None, options: ScanOptions | None = None, **keywords: Unpack[ScanKeywords]) -> ShowReport:
    """Show one mask: a notebook shows what comes out, `save` writes it as a PNG, and `print` says what is wrong with it.

    Parameters
    ----------
    mask
        A file; or a mask of a loader: a `labelguard.Mask`, an array (H, W), a PIL image or a CPU tensor.
    image
        Its image, below the colors: a file, a folder in which the image is found by the name of the mask, or an array (H, W) or (H, W, C)
        of any type.
    ids
        What to outline; without it, the ids of errors and warnings.
    at
        The pixel to enlarge, (row, column); without it, the first one of these ids, or of a finding.
    options, keywords
        How the mask is checked, as in `labelguard.scan`: `num_classes`, `ignore_index` or a whole `spec`, and so on.

    Raises
    ------
    IncompleteError
        When the mask or the image cannot be read, or is no mask.
    UsageError
        When an argument makes no sense, such as a pixel outside of the mask.

    Examples
    --------
    >>> labelguard.show("masks/a.png", image="images", num_classes=12).save("a_shown.png")  # doctest: +SKIP
    """
    refuse_unknown_options(show, keywords)
    chosen = scan_options(options, keywords)
    scan = None
    if isinstance(mask, (str, os.PathLike)):
        scan = _scan(mask, chosen)
        read_mask = _read(mask)
        findings = tuple(finding for finding in scan.findings if finding.name not in _OF_SETS)
    else:
        read_mask = as_mask(mask)[0]
        findings = _findings(read_mask, chosen.spec)
    facts = MaskFacts.of_labels(read_mask.labels, read_mask.stored)
    wanted = whole_numbers("ids", ids)
    outlined = wanted or worth_outlining(findings, facts)
    place = _place(at, facts.shape) if at is not None else worth_enlarging(read_mask.labels, outlined, () if wanted else findings)
    return ShowReport(mask=read_mask, facts=facts, colors=ClassColors(_meaning(chosen.spec, scan)), findings=findings, scan=scan,
                      image=None if image is None else _image(image, mask, facts.shape), ids=outlined, at=place)


def _scan(path: StrPath, options: ScanOptions) -> ScanReport:
    """What a scan of one file says."""
    if os.path.isdir(path):
        raise UsageError(f"'{os.fspath(path)}' is a folder: name one mask in it. 'labelguard scan' looks through folders.", argument="mask")
    scanning = Scan(plan_scan([path], replace(options, jobs=1)))
    for _ in scanning:
        pass
    return scanning.result()


def _read(path: StrPath) -> Mask:
    try:
        return read(path)
    except (UnreadableMaskError, NotLabelsError) as problem:
        raise IncompleteError(f"'{os.fspath(path)}' cannot be shown: it {problem}.") from None


def _findings(mask: Mask, spec: LabelSpec) -> tuple[Finding, ...]:
    """What the checks on single masks say of a mask that lies in no file, the worst first."""
    return tuple(sorted(Validate(spec).findings(mask), key=lambda finding: (-finding.severity.rank, finding.code)))


def _meaning(spec: LabelSpec, scan: ScanReport | None) -> LabelSpec:
    """What decides on colors: where nothing is declared, all ids count as classes but those that seem to be ignored."""
    if spec.declared or scan is None or scan.inference is None:
        return spec
    return LabelSpec(ignore_index=spec.ignore_index or scan.inference.spec.ignore_index)


def _place(at: Sequence[int], shape: tuple[int, int]) -> tuple[int, int]:
    numbers = whole_numbers("at", at)
    if len(numbers) != 2 or not all(0 <= place < length for place, length in zip(numbers, shape, strict=True)):
        raise UsageError(f"at is {', '.join(map(str, numbers))}; it must be a row from 0 to {shape[0] - 1} and a column from 0 to "
                         f"{shape[1] - 1}, since the mask has {shape[0]} x {shape[1]} pixels.", argument="at")
    return numbers[0], numbers[1]


def _image(image: StrPath | NDArray[Any], mask: Any, shape: tuple[int, int]) -> tuple[NDArray[np.uint8], str]:
    """The pixels of the image, and what it is called."""
    if not isinstance(image, (str, os.PathLike)):
        pixels = np.asarray(image)
        if pixels.ndim not in (2, 3) or not pixels.size or pixels.dtype.kind not in "buif":
            raise UsageError(f"image is an array of {pixels.dtype} and shape {pixels.shape}; it must be (H, W) or (H, W, C) numbers.",
                             argument="image")
        return as_photograph(pixels), "an array"
    path = os.fspath(image)
    if os.path.isdir(path):
        path = _paired(mask, path)
    elif not os.path.exists(path):
        raise IncompleteError(f"The image '{path}' does not exist.")
    try:
        return read_photograph(path, shape), path
    except UnreadableMaskError as problem:
        raise IncompleteError(f"The image '{path}' cannot be shown: it {problem}.") from None


def _paired(mask: Any, folder: str) -> str:
    """The image that belongs to a mask by name: the masks beside it show the rule."""
    if not isinstance(mask, (str, os.PathLike)):
        raise UsageError(f"'{folder}' is a folder, and the mask has no file name to find its image by: name the image.", argument="image")
    path = os.fspath(mask)
    for masks in ([os.path.dirname(path) or "."], [path]):
        listing, images = match(find_masks(masks), folder)
        found = next((images.of_mask[name][0] for file, name in listing.files
                      if name in images.of_mask and os.path.abspath(file) == os.path.abspath(path)), None)
        if found is not None:
            return found
    raise UsageError(f"No image in '{folder}' belongs to '{path}' by its name: name the image itself.", argument="image")
