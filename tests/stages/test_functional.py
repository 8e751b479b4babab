"""The functional twins do what their stages do."""

from __future__ import annotations

import doctest
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from PIL import Image

from labelguard import LabelSpec, MaskRejectedError, RejectEmpty, Remap, Resize, UsageError, Validate, functional
from labelguard.facts.mask import Mask, Storage
from tests.kernels.strategies import label_images

SPEC = LabelSpec(5, 255)


@given(label_images(below=12, longest=20))
def test_remap_gives_the_array_of_the_stage_and_where_each_id_went(labels: Any) -> None:
    remapped, moves = functional.remap(labels, shift=-1, merge={0: "last"}, num_classes=12)
    assert np.array_equal(remapped, Remap(-1, {0: "last"}, num_classes=12)(labels))
    assert sorted(moves) == np.unique(labels).tolist()
    assert np.array_equal(np.vectorize(moves.get)(labels), remapped)


def test_remap_takes_a_table() -> None:
    remapped, moves = functional.remap(np.array([[7, 9]]), table={7: 0, 8: 1, 9: 0})
    assert remapped.tolist() == [[0, 0]] and moves == {7: 0, 9: 0}


@given(label_images(below=5, longest=20))
def test_resize_validate_and_is_empty_are_their_stages(labels: Any) -> None:
    assert np.array_equal(functional.resize(labels, 3, 7, ties="center", keep={1: 0.3}), Resize(3, 7, "center", {1: 0.3})(labels))
    assert functional.validate(labels, SPEC, ignore="LG2") == Validate(SPEC, ignore="LG2").findings(Mask(labels))
    assert functional.is_empty(labels, 0.2) == bool(RejectEmpty(0.2).findings(Mask(labels)))


def test_what_is_given_is_left_alone_and_what_comes_back_is_ones_own() -> None:
    labels = np.array([[0, 1], [2, 3]], np.uint8)
    for out in (functional.remap(labels)[0], functional.resize(labels, scale=1)):
        out[...] = 9
    assert labels.tolist() == [[0, 1], [2, 3]]


def test_images_are_taken_too() -> None:
    image = Image.fromarray(np.array([[0, 3]], np.uint8))
    assert functional.remap(image, 1)[1] == {0: 1, 3: 4} and functional.resize(image, scale=2).shape == (2, 4)
    assert functional.validate(image, LabelSpec(3))[0].ids == (3,) and not functional.is_empty(image)


def test_a_mask_that_was_read_keeps_its_name_and_how_it_lay_on_disk() -> None:
    mask = Mask(np.array([[0, 7]], np.uint8), "a.jpg", Storage("jpeg", lossy=True))
    found = functional.validate(mask, SPEC)
    assert {finding.code for finding in found} == {"LG002", "LG101"} and {finding.path for finding in found} == {"a.jpg"}
    with pytest.raises(MaskRejectedError, match=r"^a\.jpg is rejected"):
        functional.remap(mask, num_classes=3)


def test_refusals_are_those_of_the_stages() -> None:
    with pytest.raises(MaskRejectedError, match="LG101"):
        functional.remap(np.array([[0]]), shift=-1, num_classes=3)
    with pytest.raises(MaskRejectedError, match="LG101"):
        functional.resize(np.array([[9]]), 1, 1, num_classes=3)
    with pytest.raises(UsageError, match="height is missing"):
        functional.resize(np.array([[9]]))
    with pytest.raises(TypeError, match="must hold integers"):
        functional.is_empty(np.array([[0.5]]))


def test_the_examples_are_true() -> None:
    assert doctest.testmod(functional).attempted >= 8 and not doctest.testmod(functional).failed


def test_it_is_imported_when_it_is_asked_for() -> None:
    code = ("import sys, labelguard; assert 'labelguard.stages' not in sys.modules and 'numpy' not in sys.modules; "
            "from labelguard import functional; assert functional.resize")
    subprocess.run([sys.executable, "-c", code], check=True)
