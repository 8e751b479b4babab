from __future__ import annotations

import pytest

from labelguard.files.layouts import Layout, find_layout
from labelguard.files.selection import matcher


def split(layout: Layout | None, names: list[str]) -> tuple[set[str], set[str]]:
    """What a layout takes for masks, and for images."""
    assert layout is not None
    is_mask, is_image = matcher("masks", layout.masks), layout.is_image()
    return {name for name in names if is_mask(name)}, {name for name in names if is_image(name)}


def numbered(*patterns: str) -> list[str]:
    return [pattern.format(number) for pattern in patterns for number in range(5)]


@pytest.mark.parametrize(("name", "masks", "images", "others"), [
    ("Cityscapes", "gtFine/train/aachen/aachen_{}_gtFine_labelIds.png", "leftImg8bit/train/aachen/aachen_{}_leftImg8bit.png",
     ["gtFine/train/aachen/aachen_{}_gtFine_instanceIds.png", "gtFine/train/aachen/aachen_{}_gtFine_color.png"]),
    ("Pascal VOC", "SegmentationClass/2007_{}.png", "JPEGImages/2007_{}.jpg", ["SegmentationObject/2007_{}.png"]),
    ("Oxford-IIIT Pet", "annotations/trimaps/cat_{}.png", "images/cat_{}.jpg", []),
    ("nnU-Net", "labelsTr/case_{}.png", "imagesTr/case_{}_0000.png", ["imagesTs/case_9{}_0000.png"]),
    ("MMSegmentation", "ann_dir/train/{}.png", "img_dir/train/{}.jpg", []),
    ("KITTI", "training/semantic/{}_10.png", "training/image_2/{}_10.png",
     ["training/semantic_rgb/{}_10.png", "training/instance/{}_10.png"]),
    ("masks beside images", "annotations/training/ADE_train_{}.png", "images/training/ADE_train_{}.jpg", []),
    ("masks beside images", "trainannot/{}.png", "train/{}.png", []),
    ("labelme", "SegmentationClassPNG/{}.png", "JPEGImages/{}.jpg", ["SegmentationClass/{}.npy", "SegmentationClassVisualization/{}.jpg"]),
    ("DRIVE", "training/1st_manual/{}_manual1.gif", "training/images/{}_training.tif", ["training/mask/{}_training_mask.gif"]),
    ("masks beside images", "train_masks/{}_mask.gif", "train/{}.jpg", []),
    ("masks among their images", "data/{}_mask.png", "data/{}.jpg", []),
    ("masks among their images", "ISIC_GroundTruth/{}_segmentation.png", "ISIC_Input/{}.jpg", []),
])
def test_public_layouts_are_known_by_their_names(name: str, masks: str, images: str, others: list[str]) -> None:
    names = numbered(masks, images, *others)
    layout = find_layout(names)
    assert layout is not None and layout.name == name
    assert split(layout, names) == ({*numbered(masks)}, {*numbered(images)})


def test_a_folder_for_each_image_holds_a_mask_for_each_object() -> None:
    names = [*numbered("{0}/images/{0}.png", "{0}/masks/a{0}.png", "{0}/masks/b{0}.png")]
    layout = find_layout(names)
    assert layout is not None and layout.name.startswith("a folder for each image")
    assert layout.image_of["3/masks/b3.png"] == "3/images/3.png" and len(layout.image_of) == 10
    assert not getattr(find_layout([*names, "3/images/other.png"]), "image_of", {})  # two images: which has the masks is not known


def test_cityscapes_train_ids_are_meant_where_they_are_alone_or_nineteen_classes_are_declared() -> None:
    both = numbered("a_{}_gtFine_labelIds.png", "a_{}_gtFine_labelTrainIds.png", "a_{}_gtFine_color.png")
    for names, classes, chosen in ((both, None, "labelIds"), (both, 34, "labelIds"), (both, 19, "labelTrainIds"),
                                   (both[5:], None, "labelTrainIds")):
        layout = find_layout(names, classes)
        assert layout is not None and layout.masks == (f"*_{chosen}.*",) and not layout.images


@pytest.mark.parametrize("names", [
    [], ["a.png", "b.png"], ["train/a.png", "val/a.png"], ["masks/a.png", "masks/b.png"], ["images/a.png"],
    ["a_gtFine_labelIds.png", "b_gtFine_labelIds.png"],
    ["masks/a.png", "images/a.png", "x/b.png", "x/c.png"],   # more files than masks that nothing tells the kind of
    [*numbered("masks/images/{}.png", "images/masks/{}.png")],                        # one within the other, both ways
    ["my_mask.png", "my.png", "a.png", "b.png"],             # more files that may be masks than images
    ["a_mask.png", "b_mask.png"], ["a_mask.png", "b_mask.png", "c.png"],
    ["a_mask.png", "b_mask.png", "a.jpg"],   # one in two has its image beside it; more than half have to
])
def test_where_names_do_not_tell_there_is_no_layout(names: list[str]) -> None:
    assert find_layout(names) is None


@pytest.mark.parametrize(("masks", "images"), [
    ("images/masks/{}.png", "images/{}.png"), ("masks/{}.png", "masks/images/{}.png"), ("gt/masks/{}.png", "gt/images/{}.png")])
def test_the_innermost_folder_counts_for_masks_and_for_images(masks: str, images: str) -> None:
    names = numbered(masks, images)
    assert split(find_layout(names), names) == ({*numbered(masks)}, {*numbered(images)})


def test_images_without_a_mask_may_be_many_where_no_mask_can_be_called_so() -> None:
    names = [*numbered("{}_mask.png", "{}.png", "{}_view.png"), *(f"{number}.jpg" for number in range(90, 110))]
    assert split(find_layout(names), names)[0] == {*numbered("{}_mask.png")}
    strays = [f"{number}.png" for number in range(90, 95)]
    assert find_layout([*names, *strays]) is not None and find_layout([*names, *strays, "95.png"]) is None


def test_a_folder_is_meant_by_its_own_name_whatever_letters_are_in_it() -> None:
    names = ["[a]annot/1.png", "[a]/1.png", "a/1.png", "aannot/1.png"]
    masks, images = split(find_layout(names), names)
    assert masks == {"[a]annot/1.png", "aannot/1.png"} and images == {"[a]/1.png", "a/1.png"}


def test_masks_among_their_images_are_those_of_which_more_than_half_have_one() -> None:
    assert find_layout(["a_mask.png", "b_mask.png", "c_mask.png", "a.jpg", "b.jpg"]) is not None
