"""The printed command names what the batch needs, so that masks and images pair again."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from labelguard import LabelSpec
from labelguard.files.find import find_masks
from labelguard.files.image_folder import match
from labelguard.lossprobe.findings.repro import repro
from labelguard.lossprobe.mask_source import MaskFiles
from labelguard.lossprobe.network_images import network_images
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from tests.drawn import bands, write_png


@pytest.mark.parametrize(("names", "folder"), [
    (["night/0.png"], "images/night"), (["night/0.png", "night/1.png"], "images/night"), (["night/0.png", "day/0.png"], "images"),
])
def test_the_images_of_a_batch_are_found_again(tmp_path: Path, names: list[str], folder: str) -> None:
    for part in ("day", "night"):
        for number in range(2):
            write_png(tmp_path / "masks" / part / f"{number}.png", bands(0, 1))
            write_png(tmp_path / "images" / part / f"{number}.png", np.zeros((40, 30, 3), np.uint8))
    masks = MaskFiles([tmp_path / "masks"])
    found = masks.pair(tmp_path / "images")
    list(masks)
    run = LossRunner(ImportPath("a:b"), Settings(), ImportPath("c:d"))
    words = shlex.split(repro(names, masks, LabelSpec(2), run, network_images(found, masks.contents)))
    assert words[words.index("--images") + 1] == str(tmp_path / folder)
    again, images = match(find_masks(words[2:2 + len(names)]), words[words.index("--images") + 1])
    assert {images.of_mask[name][0].replace("/images/", "/masks/") for _, name in again.files} == {path for path, _ in again.files}
