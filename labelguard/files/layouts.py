"""The layouts of public data sets: which of the files below a folder are masks, and which are their images, by their names alone.

Sources: the read-me files and development kits of the data sets themselves, and the data set pages of MMSegmentation and nnU-Net.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from labelguard.facts.frozen import FrozenDict
from labelguard.files.selection import escaped, matcher
from labelguard.text import listed, printable

_MASK_FOLDERS = ("masks", "mask", "labels", "label", "annotations", "annotation", "segmentationclass", "segmentation", "ann_dir",
                 "labelstr", "labelsts", "trimaps", "gt", "groundtruth", "ground_truth", "gtfine", "semantic",
                 "segmentationclasspng", "1st_manual")
_IMAGE_FOLDERS = ("images", "image", "imgs", "img", "jpegimages", "leftimg8bit", "img_dir", "imagestr", "imagests", "image_2", "photos",
                  "rgb")
_OTHER_FOLDERS = ("segmentationobject", "semantic_rgb", "instance", "instances", "color", "colors", "overlays", "visualization",
                  "segmentationobjectpng", "segmentationclassnpy", "segmentationclassvisualization", "segmentationobjectvisualization")
_INSTEAD = {  # where the first are there, the others are not the masks that are meant
    "1st_manual": {"mask", "2nd_manual"},           # DRIVE: what the lens shows, and a second observer
    "segmentationclasspng": {"segmentationclass"},  # labelme: the same as arrays
}
_BESIDE = ("annot", "_masks", "_mask", "_labels", "_annotations")  # trainannot, train_masks: what lies in the folder train is an image
_MASK_ENDINGS = ("_mask", "_masks", "_label", "_labels", "_seg", "_segmentation", "_gt", "_matte")
_NAMES = (  # how folders for masks and for images are called, and what data sets are that call them so
    ({"segmentationclass"}, {"jpegimages"}, "Pascal VOC"),
    ({"segmentationclasspng"}, {"jpegimages"}, "labelme"),
    ({"1st_manual"}, {"images"}, "DRIVE"),
    ({"trimaps"}, {"images"}, "Oxford-IIIT Pet"),
    ({"labelstr"}, {"imagestr"}, "nnU-Net"),
    ({"ann_dir"}, {"img_dir"}, "MMSegmentation"),
    ({"semantic"}, {"image_2"}, "KITTI"),
)


@dataclass(frozen=True)
class Layout:
    """What a folder holds.

    Parameters
    ----------
    name
        Of the layout, in words.
    masks, images
        Patterns of the masks' names, and of the images', written as for `labelguard.files.selection.Selection`; there may be no images.
    image_of
        The image of each mask, where it is known by its folder: each image has one of its own, with a mask for each object.
    """

    name: str
    masks: tuple[str, ...]
    images: tuple[str, ...] = ()
    image_of: Mapping[str, str] = field(default_factory=FrozenDict, repr=False)

    def __str__(self) -> str:
        images = f", images are {listed(map(printable, self.images))}" if self.images else ""
        return f"{self.name}; masks are {listed(map(printable, self.masks))}{images}"

    def is_image(self) -> Callable[[str], bool]:
        """Whether a name is that of an image."""
        return matcher("images", self.images) if self.images else lambda _: False


def find_layout(names: Collection[str], num_classes: int | None = None) -> Layout | None:
    """The layout of a data set; None where all its files may be masks, or nothing tells which are.

    Parameters
    ----------
    names
        Of the files, relative to their folder, with forward slashes.
    num_classes
        As declared: Cityscapes has files for 34 classes and files for 19.
    """
    return _cityscapes(names, num_classes) or _by_folders(names) or _by_endings(names)


def _cityscapes(names: Collection[str], num_classes: int | None) -> Layout | None:
    """``*_gtFine_labelIds.png`` among ``_instanceIds`` and ``_color`` (cityscapesScripts, README)."""
    kinds = Counter(ending for name in names if (ending := name.rpartition("_")[2].partition(".")[0].lower()) in (
        "labelids", "labeltrainids", "instanceids", "instancetrainids", "color", "leftimg8bit"))
    if not kinds["labelids"] + kinds["labeltrainids"] or len(kinds) < 2:
        return None
    trained = kinds["labeltrainids"] and (num_classes == 19 or not kinds["labelids"])
    masks = "*_labelTrainIds.*" if trained else "*_labelIds.*"
    return Layout("Cityscapes", (masks,), ("*_leftImg8bit.*",) if kinds["leftimg8bit"] else ())


def _by_folders(names: Iterable[str]) -> Layout | None:
    """Masks and images in folders of their own, of usual names, at any depth: the innermost of these names counts."""
    folders = {part for name in names for part in name.split("/")[:-1]}
    lowered = {folder.lower() for folder in folders}
    beside = {folder[:-len(end)] for folder in lowered for end in _BESIDE if folder.endswith(end)} & lowered
    other = {*_OTHER_FOLDERS}.union(*(instead for folder, instead in _INSTEAD.items() if folder in lowered))
    role_of = {folder: _role(folder.lower(), beside, other) for folder in folders}
    roles: dict[str, Counter[str]] = {role: Counter() for role in ("mask", "image", "other")}
    inner: dict[str, set[str]] = {folder: set() for folder in folders}  # folders of another role within each
    outer: dict[str, set[str]] = {role: set() for role in roles}        # and around the files of a role
    unknown = 0
    for name in names:
        telling = [folder for folder in reversed(name.split("/")[:-1]) if role_of[folder]]
        if not telling:
            unknown += 1
            continue
        role = role_of[telling[0]]
        roles[role][telling[0]] += 1
        for folder in telling[1:]:
            if role_of[folder] != role:
                inner[folder].add(telling[0])
                outer[role].add(folder)
    masks, images = (tuple(sorted(roles[role])) for role in ("mask", "image"))
    if not masks or not images or unknown > roles["mask"].total():
        return None
    no_masks, no_images = (set[str]().union(*map(inner.__getitem__, chosen)) for chosen in (masks, images))
    if no_masks & outer["mask"] or no_images & outer["image"]:
        return None  # masks/images/ and images/masks/: no pattern tells them apart
    lower = {folder.lower() for folder in masks}, {folder.lower() for folder in images}
    if image_of := _one_image_a_folder(names, masks, images):
        return Layout("a folder for each image, with a mask for each object", _patterns(masks, no_masks),
                      _patterns(images, no_images), image_of)
    title = next((title for of_masks, of_images, title in _NAMES if of_masks <= lower[0] and of_images <= lower[1]), "")
    if "labelsts" not in lower[0]:
        images = tuple(folder for folder in images if folder.lower() != "imagests")  # images that nobody has labeled
    return Layout(title or "masks beside images", _patterns(masks, no_masks), _patterns(images, no_images))


def _patterns(folders: Iterable[str], but: Iterable[str]) -> tuple[str, ...]:
    return (*(f"{escaped(folder)}/" for folder in folders), *(f"!{escaped(folder)}/" for folder in sorted(but)))


def _one_image_a_folder(names: Iterable[str], masks: Collection[str], images: Collection[str]) -> Mapping[str, str]:
    """The image of each mask where every image lies in a folder of its own, beside its masks, as in DSB 2018; empty where it is not so."""
    image_in: dict[str, str] = {}
    folder_of: dict[str, str] = {}
    for name in names:
        folder, _, role = name.rpartition("/")[0].rpartition("/")
        if role in images:
            if folder in image_in:
                return FrozenDict()
            image_in[folder] = name
        elif role in masks:
            folder_of[name] = folder
    each = len(folder_of) > len(image_in) > 1 and all(folder in image_in for folder in folder_of.values())
    return FrozenDict({mask: image_in[folder] for mask, folder in folder_of.items()}) if each else FrozenDict()


def _role(folder: str, beside: Collection[str], other: Collection[str]) -> str:
    """What lies in a folder, by its name in lower case; nothing where that does not tell.

    `beside` are folders like ``train``, beside which there is ``trainannot`` (SegNet's CamVid) or ``train_masks`` (Carvana), and `other`
    are those that hold neither masks nor images.
    """
    if folder in other:
        return "other"
    if folder in _MASK_FOLDERS or (folder.endswith("annot") and folder != "annot") or any(
            folder.endswith(end) and folder[:-len(end)] in beside for end in _BESIDE):
        return "mask"
    return "image" if folder in _IMAGE_FOLDERS or folder in beside else ""


def _by_endings(names: Collection[str]) -> Layout | None:
    """Masks called after their images, ``a_mask.png`` and ``a.jpg``, in one folder or in two."""
    stems = {name.rpartition("/")[2].rpartition(".")[0]: name for name in names}
    ended = [stem for stem in stems if stem.lower().endswith(_MASK_ENDINGS)]  # hardly any, in most sets
    for ending in _MASK_ENDINGS:
        found = [stem for stem in ended if stem.lower().endswith(ending)]
        images = {stem[:-len(ending)] for stem in found} & stems.keys()
        if found and 2 * len(images) > len(found) and len(found) < len(stems) and _strays(stems, found, images) <= len(images):
            written = Counter(stem[-len(ending):] for stem in found).most_common(1)[0][0]
            return Layout("masks among their images", (f"*{written}*",), ("*", f"!*{written}*"))
    return None


def _strays(stems: Mapping[str, str], masks: Iterable[str], images: Collection[str]) -> int:
    """How many files, by their stems, are neither masks nor images nor what is called after an image, and may be masks: no JPEG is one."""
    return sum(stem not in images and stem.rpartition("_")[0] not in images and not stems[stem].lower().endswith((".jpg", ".jpeg"))
               for stem in stems.keys() - {*masks})
