"""LG303 to LG305 by what images show, through a whole scan."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from PIL import Image

import labelguard
from labelguard.cli import main
from labelguard.finding import Finding, Severity
from labelguard.report.scan import ScanReport
from tests.pairing.alignment.pictures import Pair, name, remade, rotated, scenes

SQUARE = (96, 96)


@pytest.fixture
def scanned(tmp_path: Path) -> Callable[..., ScanReport]:
    """Write pairs, each image with the EXIF orientation given, and scan them."""
    def scan(pairs: Sequence[Pair], orientations: Sequence[int] = (), select: Sequence[str] = ("LG3",), **how: object) -> ScanReport:
        write(tmp_path, pairs, orientations)
        return labelguard.scan(tmp_path / "masks", images=tmp_path / "images", select=select, **how)  # type: ignore[arg-type]
    return scan


def write(root: Path, pairs: Sequence[Pair], orientations: Sequence[int] = ()) -> None:
    (root / "masks").mkdir()
    (root / "images").mkdir()
    for number, (image, labels) in enumerate(pairs):
        Image.fromarray(np.ascontiguousarray(labels)).save(root / "masks" / name(number))
        exif = Image.Exif()
        if orientations:
            exif[0x0112] = orientations[number]
        Image.fromarray(np.ascontiguousarray(image)).save(root / "images" / f"{number:03}.jpg", quality=90, exif=exif)


def said(report: ScanReport) -> list[tuple[str, Severity, int]]:
    return [(finding.code, finding.severity, len(finding.files)) for finding in report.findings]


def only(report: ScanReport) -> Finding:
    finding, = report.findings
    return finding


def why_not(report: ScanReport) -> list[str]:
    return [check.why for check in report.skipped_checks if check.code == "LG305"]


def transposed(labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(labels.T)


@pytest.mark.parametrize("shape", [(96, 160), SQUARE])
def test_pairs_that_belong_together_are_clean(scanned: Callable[..., Any], shape: tuple[int, ...]) -> None:
    report = scanned(scenes(16, shape))
    assert said(report) == [] and why_not(report) == []
    assert len(report.data.alignment.pairs) == 16


def test_pairs_that_are_off_by_one_name(scanned: Callable[..., Any]) -> None:
    finding = only(scanned(rotated(scenes(16), 1)))
    assert (finding.code, finding.severity) == ("LG305", Severity.ERROR)
    assert finding.message == "The masks are those of the images 1 name further on."


def test_a_third_of_the_masks_flipped(scanned: Callable[..., Any]) -> None:
    finding = only(scanned(remade(scenes(24), np.fliplr, every=3)))
    assert (finding.code, finding.severity) == ("LG305", Severity.WARNING)
    assert len(finding.files) >= 7 and set(finding.files) <= {name(number) for number in range(0, 24, 3)}


def test_transposed_squares_are_said_once(scanned: Callable[..., Any]) -> None:
    report = scanned(remade(scenes(16, SQUARE), transposed))
    finding = only(report)
    assert (finding.code, finding.severity) == ("LG304", Severity.ERROR)
    assert finding.message == "The masks are transposed, as the content of 16 images shows."


@pytest.mark.parametrize("select", ["LG304", "LG305"])
def test_transposed_squares_whatever_is_asked(scanned: Callable[..., Any], select: str) -> None:
    report = scanned(remade(scenes(16, SQUARE), transposed), select=[select])
    assert [finding.code for finding in report.findings] == ["LG304"] * (select == "LG304")


def test_some_squares_transposed(scanned: Callable[..., Any]) -> None:
    finding = only(scanned(remade(scenes(24, SQUARE), transposed, every=3)))
    assert (finding.code, finding.severity) == ("LG304", Severity.WARNING)
    assert finding.files == tuple(name(number) for number in range(0, 24, 3))


def test_squares_turned_by_90_degrees_are_misaligned(scanned: Callable[..., Any]) -> None:
    finding = only(scanned(remade(scenes(16, SQUARE), np.rot90)))
    assert (finding.code, finding.message) == ("LG305", "The masks are rotated by 90 degrees to the left relative to their images.")


def test_without_contrast_it_abstains_and_says_why(scanned: Callable[..., Any]) -> None:
    report = scanned(scenes(12, contrast=0.5, noise=25))
    why, = why_not(report)
    assert said(report) == [] and why.startswith("the edges of the images follow those of the masks no more than by chance")


def test_the_text_says_why_where_images_were_given(tmp_path: Path) -> None:
    write(tmp_path, scenes(2))
    asked = ["scan", str(tmp_path / "masks"), "--images", str(tmp_path / "images")]
    why = "only 2 pairs have edges in both image and mask, and 3 are needed"
    assert f"Not checked: LG305 ({why})." in CliRunner().invoke(main, asked).stdout
    report = json.loads(CliRunner().invoke(main, [*asked, "--format", "json"]).stdout)
    assert {"code": "LG305", "why": why} in report["skipped_checks"]


def test_masks_of_another_size_are_not_judged(scanned: Callable[..., Any]) -> None:
    report = scanned([(image, labels[::2, ::2]) for image, labels in rotated(scenes(8), 1)])
    assert {finding.code for finding in report.findings} == {"LG302"} and not report.data.alignment.pairs
    assert why_not(report) == ["no mask of exact ids has the size of its image"]


def test_swapped_sides_are_said_once(scanned: Callable[..., Any]) -> None:
    report = scanned(remade(scenes(8), transposed))
    assert {finding.code for finding in report.findings} == {"LG304"} and len(report.findings) == 8


def test_nothing_is_looked_at_unless_it_is_asked(scanned: Callable[..., Any]) -> None:
    assert not scanned(scenes(4), select=["LG302", "LG602"]).data.alignment.pairs


@pytest.mark.parametrize("jobs", [1, 3])
def test_workers_make_no_difference(scanned: Callable[..., Any], jobs: int) -> None:
    finding = only(scanned(rotated(scenes(9), 2), jobs=jobs))
    assert finding.message == "The masks are those of the images 2 names further on."


def lying(pairs: Sequence[Pair], orientation: int) -> list[Pair]:
    """The images as a camera stores them that notes this orientation."""
    back = {2: np.fliplr, 3: lambda image: np.rot90(image, 2), 4: np.flipud, 5: lambda image: image.swapaxes(0, 1), 6: np.rot90,
            7: lambda image: np.rot90(image, 2).swapaxes(0, 1), 8: lambda image: np.rot90(image, -1)}
    return [(back[orientation](image), labels) for image, labels in pairs]


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
def test_images_that_exif_turns_to_the_size_of_their_masks(scanned: Callable[..., Any], orientation: int) -> None:
    report = scanned(lying(scenes(8), orientation), [orientation] * 8)
    assert {finding.code for finding in report.findings} == {"LG303"} and len(report.findings) == 8


@pytest.mark.parametrize(("orientation", "shape"), [*((n, (96, 160)) for n in (2, 3, 4)), *((n, SQUARE) for n in (5, 6, 7, 8))])
def test_content_tells_the_view_where_sizes_do_not(scanned: Callable[..., Any], orientation: int, shape: tuple[int, ...]) -> None:
    finding = only(scanned(lying(scenes(8, shape), orientation), [orientation] * 8))
    assert (finding.code, finding.severity) == ("LG303", Severity.WARNING) and "fit the turned view" in finding.message


def test_masks_on_the_pixels_as_stored(scanned: Callable[..., Any]) -> None:
    finding = only(scanned(scenes(8, SQUARE), [6] * 8))
    assert (finding.code, finding.severity) == ("LG303", Severity.NOTE) and "fit the pixels as stored" in finding.message


@pytest.mark.parametrize("tagged", [1, 2])
def test_few_tagged_images_are_undetermined_and_not_misaligned(scanned: Callable[..., Any], tagged: int) -> None:
    pairs = scenes(24, SQUARE)
    finding = only(scanned(lying(pairs[:tagged], 3) + pairs[tagged:], [3] * tagged + [1] * (24 - tagged)))
    assert (finding.code, finding.severity) == ("LG303", Severity.NOTE) and "undetermined" in finding.message


def test_both_views_in_one_set_are_undetermined(scanned: Callable[..., Any]) -> None:
    pairs = scenes(12, SQUARE)
    assert "undetermined" in only(scanned(lying(pairs[:6], 3) + pairs[6:], [3] * 12)).message


def test_a_fault_is_found_on_the_view_that_fits(scanned: Callable[..., Any]) -> None:
    report = scanned(lying(rotated(scenes(16, SQUARE), 1)[:4] + scenes(16, SQUARE)[4:], 3), [3] * 16)
    assert {finding.code for finding in report.findings} == {"LG303", "LG305"}


def test_palette_images_are_looked_at_in_color(tmp_path: Path) -> None:
    for folder in ("masks", "images"):
        (tmp_path / folder).mkdir()
    for number, (image, labels) in enumerate(rotated(scenes(16), 1)):
        Image.fromarray(labels).save(tmp_path / "masks" / name(number))
        Image.fromarray(image).quantize(64).save(tmp_path / "images" / name(number))
    assert only(labelguard.scan(tmp_path / "masks", images=tmp_path / "images", select=["LG3"])).message.endswith("1 name further on.")
