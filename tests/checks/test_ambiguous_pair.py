"""LG403: names that pair in more than one way."""

from __future__ import annotations

import pytest

from labelguard.checks import ambiguous_pair as check
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.finding import Finding
from labelguard.pairing.by_name import pair
from tests.checks.scenes import NOTHING, on_dataset


def said_of_names(masks: list[str], images: list[str]) -> list[Finding]:
    return list(check.rule.dataset_check(DatasetFacts(images=ImageSet("images", pair(masks, images))), NOTHING))


def test_both_images_of_a_stem_are_named() -> None:
    finding, = said_of_names(["a.png", "b.png"], ["a.jpg", "a.png", "b.jpg"])
    assert finding.files == ("a.png",) and finding.evidence == ("a.png: a.jpg and a.png",)
    assert finding.message == "1 mask cannot be paired: several images, or several masks, have the same name."


def test_two_masks_of_one_image_are_named() -> None:
    finding, = said_of_names(["a.png", "a.tif", "b.png"], ["a.jpg", "b.jpg"])
    assert finding.files == ("a.png", "a.tif")


def test_a_long_list_is_cut() -> None:
    finding, = said_of_names([f"{n}.png" for n in range(20)], [f"{n}.{suffix}" for n in range(20) for suffix in ("jpg", "png")])
    assert len(finding.files) == 20 and len(finding.evidence) == 9 and finding.evidence[-1] == "and 12 more masks"


@pytest.mark.parametrize(("masks", "images", "several"), [
    (["a_0.png", "a_1.png", "b_0.png", "b_1.png", "b_2.png"], ["a.jpg", "b.jpg"],
     ["a.jpg: a_0.png and a_1.png", "b.jpg: b_0.png, b_1.png and b_2.png"]),
    (["a_mask_0.png", "a_mask_1.png"], ["a.jpg"], ["a.jpg: a_mask_0.png and a_mask_1.png"]),
    (["a.png", "a_old.png", "b.png"], ["a.jpg", "b.jpg"], ["a.jpg: a.png and a_old.png"]),
    (["a_mask.png", "a_mask_v2.png", "b_mask.png"], ["a.jpg", "b.jpg"], ["a.jpg: a_mask.png and a_mask_v2.png"]),
    (["a.png", "a (1).png", "b.png"], ["a.jpg", "b.jpg"], ["a.jpg: a.png and a (1).png"]),
    (["x/masks/p.png", "x/masks/q.png", "y/masks/r.png", "y/masks/s.png"], ["x/images/x.png", "y/images/y.png"],
     ["x/images/x.png: x/masks/p.png and x/masks/q.png", "y/images/y.png: y/masks/r.png and y/masks/s.png"])])
def test_several_masks_of_one_image_are_named(masks: list[str], images: list[str], several: list[str]) -> None:
    finding, = said_of_names(masks, images)
    assert [*finding.evidence] == several and len(finding.files) == len(masks) - len(pair(masks, images).pairs)
    assert not pair(masks, images).masks_without and not pair(masks, images).images_without


def test_how_many_are_left_is_said() -> None:
    finding, = said_of_names(["a.png", "a_old.png", "b.png"], ["a.jpg", "b.jpg"])
    assert finding.message == "1 image has several masks, up to 2: 1 mask is left without an image of its own."
    finding, = said_of_names([f"{n}_{k}.png" for n in range(20) for k in range(5)], [f"{n}.jpg" for n in range(20)])
    assert finding.message == "20 images have several masks, up to 5: 100 masks are left without an image of their own."
    assert len(finding.evidence) == 9 and finding.evidence[-1] == "and 12 more images"


@pytest.mark.parametrize(("masks", "images"), [
    (["a.png", "a_2.png"], ["a.jpg"]), (["a_2.png"], ["a.jpg"]), (["a.png", "a_color.png"], ["a.jpg"]),
    (["a_1.png", "a_2.png", "a_3.png"], ["a_1.jpg", "a_2.jpg", "a_4.jpg"]), (["x/p.png"], ["x.png"]), (["old.png", "b.png"], ["b.jpg"]),
    (["1.png"], ["1.jpg", "10.jpg", "11.jpg"]), (["A.png", "a.png"], ["A.jpg", "a.jpg"]), (["x.png"], ["y.jpg"]),
    (["t/1.png", "v/1.png"], ["t/1.jpg", "v/1.jpg"])])
def test_it_leaves_alone(masks: list[str], images: list[str]) -> None:
    assert said_of_names(masks, images) == []


def test_nothing_is_said_without_images() -> None:
    assert on_dataset(check, []) == []
