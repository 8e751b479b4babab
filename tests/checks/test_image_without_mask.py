"""LG402: images that no mask belongs to."""

from __future__ import annotations

from labelguard.checks import image_without_mask as check
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.finding import Severity
from labelguard.pairing.by_name import pair
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import NOTHING, on_dataset


def test_images_without_a_mask_are_named() -> None:
    finding, = said_of(check, {"1": (sized(40, 60), photo()), "2": (None, photo()), "3": (None, photo())})
    assert finding.files == ("2.jpg", "3.jpg") and finding.path is None and finding.subject == "image"
    assert finding.message == "2 images in 'images' have no mask." and finding.severity is Severity.WARNING


def test_further_channels_are_pointed_out() -> None:
    images = [f"BraTS_{n:03}_{channel}.png" for n in range(5) for channel in ("t1", "t2", "flair")]
    data = DatasetFacts(images=ImageSet("images", pair([f"BraTS_{n:03}_seg.png" for n in range(5)], images)))
    finding, = check.rule.dataset_check(data, NOTHING)
    assert finding.evidence[1] == "5 of them end with _flair, as no paired image does: they may be further channels of those."


def test_it_leaves_alone() -> None:
    assert on_dataset(check, []) == []
    assert said_of(check, {"1": (sized(40, 60), photo()), "2": (sized(40, 60), None)}) == []
    channels = ImageSet("images", pair(["a.png", "b.png"], [f"{stem}_000{channel}.png" for stem in "ab" for channel in range(4)]))
    assert list(check.rule.dataset_check(DatasetFacts(images=channels), NOTHING)) == []
