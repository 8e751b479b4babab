"""LG303: images that EXIF turns, and on which view their masks were drawn."""

from __future__ import annotations

import pytest

from labelguard.checks import exif_orientation as check
from labelguard.checks import size_mismatch, transposed
from labelguard.finding import Severity
from tests.checks.paired import photo, said_of, sized, turned
from tests.checks.scenes import on_dataset

UPRIGHT, LYING = sized(60, 40), sized(40, 60)


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
@pytest.mark.parametrize("format_", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_a_mask_of_the_turned_view_is_an_error(orientation: int, format_: str) -> None:
    couples = {"a": (UPRIGHT, turned(orientation, format_=format_)), "b": (LYING, turned(1, format_=format_))}
    finding, = said_of(check, couples, pixels=False)
    assert finding.path == "a.png" and finding.severity is Severity.ERROR
    assert finding.message.startswith("The mask fits its image as EXIF turns it, and not the stored pixels")
    assert finding.evidence == (f"image: a.jpg, EXIF orientation {orientation}",
                                "mask 60 x 40, image 40 x 60 stored and 60 x 40 turned (height x width)")
    assert not said_of(transposed, couples) and not said_of(size_mismatch, couples)


def test_masks_of_the_stored_pixels_are_a_note() -> None:
    finding, = said_of(check, {str(n): (LYING, turned(6)) for n in range(3)})
    assert finding.severity is Severity.NOTE and finding.files == ("0.png", "1.png", "2.png")
    assert finding.message.startswith("3 masks fit their images as stored")


def test_masks_of_both_views_in_one_set_are_errors_all() -> None:
    findings = said_of(check, {"a": (UPRIGHT, turned(6)), "b": (LYING, turned(6))})
    assert [(finding.path, finding.severity) for finding in findings] == [("a.png", Severity.ERROR), ("b.png", Severity.ERROR)]
    assert "no loader suits both" in findings[1].message


@pytest.mark.parametrize(("orientation", "shape"), [(2, (40, 60)), (3, (40, 60)), (4, (40, 60)), (6, (50, 50)), (8, (50, 50))])
def test_where_sizes_cannot_tell_it_is_undetermined(orientation: int, shape: tuple[int, int]) -> None:
    finding, = said_of(check, {"a": (sized(*shape), turned(orientation, *shape))})
    assert finding.severity is Severity.NOTE and "undetermined" in finding.message and finding.files == ("a.png",)


def test_it_leaves_alone() -> None:
    assert on_dataset(check, [LYING]) == []
    assert said_of(check, {"a": (LYING, turned(1)), "b": (LYING, photo()), "c": (UPRIGHT, turned(1)), "d": (sized(9, 9), turned(6))}) == []
