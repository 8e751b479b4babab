"""What is said of sets: faults that must be named, and sets that must be left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from labelguard.pairing.alignment import Misalignment
from labelguard.pairing.alignment.edge_maps import edge_evidence
from labelguard.pairing.alignment.verdict import judge_alignment
from tests.pairing.alignment.pictures import SHAPE, name, remade, rotated, scene, scenes, verdict

SQUARE = (128, 128)
TURNS = {
    "flipped horizontally": np.fliplr,
    "flipped vertically": np.flipud,
    "rotated by 180 degrees": lambda labels: labels[::-1, ::-1],
}
SQUARE_TURNS = {
    "transposed": np.transpose,
    "rotated by 90 degrees to the left": np.rot90,
    "rotated by 90 degrees to the right": lambda labels: np.rot90(labels, -1),
    "transposed and rotated by 180 degrees": lambda labels: np.rot90(labels, 2).T,
}


def the_fault(pairs: list[tuple[Any, ...]]) -> Misalignment:
    said = verdict(pairs)
    assert said.status == "faulty"
    fault, = said.faults
    return fault


@pytest.mark.parametrize("count", [3, 5, 8, 24])
def test_a_clean_set_is_ok(count: int) -> None:
    assert verdict(scenes(count)).status == "ok"


@pytest.mark.parametrize("count", [8, 24])
@pytest.mark.parametrize("what", TURNS)
def test_all_masks_are_turned(what: str, count: int) -> None:
    fault = the_fault(remade(scenes(count), TURNS[what]))
    assert (fault.kind, fault.what, fault.whole, len(fault.files)) == ("turned", what, True, count)
    assert fault.sure or count < 24


@pytest.mark.parametrize("what", TURNS)
def test_of_three_pairs_little_is_said_and_nothing_wrong(what: str) -> None:
    for fault in verdict(remade(scenes(3), TURNS[what])).faults:
        assert (fault.kind, fault.what, fault.sure) == ("turned", what, False)


@pytest.mark.parametrize("what", SQUARE_TURNS)
def test_square_masks_are_turned(what: str) -> None:
    fault = the_fault(remade(scenes(8, SQUARE), SQUARE_TURNS[what]))
    assert (fault.kind, fault.what, fault.whole) == ("turned", what, True)


def test_masks_with_height_and_width_swapped() -> None:
    assert the_fault(remade(scenes(6), np.transpose)).what == "transposed"


@pytest.mark.parametrize("count", [5, 24])
def test_every_third_mask_is_flipped(count: int) -> None:
    fault = the_fault(remade(scenes(count), np.fliplr, every=3))
    assert (fault.kind, fault.what, fault.whole, fault.sure) == ("turned", "flipped horizontally", False, False)
    assert fault.files == tuple(name(number) for number in range(0, count, 3))


@pytest.mark.parametrize("count", [4, 8, 24])
@pytest.mark.parametrize("names", [1, -1])
def test_pairs_are_rotated_by_one_name(names: int, count: int) -> None:
    fault = the_fault(rotated(scenes(count), names))
    assert fault.kind == "paired" and fault.whole and len(fault.files) == count
    assert fault.what == f"those of the images 1 name {'further on' if names > 0 else 'before'}"
    assert fault.partners[name(1)] == name(1 + names)


def test_masks_without_edges_keep_their_places_in_the_order_of_the_names() -> None:
    pairs = [(image, labels * (number % 3 > 0)) for number, (image, labels) in enumerate(scenes(24))]
    assert the_fault(rotated(pairs, 2)).what == "those of the images 2 names further on"


def test_lists_sorted_as_text_and_as_numbers() -> None:
    pairs, text = scenes(24), sorted(f"{number}.png" for number in range(24))
    shuffled = [(f"{number}.png", edge_evidence(image, pairs[int(text[number][:-4])][1])) for number, (image, _) in enumerate(pairs)]
    fault, = judge_alignment(sorted(shuffled)).faults
    assert fault.what.startswith("paired in two orders")
    assert "0.png" not in fault.files and fault.partners["2.png"] == "10.png"


def test_two_masks_have_changed_places() -> None:
    pairs = scenes(24)
    pairs[3], pairs[9] = (pairs[3][0], pairs[9][1]), (pairs[9][0], pairs[3][1])
    fault = the_fault(pairs)
    assert (fault.kind, dict(fault.partners)) == ("paired", {name(3): name(9), name(9): name(3)})


def test_from_one_place_on_every_mask_is_the_next_one() -> None:
    pairs = scenes(24)
    late = pairs[:12] + rotated(pairs, 1)[12:23]
    fault = the_fault(late)
    assert set(fault.files) <= {name(number) for number in range(12, 23)} and len(fault.files) > 5
    assert all(int(other[:3]) == int(mask[:3]) + 1 for mask, other in fault.partners.items())


def test_one_mask_is_from_elsewhere() -> None:
    found = 0
    for seed in range(4):
        pairs = scenes(30, first=100 * seed)
        pairs[7] = (pairs[7][0], scene(100 * seed + 99)[1])
        said = verdict(pairs)
        assert all(fault.files == (name(7),) for fault in said.faults)
        found += bool(said.faults)
    assert found >= 3


def test_a_shift_of_all_masks() -> None:
    fault = the_fault(remade(scenes(24), lambda labels: np.roll(labels, (2, 3), (0, 1))))
    assert (fault.kind, fault.what, fault.shift) == ("shifted", "about 2 pixels too far down and 3 pixels too far right", (-2, -3))


def test_a_shift_by_one_pixel_is_what_annotators_do() -> None:
    assert verdict(remade(scenes(24), lambda labels: np.roll(labels, 1, 1))).status == "ok"


@pytest.mark.parametrize("void", [1, 2, 4])
def test_void_borders_are_no_shift(void: int) -> None:
    assert not verdict(scenes(24, void=void)).faults


def test_mirror_images_name_both_readings() -> None:
    pairs = [(np.hstack([image, image[:, ::-1]]), np.hstack([labels, labels[:, ::-1]])) for image, labels in scenes(8)]
    assert verdict(pairs).status == "ok"
    fault = the_fault(remade(pairs, np.flipud))
    assert set(fault.what.split(" or ")) == {"flipped vertically", "rotated by 180 degrees"} and not fault.sure


def noise(number: int) -> NDArray[Any]:
    return np.random.default_rng(number).integers(0, 256, (*SHAPE, 3)).astype(np.uint8)


def nearly(image: NDArray[Any], number: int) -> NDArray[Any]:
    return np.clip(image + np.random.default_rng(number).normal(0, 4, image.shape), 0, 255).astype(np.uint8)


SILENT = {
    "noise": lambda number: (noise(number), scene(number)[1]),
    "no contrast": lambda number: scene(number, contrast=1, noise=25),
    "flat": lambda number: (np.full(SHAPE, 99, np.uint8), scene(number)[1]),
    "empty masks": lambda number: (scene(number)[0], np.zeros(SHAPE, np.uint8)),
    "one image": lambda number: (scene(0)[0], scene(number)[1]),
    "one pair": lambda _: scene(0),
    "one pair that is wrong": lambda _: (scene(0)[0], scene(1)[1]),
    "a camera that never moves": lambda number: (nearly(scene(0)[0], number), scene(1)[1]),
    "other things than the labeled ones": lambda number: (scene(number)[0], scene(1000 + number)[1]),
}


@pytest.mark.parametrize("count", [3, 8, 24])
@pytest.mark.parametrize("kind", SILENT)
def test_nothing_is_said_where_nothing_can_be_known(kind: str, count: int) -> None:
    said = verdict([SILENT[kind](number) for number in range(count)])
    assert said.status == "abstains" and not said.faults and said.why


def cut_third(number: int) -> tuple[NDArray[Any], ...]:
    image, labels = scene(number)
    labels[64:] = 0
    return image, labels


def film(number: int) -> tuple[NDArray[Any], ...]:
    image, labels = scene(5, (96, 400), objects=20)
    return image[:, 3 * number:3 * number + 160], labels[:, 3 * number:3 * number + 160]


ODD = {
    "low contrast": lambda number: scene(number, contrast=15),
    "constant lower third": cut_third,
    "mostly empty": lambda number: (scene(number)[0], scene(number)[1] * (number % 4 == 0)),
    "a film": film,
    "one small thing": lambda number: scene(number, objects=1, noise=20),
    "sloppy": lambda number: (scene(number)[0], np.roll(scene(number)[1], np.random.default_rng(number).integers(-2, 3, 2), (0, 1))),
    "no noise": lambda number: scene(number, noise=0),
    "two sizes": lambda number: scene(number, SHAPE if number % 2 else SQUARE),
}


@pytest.mark.parametrize("count", [3, 8, 30])
@pytest.mark.parametrize("kind", ODD)
def test_odd_sets_raise_no_alarm(kind: str, count: int) -> None:
    assert not verdict([ODD[kind](number) for number in range(count)]).faults


def test_a_film_that_is_off_by_one_frame_is_never_called_something_else() -> None:
    for step in (2, 8, 30):
        image, labels = scene(6, (96, 160 + 25 * step), objects=10 + step)
        frames = [(image[:, step * number:step * number + 160], labels[:, step * number:step * number + 160]) for number in range(25)]
        faults = verdict([(frames[number][0], frames[number + 1][1]) for number in range(24)]).faults
        assert all(fault.kind == "paired" for fault in faults)
        assert step < 30 or "1 name further on" in faults[0].what


def test_no_pairs_and_few_pairs() -> None:
    assert judge_alignment([]).why == "there are no pairs"
    assert "only 2 pairs have edges" in verdict(scenes(2)).why


def pairs_of(folder: Path) -> list[tuple[Any, ...]]:
    pairs = []
    for path in sorted((folder / "images").iterdir()):
        mask, = (folder / "masks").glob(f"{path.stem}.*")
        pairs.append((np.asarray(Image.open(path).convert("RGB")), np.asarray(Image.open(mask))))
    return pairs


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["camvid", "pets", "polyp", "voc_palette"])
def test_real_pairs(real_data: Path, folder: str) -> None:
    pairs = pairs_of(real_data / folder)
    assert verdict(pairs).status == "ok"
    for start in range(0, len(pairs), 7):
        assert not verdict(pairs[start:start + 7]).faults
    if len(pairs) > 3:
        assert all(the_fault(remade(pairs, turn)).what == what for what, turn in TURNS.items())
        assert all(the_fault(rotated(pairs, step)).what.startswith("those of the images") for step in (1, -2))


def test_real_faults_of_some_files(real_data: Path) -> None:
    pairs = pairs_of(real_data / "camvid")
    fault = the_fault(remade(pairs, np.fliplr, every=3))
    assert fault.what == "flipped horizontally"
    assert set(fault.files) <= {name(number) for number in range(0, len(pairs), 3)} and len(fault.files) > 7
    assert the_fault(remade(pairs, lambda labels: np.roll(labels, 3, 1))).what == "about 3 pixels too far right"
