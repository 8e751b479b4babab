"""Masks and images by name: one rule for all, found from the names, and no pair that a person would not make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.pairing.by_name import Pairing, pair

NUMBERS = range(1, 31)  # 1 is a beginning of 10 to 19, 2 of 20 to 29

ENDINGS = ["_mask", "_masks", "_gt", "_gtFine_labelIds", "_labelIds", "_labelTrainIds", "_L", "_seg", "_segmentation", "_label", "_labels",
           "_color", "_manual1", "-mask", "_MASK", ".mask", " mask", "_1stHO", ".jpg", "_anything", "mask"]
BOTH = [("{}_gtFine_labelIds", "{}_leftImg8bit"), ("aachen_{:06}_000019_gtFine_labelTrainIds", "aachen_{:06}_000019_leftImg8bit"),
        ("case_{:03}", "case_{:03}_0000"), ("mask_{}", "{}"), ("mask_{}", "image_{}"), ("label{}", "img{}"), ("gt-{}", "{}"),
        ("{}_mask", "{}_sat"), ("{}_manual1", "{}_training"), ("{}_Segmentation", "{}"), ("ISIC_{:07}_segmentation", "ISIC_{:07}"),
        ("seq1_{}_L", "seq1_{}"), ("{}_lbl", "{}_img"), ("x_{}_labels", "x_{}_leftImg8bit"),
        ("mask_{}_gt", "img_{}"), ("label-{}-seg", "{}"), ("img_{}_mask", "image_{}"), ("{}", "{}_rgb"), ("{}", "ortho_{}")]


def everything_of(pairing: Pairing) -> list[str]:
    several = {mask for _, masks in pairing.several for mask in masks} - {mask for mask, _ in pairing.pairs}
    return [*(mask for mask, _ in pairing.pairs), *pairing.masks_without, *(mask for mask, _ in pairing.ambiguous), *several]


@pytest.mark.parametrize(("mask", "image"), [("{}" + ending, "{}") for ending in ENDINGS] + BOTH)
def test_the_habits_of_the_field_are_found(mask: str, image: str) -> None:
    found = pair([mask.format(n) + ".png" for n in NUMBERS], [image.format(n) + ".jpg" for n in NUMBERS])
    assert set(found.pairs) == {(mask.format(n) + ".png", image.format(n) + ".jpg") for n in NUMBERS}
    assert not found.masks_without and not found.images_without and not found.ambiguous


def test_the_rule_is_said_in_words() -> None:
    found = pair(["a_1_gtFine_labelIds.png", "a_2_gtFine_labelIds.png"], ["a_1_leftImg8bit.png", "a_2_leftImg8bit.png"])
    assert found.rule == "masks `*_gtFine_labelIds.png` belong to images `*_leftImg8bit.png`"
    assert pair(["a.png", "b.png"], ["a.jpg", "b.JPG"]).rule == "masks `*.png` belong to images `*.jpg`"
    assert pair(["a.png", "b.tif"], ["a.jpg", "b.jpg"]).rule == "masks `*.*` belong to images `*.jpg`"
    assert pair(["a.png"], ["b.png"]).rule == "no rule pairs any mask with an image"


def test_a_name_never_pairs_with_a_longer_one_that_begins_alike() -> None:
    assert pair(["1.png", "2.png"], ["1.jpg", "10.jpg", "11.jpg", "12.jpg"]) == Pairing(
        "masks `*.png` belong to images `*.jpg`", (("1.png", "1.jpg"),), ("2.png",), ("10.jpg", "11.jpg", "12.jpg"), ())
    assert pair(["1_mask.png"], ["10.jpg", "11.jpg"]).pairs == ()
    assert pair(["img_1.png"], ["img_1_2.jpg", "img_1_3.jpg"]).pairs == ()


@pytest.mark.parametrize(("mask", "image"), [("val_{}", "train_{}"), ("mask_val_{}", "img_train_{}"), ("b{}", "a{}"), ("{}_2", "{}_1"),
                                             ("frame_{:03}_b", "frame_{:03}_a")])
def test_pictures_of_another_set_are_no_pairs(mask: str, image: str) -> None:
    found = pair([mask.format(n) for n in NUMBERS], [image.format(n) for n in NUMBERS])
    assert not found.pairs and len(found.masks_without) == len(found.images_without) == len(NUMBERS)


def test_two_images_of_one_stem_are_ambiguous() -> None:
    found = pair(["a_mask.png", "b_mask.png"], ["a.jpg", "a.png", "b.jpg"])
    assert found.ambiguous == (("a_mask.png", ("a.jpg", "a.png")),) and found.pairs == (("b_mask.png", "b.jpg"),)
    assert not found.images_without


def test_two_masks_that_claim_one_image_are_ambiguous() -> None:
    found = pair(["a.png", "a.tif", "b.png"], ["a.jpg", "b.jpg"])
    assert found.ambiguous == (("a.png", ("a.jpg",)), ("a.tif", ("a.jpg",))) and found.pairs == (("b.png", "b.jpg"),)


def test_case_matters_only_where_it_tells_two_names_apart() -> None:
    assert pair(["IMG_1_Mask.PNG"], ["img_1.jpg"]).pairs == (("IMG_1_Mask.PNG", "img_1.jpg"),)
    found = pair(["A.png", "a.png"], ["A.jpg", "a.jpg"])
    assert found.pairs == (("A.png", "A.jpg"), ("a.png", "a.jpg")) and not found.ambiguous
    found = pair(["A.png", "a.png"], ["a.jpg"])
    assert found.pairs == (("a.png", "a.jpg"),) and found.masks_without == ("A.png",)


@pytest.mark.parametrize(("mask", "image"), [
    ("{}/masks/{}.png", "{}/images/{}.jpg"), ("masks/{}/{}.png", "images/{}/{}.jpg"), ("{}/{}.png", "{}/{}.jpg"),
    ("{}/{}.png", "rgb/{}/{}.jpg"), ("{}/sem_seg/{}_mask.png", "{}/rgb/{}.jpg")])
def test_equal_names_in_several_splits_pair_within_their_split(mask: str, image: str) -> None:
    masks = [mask.format(split, n) for split in ("train", "val") for n in NUMBERS]
    images = [image.format(split, n) for split in ("train", "val") for n in NUMBERS]
    found = pair(masks, images)
    assert set(found.pairs) == set(zip(masks, images, strict=True)) and not found.ambiguous


def test_splits_are_not_mixed_to_make_up_for_a_missing_image() -> None:
    found = pair(["train/1.png", "train/2.png", "train/3.png", "val/1.png"], ["train/1.jpg", "train/2.jpg", "val/1.jpg", "val/3.jpg"])
    assert found.masks_without == ("train/3.png",) and found.images_without == ("val/3.jpg",)
    assert found.rule == "masks `*.png` belong to images `*.jpg` in the same sub-folder"


def test_sub_folders_that_only_one_side_has_do_not_matter() -> None:
    found = pair(["1.png", "2.png"], ["rome/1.jpg", "oslo/2.jpg"])
    assert found.pairs == (("1.png", "rome/1.jpg"), ("2.png", "oslo/2.jpg"))


def test_further_channels_are_no_images_without_a_mask() -> None:
    images = [f"case_{n:03}_{channel:04}.png" for n in (1, 2, 3) for channel in (0, 1)]
    found = pair(["case_001.png", "case_002.png"], images)
    assert [image for _, image in found.pairs] == ["case_001_0000.png", "case_002_0000.png"]
    assert found.images_without == ("case_003_0000.png", "case_003_0001.png")


def test_one_of_several_kinds_of_masks_is_chosen() -> None:
    found = pair([f"a_{n}_gtFine_{kind}.png" for n in NUMBERS for kind in ("color", "instanceIds", "labelIds")],
                 [f"a_{n}_leftImg8bit.png" for n in NUMBERS])
    assert len(found.pairs) == len(NUMBERS) and all(mask.endswith("labelIds.png") for mask, _ in found.pairs)
    assert len(found.masks_without) == 2 * len(NUMBERS)


@pytest.mark.parametrize(("masks", "images"), [([], []), (["a.png"], []), ([], ["a.png"])])
def test_empty_lists_have_no_pairs(masks: list[str], images: list[str]) -> None:
    assert pair(masks, images) == Pairing("no rule pairs any mask with an image", (), tuple(masks), tuple(images), ())


NAMES = st.lists(st.builds("{}{}{}".format, st.sampled_from(["", "t/", "v/", "t/m/"]), st.text("aAbİ10_-.", min_size=1, max_size=6),
                           st.sampled_from([".png", ".jpg", ".PNG", ""])), max_size=15)


@given(NAMES, NAMES)
def test_every_name_has_one_place(masks: list[str], images: list[str]) -> None:
    found = pair(masks, images)
    assert sorted(everything_of(found)) == sorted(set(masks))
    paired = [image for _, image in found.pairs]
    unclear = {image for _, some in found.ambiguous for image in some}
    assert len(paired) == len(set(paired)) and not set(paired) & unclear and not (set(paired) | unclear) & set(found.images_without)
    assert {*paired, *unclear, *found.images_without} <= set(images)
    assert all(some for _, some in found.ambiguous)
    for names in (found.pairs, found.masks_without, found.images_without, found.ambiguous):
        assert list(names) == sorted(names)


@given(NAMES, NAMES, st.randoms(use_true_random=False))
def test_the_order_of_the_names_does_not_matter(masks: list[str], images: list[str], random: Any) -> None:
    mixed, others = [*masks, *masks[:1]], list(images)
    random.shuffle(mixed)
    random.shuffle(others)
    assert pair(mixed, others) == pair(masks, images)


@given(st.sets(st.integers(0, 2000), min_size=2, max_size=60), st.sets(st.integers(0, 2000), max_size=60),
       st.sampled_from([("{}" + ending, "{}") for ending in ENDINGS] + BOTH + [("{}", "{}")]))
def test_pairs_are_those_of_equal_numbers(of_masks: set[int], of_images: set[int], habit: tuple[str, str]) -> None:
    """Against the plain definition, whatever is missing on either side, as long as enough is there to see the habit."""
    both = {number + 1 for number in of_masks} | {7, 77, 777}
    masks = {habit[0].format(number) + ".png": number for number in both}
    images = {habit[1].format(number) + ".jpg": number for number in (of_images | {7, 77, 777})}
    found = pair(masks, images)
    assert {(masks[mask], images[image]) for mask, image in found.pairs} == {(n, n) for n in both & set(images.values())}
    assert not found.ambiguous


@pytest.mark.parametrize(("folder", "pairs", "masks_without"), [
    ("camvid", 31, 336), ("voc_palette", 3, 0), ("pets", 46, 0), ("polyp", 16, 0)])
def test_real_folders(real_data: Path, folder: str, pairs: int, masks_without: int) -> None:
    masks, images = ([path.name for path in (real_data / folder / side).iterdir()] for side in ("masks", "images"))
    found = pair(masks, images)
    assert (len(found.pairs), len(found.masks_without)) == (pairs, masks_without) and not found.images_without and not found.ambiguous
    assert all(Path(mask).stem == Path(image).stem for mask, image in found.pairs)


@pytest.mark.parametrize(("elsewhere", "adopted"), [(3, False), (4, False), (5, True)])
def test_folders_are_looked_at_more_loosely_only_where_that_more_than_doubles_the_pairs(elsewhere: int, adopted: bool) -> None:
    strangers = [chr(ord("a") + number) * 4 for number in range(10)]  # in no pair, whatever the rule
    masks = [*(f"here/x{number}.png" for number in range(4)), *(f"left/y{number}.png" for number in range(elsewhere)),
             *(f"left/{word}.png" for word in strangers)]
    images = [*(f"here/x{number}.jpg" for number in range(4)), *(f"right/y{number}.jpg" for number in range(elsewhere)),
              *(f"right/{word.upper()}{word[:2].upper()}.jpg" for word in strangers)]
    assert len(pair(masks, images).pairs) == (4 + elsewhere if adopted else 4)
