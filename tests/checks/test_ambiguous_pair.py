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


@pytest.mark.parametrize(("masks", "images"), [
    (["1.png"], ["1.jpg", "10.jpg", "11.jpg"]), (["A.png", "a.png"], ["A.jpg", "a.jpg"]), (["x.png"], ["y.jpg"]),
    (["t/1.png", "v/1.png"], ["t/1.jpg", "v/1.jpg"])])
def test_it_leaves_alone(masks: list[str], images: list[str]) -> None:
    assert said_of_names(masks, images) == []
    assert on_dataset(check, []) == []
