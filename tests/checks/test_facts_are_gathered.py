"""A rule that is selected alone finds on disk what it is for, since the scan gathers the optional facts that it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import labelguard
from labelguard.checks.registry import all_rules, rule_named
from labelguard.finding import Finding
from tests.checks.paired import npy, photo, sized
from tests.checks.scenes import Labels, saved, scene
from tests.pairing.alignment.pictures import remade, rotated, scenes

LYING = sized(40, 60)
Files = dict[str, tuple[Labels, Any]]  # for each stem a mask, and the array or the content of its image


def on_disk(root: Path, files: Files) -> tuple[Path, Path]:
    """The folders of masks and of images; images are NPY files, unless they are the content of a file."""
    masks, images = root / "masks", root / "images"
    for place in (masks, images):
        place.mkdir(parents=True)
    for stem, (labels, image) in files.items():
        Image.fromarray(labels).save(masks / f"{stem}.png")
        content = image if isinstance(image, bytes) else saved(Image.fromarray(image))
        (images / f"{stem}{'.npy' if content[1:6] == b'NUMPY' else '.png'}").write_bytes(content)
    return masks, images


def numbered(pairs: list[Any]) -> Files:
    return {f"{number:03}": (labels, image) for number, (image, labels) in enumerate(pairs)}


def cut_off() -> bytes:
    """An image whose header is whole."""
    whole = saved(Image.fromarray(photo()))
    return whole[:len(whole) // 2]


def smoothed() -> Labels:
    small = Image.fromarray(scene([3, 6, 9, 12], (96, 96)))
    return np.asarray(small.resize((192, 192), Image.Resampling.BILINEAR))


def mirrored(picture: np.ndarray) -> bytes:
    """An image file that is stored mirrored from left to right, and which EXIF mirrors back."""
    exif = Image.Exif()
    exif[0x0112] = 2
    return saved(Image.fromarray(np.ascontiguousarray(picture[:, ::-1])), exif=exif)


ALONE: dict[tuple[str, str], Callable[[], Files]] = {
    ("unreadable", "image_pixels"): lambda: {"a": (LYING, cut_off())},
    ("constant-image", "image_pixels"): lambda: {"a": (LYING, np.zeros((40, 60, 3), np.uint8))},
    ("nan-image", "image_pixels"): lambda: {"a": (LYING, npy(np.full((40, 60), np.nan, np.float32)))},
    ("image-channels", "image_pixels"): lambda: {"a": (LYING, photo()), "b": (LYING, photo()[..., 0])},
    ("same-image-other-mask", "image_pixels"): lambda: {"a": (LYING, photo()), "b": (np.roll(LYING, 5), photo())},
    ("duplicate-mask", "image_pixels"): lambda: {"a": (sized(64, 96), photo()), "b": (sized(64, 96), photo(seed=1))},
    ("interpolated", "label_runs"): lambda: {f"{number}": (smoothed(), photo(192, 192)) for number in range(3)},
    ("misaligned", "alignment"): lambda: numbered(rotated(scenes(12), 1)),
    ("transposed", "alignment"): lambda: numbered(remade(scenes(12, (96, 96)), lambda labels: np.ascontiguousarray(labels.T))),
    ("exif-orientation", "alignment"): lambda: numbered([(mirrored(image), labels) for image, labels in scenes(12)]),
}


def found_alone(root: Path, name: str, group: str) -> list[Finding]:
    masks, images = on_disk(root, ALONE[name, group]())
    report = labelguard.scan(masks, images=images, select=name, jobs=1)
    return [finding for finding in report.findings if finding.name == name and "undetermined" not in finding.message]


@pytest.mark.parametrize(("name", "group"), list(ALONE))
def test_a_rule_that_is_selected_alone_finds_what_it_is_for(tmp_path: Path, name: str, group: str) -> None:
    assert found_alone(tmp_path, name, group)


@pytest.mark.parametrize(("name", "group"), list(ALONE))
def test_without_its_group_it_would_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, group: str) -> None:
    monkeypatch.setattr(rule_named(name), "needs_facts", ())
    assert not found_alone(tmp_path, name, group)


@pytest.mark.parametrize("needed", [True, False])
@pytest.mark.parametrize("name", ["split-leak", "same-image-other-mask"])
def test_so_it_is_with_splits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, needed: bool) -> None:
    places = {split: on_disk(tmp_path / split, {"a": (labels, photo())}) for split, labels in
              (("train", LYING), ("val", np.roll(LYING, 5)))}
    if not needed:
        monkeypatch.setattr(rule_named(name), "needs_facts", ())
    report = labelguard.scan_splits({split: masks for split, (masks, _) in places.items()},
                                    images={split: images for split, (_, images) in places.items()}, select=name, jobs=1)
    assert bool([finding for finding in report.findings if finding.name == name]) is needed


def test_each_rule_that_looks_closely_is_among_them() -> None:
    tried = {name for name, _ in ALONE} | {"split-leak"}
    assert {rule.name for rule in all_rules() if {"image_pixels", "label_runs", "alignment"} & set(rule.needs_facts)} == tried
