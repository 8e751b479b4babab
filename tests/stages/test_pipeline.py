"""Pipeline: stages in their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.facts.mask import Mask, Storage
from labelguard.finding import Finding
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, RejectEmpty, Remap, Resize, Stage, Validate
from tests.checks.scenes import mask, scene
from tests.kernels.strategies import label_images

SPEC = LabelSpec(13)
REPAIR = Remap(-1, {0: "last"}, num_classes=12)


@dataclass(frozen=True)
class Witness(Stage):
    """Lets every mask pass and remembers its ids."""

    seen: list[list[int]] = field(default_factory=list)

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        self.seen.append(np.unique(mask.labels).tolist())
        return ()

    def apply(self, mask: Mask) -> Mask:
        self.findings(mask)
        return mask


def test_stages_run_in_their_order() -> None:
    add, merge = Remap(1), Remap(merge={1: 9})
    assert Pipeline([add, merge])(mask("0 1")).tolist() == [[9, 2]]
    assert Pipeline([merge, add])(mask("0 1")).tolist() == [[1, 10]]


@given(label_images(below=13, longest=30))
def test_it_does_what_its_stages_do_one_after_the_other(labels: Any) -> None:
    stages = [Validate(SPEC), REPAIR, Resize(5, 7)]
    expected = labels
    for stage in stages:
        expected = stage(expected)
    assert np.array_equal(Pipeline(stages)(labels), expected)


def test_each_stage_sees_what_the_one_before_it_left() -> None:
    witness = Witness()
    Pipeline([REPAIR, witness, Remap(10), witness])(mask("0 1"))
    assert witness.seen == [[0, 11], [10, 21]]
    witness.seen.clear()
    Pipeline([REPAIR, witness, Remap(10), witness]).findings(Mask(mask("0 1")))
    assert [ids for i, ids in enumerate(witness.seen) if ids not in witness.seen[:i]] == [[0, 11], [10, 21]]


def test_the_first_refusal_stops_the_rest() -> None:
    witness = Witness()
    pipeline = Pipeline([Validate(LabelSpec(3)), witness, Remap(table={0: 0})])
    with pytest.raises(MaskRejectedError) as refused:
        pipeline.apply(Mask(mask("0 1 9"), "a.png"))
    found, = pipeline.findings(Mask(mask("0 1 9"), "a.png"))
    assert refused.value.findings == (found,) and refused.value.name == "a.png"
    assert found.ids == (9,) and witness.seen == []


def test_a_refusal_further_down_is_the_one_of_that_stage() -> None:
    pipeline = Pipeline([Validate(LabelSpec(20)), Remap(-1, {0: "last"}, num_classes=12), Resize(1, 1)])
    with pytest.raises(MaskRejectedError, match=r"Id 13 would not be a class after the remap") as refused:
        pipeline(mask("0 1 13"))
    assert [finding.code for finding in refused.value.findings] == ["LG101"]


def test_warnings_of_all_stages_are_collected() -> None:
    labels = np.zeros((8, 8), np.uint8)
    labels[0, 0] = 5
    found = Pipeline([Resize(2, 2), Validate(SPEC)]).findings(Mask(labels, "a.png"))
    assert [(finding.code, finding.path) for finding in found] == [("LG306", "a.png"), ("LG201", "a.png")]


def test_what_shrinking_emptied_is_refused_after_it() -> None:
    labels = np.zeros((8, 8), np.uint8)
    labels[0, 0] = 5
    assert RejectEmpty()(labels)[0, 0] == 5
    with pytest.raises(MaskRejectedError, match="LG201"):
        Pipeline([RejectEmpty(), Resize(2, 2), RejectEmpty()])(labels)


def test_a_pipeline_is_a_stage() -> None:
    labels = scene(range(13), (48, 64))
    flat = Pipeline([Validate(SPEC), REPAIR, Resize(6, 8)])
    for nested in (Pipeline([Pipeline([Validate(SPEC), REPAIR]), Resize(6, 8)]), Pipeline([Pipeline([Pipeline([flat])])])):
        assert np.array_equal(nested(labels), flat(labels))
        assert nested.findings(Mask(labels)) == flat.findings(Mask(labels))
        assert nested != flat


def test_a_refusal_inside_a_nested_pipeline_stops_the_outer_one() -> None:
    witness = Witness()
    with pytest.raises(MaskRejectedError):
        Pipeline([Pipeline([Validate(LabelSpec(1))]), witness])(mask("0 1"))
    assert witness.seen == []


def test_name_and_storage_reach_the_end() -> None:
    stored = Storage("png", bits=8)
    after = Pipeline([Validate(SPEC), REPAIR, Resize(1, 1)]).apply(Mask(mask("1 1"), "a.png", stored))
    assert (after.name, after.stored, after.labels.tolist()) == ("a.png", stored, [[0]])


def test_it_may_be_made_of_anything_that_can_be_looped_over() -> None:
    stages = [Validate(SPEC), REPAIR]
    assert Pipeline(stages) == Pipeline(tuple(stages)) == Pipeline(stage for stage in stages)
    assert Pipeline(stages).stages == tuple(stages)
    assert hash(Pipeline(stages)) == hash(Pipeline(tuple(stages)))


def test_the_list_of_the_caller_can_change_without_it() -> None:
    stages: list[Stage] = [Validate(SPEC)]
    pipeline = Pipeline(stages)
    stages.append(REPAIR)
    assert pipeline == Pipeline([Validate(SPEC)])


@pytest.mark.parametrize(("stages", "sentence"), [
    ([], "A pipeline needs at least one stage."),
    ((), "A pipeline needs at least one stage."),
    ([REPAIR, None], "A pipeline holds stages; None is not a stage."),
    (["validate"], "A pipeline holds stages; 'validate' is not a stage."),
    ([Remap], "A pipeline holds stages; <class 'labelguard.stages.remap.Remap'> is not a stage."),
    (5, "A pipeline holds stages; 5 is not a stage."),
    ([[REPAIR]], f"A pipeline holds stages; [{REPAIR!r}] is not a stage."),
])
def test_impossible_arguments_fail_when_it_is_made(stages: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        Pipeline(stages)
    assert str(refused.value) == sentence
