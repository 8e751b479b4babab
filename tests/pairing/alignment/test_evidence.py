"""What one look at a pair keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from labelguard.pairing.alignment.edge_maps import CELLS, REACH, AlignmentEvidence, edge_evidence
from tests.drawn import examples
from tests.pairing.alignment.pictures import scene


def same(one: AlignmentEvidence, other: AlignmentEvidence) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in ("image_map", "mask_map", "rows", "columns"))


def correlation(one: NDArray[Any], other: NDArray[Any]) -> Any:
    return np.corrcoef(one.ravel(), other.ravel())[0, 1]


def test_maps_of_a_pair_are_alike_and_small() -> None:
    evidence = edge_evidence(*scene(1))
    assert evidence.image_map.shape == evidence.mask_map.shape == (CELLS, CELLS)
    assert evidence.image_map.dtype == evidence.mask_map.dtype == np.int8
    assert correlation(evidence.image_map, evidence.mask_map) > 0.3
    assert sum(part.nbytes for part in (evidence.image_map, evidence.mask_map, evidence.rows, evidence.columns)) < 4096


def test_the_shift_of_a_mask_is_where_its_profiles_peak() -> None:
    image, labels = scene(2, (200, 200), noise=2)
    evidence = edge_evidence(image, np.roll(labels, (3, -5), (0, 1)))
    assert (evidence.rows.argmax() - REACH, evidence.columns.argmax() - REACH) == (-3, 5)


@pytest.mark.parametrize("of_image", [
    lambda image: image // 2 + 60, lambda image: image.astype(np.uint16) * 200, lambda image: image / 255.0,
    lambda image: image.astype(np.float32) - 1000, lambda image: 255 - image])
def test_lighting_contrast_and_type_of_the_image_hardly_matter(of_image: Callable[..., Any]) -> None:
    image, labels = scene(3)
    plain, changed = edge_evidence(image, labels), edge_evidence(of_image(image), labels)
    assert correlation(plain.image_map, changed.image_map) > 0.99
    assert np.abs(plain.rows - changed.rows).max() < 0.02


def test_grey_images_and_alpha() -> None:
    image, labels = scene(4)
    grey = image[:, :, 0]
    assert same(edge_evidence(grey, labels), edge_evidence(grey[:, :, None], labels))
    alpha = np.random.default_rng(0).integers(0, 255, grey.shape).astype(np.uint8)
    assert same(edge_evidence(np.dstack([image, alpha]), labels), edge_evidence(image, labels))
    assert same(edge_evidence(np.dstack([grey, alpha]), labels), edge_evidence(grey, labels))


@pytest.mark.parametrize("dtype", ["bool", "uint16", "int64", ">u2"])
def test_the_type_of_the_labels_does_not_matter(dtype: str) -> None:
    image, labels = scene(5)
    labels = (labels > 1).astype(np.uint8)
    assert same(edge_evidence(image, labels.astype(dtype)), edge_evidence(image, labels))


def test_what_the_ids_are_does_not_matter() -> None:
    image, labels = scene(6)
    table = np.random.default_rng(1).permutation(256).astype(np.uint8)
    assert same(edge_evidence(image, table[labels]), edge_evidence(image, labels))


def test_strides_do_not_matter() -> None:
    image, labels = scene(7)
    assert same(edge_evidence(image[::-1, ::2], labels[::-1, ::2]), edge_evidence(image[::-1, ::2].copy(), labels[::-1, ::2].copy()))
    assert same(edge_evidence(np.asfortranarray(image), np.asfortranarray(labels)), edge_evidence(image, labels))


def test_flat_images_and_empty_masks_say_nothing() -> None:
    image, labels = scene(8)
    assert not edge_evidence(np.full_like(image, 9), labels).image_map.any()
    empty = edge_evidence(image, np.zeros_like(labels))
    assert not empty.mask_map.any() and not len(empty.rows) and not len(empty.columns)


def test_other_sizes_share_the_grid_but_have_no_profile() -> None:
    image, labels = scene(9)
    larger = edge_evidence(image, labels.repeat(2, axis=0).repeat(2, axis=1))
    assert correlation(larger.mask_map, edge_evidence(image, labels).mask_map) > 0.8
    assert (larger.image_shape, larger.mask_shape) == ((96, 160), (192, 320)) and not len(larger.rows)


def test_values_that_are_no_numbers_are_no_edges() -> None:
    image, labels = scene(10)
    broken = image.astype(np.float32)
    broken[10:20, 10:20], broken[40, 40] = np.nan, np.inf
    evidence = edge_evidence(broken, labels)
    assert correlation(evidence.image_map, edge_evidence(image, labels).image_map) > 0.8
    assert np.isfinite(evidence.rows).all()


@examples(60)
@given(st.data())
def test_no_pair_is_too_odd(data: st.DataObject) -> None:
    labels = data.draw(arrays(data.draw(st.sampled_from(["uint8", "int32", "bool"])), array_shapes(min_dims=2, max_dims=2, max_side=40)))
    image = data.draw(arrays(data.draw(st.sampled_from(["uint8", "uint16", "float32", "float64"])),
                             (*data.draw(array_shapes(min_dims=2, max_dims=2, max_side=40)), data.draw(st.sampled_from([1, 2, 3, 4])))))
    evidence = edge_evidence(image, labels)
    assert evidence.mask_map.any() or labels.min() == labels.max() or min(labels.shape) < CELLS
    assert not len(evidence.rows) or (len(evidence.rows) == 2 * REACH + 1 and 0 <= evidence.rows.min() <= evidence.rows.max() <= 1)


@pytest.mark.parametrize("image, labels", [((4, 4), (4, 4, 3)), ((4,), (4, 4)), ((0, 4), (4, 4)), ((4, 4), (4, 0))])
def test_arrays_of_other_kinds_are_refused(image: tuple[int, ...], labels: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="are needed"):
        edge_evidence(np.zeros(image), np.zeros(labels, np.uint8))
