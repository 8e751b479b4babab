"""LG401: masks that no image belongs to."""

from __future__ import annotations

from labelguard.checks import mask_without_image as check
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.pairing.by_name import pair
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import NOTHING, on_dataset


def test_masks_without_an_image_are_named() -> None:
    finding, = said_of(check, {"1": (sized(40, 60), photo()), "2": (sized(40, 60), None), "10": (sized(40, 60), photo())})
    assert finding.files == ("2.png",) and finding.path is None and finding.subject == "mask"
    assert finding.message == "1 of 3 masks has no image in 'images'."
    assert finding.evidence == ("Rule: masks `*.png` belong to images `*.jpg`.",)


def test_another_kind_of_mask_among_them_is_pointed_out() -> None:
    masks = [f"a_{n}_gtFine_{kind}.png" for n in range(5) for kind in ("labelIds", "color")]
    data = DatasetFacts(images=ImageSet("images", pair(masks, [f"a_{n}_leftImg8bit.png" for n in range(5)])))
    finding, = check.rule.dataset_check(data, NOTHING)
    assert len(finding.files) == 5
    assert finding.evidence[1] == "5 of them end with _color, as no paired mask does: they may be masks of another kind."


def test_it_leaves_alone() -> None:
    assert on_dataset(check, []) == []  # no images given
    assert said_of(check, {"1": (sized(40, 60), photo()), "2": (None, photo())}) == []
