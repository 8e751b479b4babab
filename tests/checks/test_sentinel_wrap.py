"""LG110: negative sentinels cut to unsigned types."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labelguard.checks import sentinel_wrap as check
from labelguard.checks import undeclared_ignore
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.mending import mended_by_its_command
from tests.checks.scenes import Labels, dataset, errors, mask, mended, on_dataset, scene

TOP = {"uint8": 255, "uint16": 65535}


def the_sentinel(masks: list[Labels], spec: LabelSpec) -> Finding:
    """The one LG110 of a set, which must not be doubted by an LG103."""
    assert on_dataset(undeclared_ignore, masks, spec) == []
    finding, = on_dataset(check, dataset(masks, spec), spec)
    return finding


@pytest.mark.parametrize("spec", [LabelSpec(5), LabelSpec(), LabelSpec(5, 255), LabelSpec(150)])
@pytest.mark.parametrize(("sentinel", "dtype", "wrapped"), [
    (-100, "uint8", 156), (-9999, "uint8", 241), (-100, "uint16", 65436), (-9999, "uint16", 55537), (-99, "uint8", 157)])
def test_a_known_sentinel_that_wrapped_becomes_void(sentinel: int, dtype: str, wrapped: int, spec: LabelSpec) -> None:
    original = scene(range(1, 5), ribbon=sentinel, dtype="int32")
    damaged = original.astype(dtype)
    finding = the_sentinel([damaged], spec)
    assert finding.ids == (wrapped,)
    assert finding.message.startswith(f"{wrapped} is a {sentinel} that wrapped in {dtype}")
    if spec.num_classes == 150:
        assert not finding.fix.commands  # it may be one of the classes that no file shows
        return
    void = 255 if spec.ignore_index else TOP[dtype]
    assert np.array_equal(mended(finding.fix, damaged), np.where(original == sentinel, void, original))


def test_the_command_for_minus_100() -> None:
    damaged = scene(range(1, 5), ribbon=-100, dtype="int32").astype("uint8")
    assert str(the_sentinel([damaged], LabelSpec(5)).fix) == "labelguard remap masks --merge 156:255 --num-classes 5 --ignore-index 255"


def test_a_declared_minus_100_is_not_what_the_fix_writes_into_an_unsigned_file() -> None:
    damaged = scene(range(1, 5), ribbon=-100, dtype="int32").astype("uint8")
    finding = the_sentinel([damaged], LabelSpec(5, -100))
    assert np.array_equal(mended(finding.fix, damaged), np.where(damaged == 156, 255, damaged))


@pytest.mark.parametrize("ids", [(78, 156), (120, 241), (64, 100, 157)])
def test_scattered_grey_levels_of_nobody_knows_how_many_classes_are_no_sentinel(ids: tuple[int, ...]) -> None:
    assert on_dataset(check, [scene(ids)]) == []


def test_beside_a_stranger_id_a_sentinel_is_not_certain() -> None:
    assert all(finding.severity is not Severity.ERROR for finding in on_dataset(check, [scene([1, 2, 156, 200])], LabelSpec(5)))


def test_a_sentinel_that_is_a_class_is_a_class() -> None:
    assert on_dataset(check, [scene([1, 2, 156])], LabelSpec(200)) == []


def test_one_file_of_200_with_minus_100() -> None:
    healthy = [scene(range(1, 5), (24, 24), seed=seed) for seed in range(199)]
    faulty = np.where(healthy[0] == 2, 156, healthy[0]).astype("uint8")
    finding = the_sentinel([*healthy[:123], faulty, *healthy[123:]], LabelSpec(5))
    assert (finding.ids, finding.files) == ((156,), ("123",))


@pytest.mark.parametrize("classes", [2, 3, 19, 150])
@pytest.mark.parametrize("ignored", [(), (255,)])
def test_the_command_mends_the_set(classes: int, ignored: tuple[int, ...], tmp_path: Path) -> None:
    masks = [scene(range(1, classes), (136, 120), seed=seed, ribbon=156) for seed in range(2)]
    mended_by_its_command(tmp_path, masks, LabelSpec(classes, ignored), "LG110")


def test_it_is_the_only_error() -> None:
    assert errors([scene(range(1, 5), ribbon=156)], LabelSpec(5, 255)) == {"LG110"}


@pytest.mark.parametrize(("masks", "spec"), [
    ([scene(range(1, 5), ribbon=156)], LabelSpec(5, 156)),
    ([mask("0 1 2 158")], LabelSpec(3)),
    ([scene(range(1, 5), ribbon=-100, dtype="int16")], LabelSpec(5)),
    ([scene(range(1, 5), ribbon=255)], LabelSpec(5)),
    ([], LabelSpec(5)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []
