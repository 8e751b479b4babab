from __future__ import annotations

import numpy as np
from hypothesis import given

from labelguard.kernels import ramps
from tests.kernels.strategies import label_images


def same(labels, size):
    return all(np.array_equal(a, b) for a, b in zip(ramps.ramps(labels, size), ramps.definition(labels, size), strict=True))


@given(label_images())
def test_compiled_equals_definition(labels):
    assert same(labels, 256)


@given(label_images(below=6))
def test_compiled_equals_definition_for_few_classes(labels):
    assert same(labels, 6) and same(np.ascontiguousarray(labels.T), 6)


@given(label_images(below=65536, dtype=np.uint16, longest=90))
def test_compiled_equals_definition_for_16_bits(labels):
    assert same(labels, 65536)
