"""LG007: files of one set that are stored in different ways."""

from __future__ import annotations

import pytest

from labelguard.checks import mixed_encoding as check
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding
from tests.checks.scenes import mask, on_dataset
from tests.checks.splitting import between

GREY, PALETTE, DEEP = Storage("png"), Storage("png", "palette"), Storage("png", bits=16)


def said_of(*stored: Storage | None) -> list[Finding]:
    data = DatasetBuilder()
    for number, how in enumerate(stored):
        data.add(f"{number}.png", MaskFacts.of_labels(mask("0 1"), how))
    return on_dataset(check, data.build())


def test_the_odd_files_are_named() -> None:
    finding, = said_of(GREY, PALETTE, GREY, DEEP, GREY)
    assert finding.message == "2 files are stored differently from the other 3 (png, 8-bit grey)."
    assert finding.files == ("1.png", "3.png")
    assert finding.evidence == ("png, 8-bit grey: 3 files", "png, 16-bit grey: 1 file", "png, palette: 1 file")


def test_one_odd_file_of_200_reads_well() -> None:
    finding, = said_of(*[GREY] * 120, Storage("tiff"), *[GREY] * 79)
    assert finding.message == "1 file is stored differently from the other 199 (png, 8-bit grey)."
    assert finding.files == ("120.png",)


@pytest.mark.parametrize("other", [
    Storage("tiff"), Storage("png", "rgb"), Storage("png", "rgba"), Storage("png", bits=16), Storage("png", kind="b", bits=1), PALETTE])
def test_it_flags(other: Storage) -> None:
    assert len(said_of(GREY, other)) == 1


@pytest.mark.parametrize("stored", [
    [], [GREY], [GREY] * 5, [None, None],
    [Storage("png", "palette", bits=2), Storage("png", "palette", bits=8)],         # writers choose the depth by content
    [Storage("png", wrong_suffix=".tif"), GREY],
])
def test_it_leaves_alone(stored: list[Storage | None]) -> None:
    assert said_of(*stored) == []


def test_masks_of_a_loader_differ_by_their_type() -> None:
    data = DatasetBuilder()
    for name, dtype in (("a", "uint8"), ("b", "int64"), ("c", "uint8")):
        data.add(name, MaskFacts.of_labels(mask("0 1", dtype)))
    finding, = on_dataset(check, data.build())
    assert finding.files == ("b",)


def stored(*kinds: Storage) -> list[MaskFacts]:
    return [MaskFacts.of_labels(mask("0 1"), kind) for kind in kinds]


def test_a_split_that_is_stored_in_its_own_way_is_named() -> None:
    finding, = between(check, {"train": stored(GREY, GREY, DEEP), "val": stored(PALETTE), "test": stored(GREY)})
    assert finding.message == "The masks of val are not stored like those of train and test." and finding.files == ("val/000",)
    assert finding.evidence == ("train: png, 16-bit grey, 1 of 3 and png, 8-bit grey, 2 of 3", "val: png, palette, 1 of 1",
                                "test: png, 8-bit grey, 1 of 1")


def test_splits_that_mix_the_same_ways_or_have_no_masks_are_left_alone() -> None:
    assert between(check, {"train": stored(GREY, GREY, PALETTE), "val": stored(GREY, PALETTE, PALETTE)}) == []
    assert between(check, {"train": stored(GREY, GREY, PALETTE), "val": stored(PALETTE)}) == []  # train mixes them itself
    assert between(check, {"train": stored(GREY), "test": []}) == between(check, {"train": [], "test": []}) == []
