"""A day that was lost: two lines that wrapped, a resize that hid it, and a larger resize that did not.

Data set A has a class too many: 0 is unlabeled and every other id is one too high. Two lines were meant to shift the ids and to
make the unlabeled region the last class. On bytes they make it 255. The labels were then resized by planes of bytes and argmax. At
1/8 of the size training ran; at 1/4 it died, hours were spent on the network, and the labels were at fault all along.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from labelguard.errors import MaskRejectedError
from labelguard.facts.mask import Mask
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, Remap, Resize, Stage, Validate
from tests.checks.scenes import Labels, scene
from tests.stages.plain import remapped

NUM_CLASSES = 12
SPEC = LabelSpec(NUM_CLASSES)
LOW, HIGH = (32, 64), (64, 128)  # 1/8 and 1/4
both_sizes = pytest.mark.parametrize("size", [LOW, HIGH], ids=["low", "high"])
RIGHT = Remap(shift=-1, merge={0: "last"}, num_classes=NUM_CLASSES)


def data_set_a() -> Labels:
    """Blobs of classes on a road, and unlabeled seams three pixels wide: less than half of a cell at 1/8, more than half at 1/4."""
    labels = scene(range(2, 12), LOW, background=1).repeat(8, axis=0).repeat(8, axis=1)
    for left in range(8, labels.shape[1], 64):
        labels[:, left:left + 3] = 0
    return labels


def the_two_lines(label_img: Labels, num_classes: int = NUM_CLASSES) -> Labels:
    label_img = label_img.copy()
    label_img -= 1
    label_img[label_img == -1] = num_classes - 1
    return label_img


def mask_resize(img: Labels, size: tuple[int, int]) -> Labels:
    """The resize of the story, plane by plane."""
    sheets = [(255 * (img == v)).astype(np.uint8) for v in range(int(np.max(img)) + 1)]
    planes = [cv2.resize(sheet, size[::-1], interpolation=cv2.INTER_AREA) for sheet in sheets]
    return np.argmax(np.stack(planes), axis=0).astype(np.uint8)


def refused_ids(stage: Stage, labels: Labels) -> tuple[int, ...]:
    with pytest.raises(MaskRejectedError) as refused:
        stage(labels)
    finding, = refused.value.findings
    assert finding.code == "LG101"
    return finding.ids


def test_the_second_line_never_finds_anything() -> None:
    before, after = data_set_a(), the_two_lines(data_set_a())
    assert not (after == -1).any() and NUM_CLASSES - 1 not in after
    assert np.array_equal(after == 255, before == 0)


def test_at_the_low_resolution_the_result_looks_clean() -> None:
    small = mask_resize(the_two_lines(data_set_a()), LOW)
    assert set(np.unique(small).tolist()) == set(range(NUM_CLASSES - 1))
    assert Validate(SPEC).findings(Mask(small)) == ()


def test_at_the_high_resolution_it_does_not() -> None:
    large = mask_resize(the_two_lines(data_set_a()), HIGH)
    assert 255 in large
    assert refused_ids(Validate(SPEC), large) == (255,)


@both_sizes
def test_validate_before_the_resize_refuses_the_mask_at_both(size: tuple[int, int]) -> None:
    wrapped = the_two_lines(data_set_a())
    assert refused_ids(Pipeline([Validate(SPEC), Resize(*size)]), wrapped) == (255,)


@both_sizes
def test_a_resize_that_knows_the_classes_refuses_the_mask_at_both(size: tuple[int, int]) -> None:
    wrapped = the_two_lines(data_set_a())
    stage = Resize(*size, num_classes=NUM_CLASSES)
    assert refused_ids(stage, wrapped) == (255,)
    finding, = stage.findings(Mask(wrapped))
    assert (finding.pixels, finding.first) == ((wrapped == 255).sum(), (0, 8))


def test_a_resize_that_knows_nothing_hides_it_too_and_says_what_vanished() -> None:
    wrapped = the_two_lines(data_set_a())
    assert 255 not in Resize(*LOW)(wrapped) and 255 in Resize(*HIGH)(wrapped)
    found, = Resize(*LOW).findings(Mask(wrapped))
    assert found.code == "LG306" and 255 in found.ids


@pytest.mark.parametrize("ignored", [False, True])
def test_validate_after_the_resize_comes_too_late(ignored: bool) -> None:
    late = Pipeline([Resize(*LOW), Validate(LabelSpec(NUM_CLASSES, 255 if ignored else ()))])
    assert late(the_two_lines(data_set_a())).max() < NUM_CLASSES


@both_sizes
def test_the_remap_that_was_meant_passes_at_both(size: tuple[int, int]) -> None:
    labels = data_set_a()
    assert np.array_equal(RIGHT(labels), remapped(labels, -1, {0: NUM_CLASSES - 1}))
    result = Pipeline([Validate(LabelSpec(13)), RIGHT, Validate(SPEC), Resize(*size, num_classes=NUM_CLASSES)])(labels)
    assert result.shape == size and set(np.unique(result).tolist()) <= set(range(NUM_CLASSES))
    assert (NUM_CLASSES - 1 in result) == (size == HIGH)


@both_sizes
def test_the_mend_of_the_story_is_the_same_remap(size: tuple[int, int]) -> None:
    """`label_img[label_img == 255]`, as its author wrote in the end; right as long as nobody has painted 255."""
    mended = the_two_lines(data_set_a())
    mended[mended == 255] = NUM_CLASSES - 1
    assert np.array_equal(mended, RIGHT(data_set_a()))
    assert np.array_equal(Resize(*size)(mended), Resize(*size)(RIGHT(data_set_a())))
