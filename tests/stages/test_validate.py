"""Validate: the checks on single masks, in a loader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labelguard.checks.registry import all_rules
from labelguard.errors import MaskRejectedError, UsageError
from labelguard.facts.mask import Mask, Storage
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Validate
from tests.checks.scenes import mask

SPEC = LabelSpec(4, 255)
GOOD = mask("0 1 2 / 3 255 0")


def codes(stage: Validate, labels: Any, **more: Any) -> list[str]:
    return [finding.code for finding in stage.findings(Mask(labels, **more))]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int64"])
def test_a_good_mask_comes_out_as_it_went_in(dtype: str) -> None:
    labels = GOOD.astype(dtype)
    result = Validate(SPEC)(labels)
    assert np.array_equal(result, labels) and result.dtype == labels.dtype
    assert codes(Validate(SPEC), labels) == []


def test_apply_gives_the_very_mask() -> None:
    given = Mask(GOOD, "a.png")
    assert Validate(SPEC).apply(given) is given


def test_an_id_outside_the_classes_is_refused_with_its_place() -> None:
    with pytest.raises(MaskRejectedError) as refused:
        Validate(SPEC).apply(Mask(mask("0 1 / 4 4"), "a.png"))
    finding, = refused.value.findings
    assert (finding.code, finding.ids, finding.pixels, finding.first, finding.box) == ("LG101", (4,), 2, (1, 0), (1, 0, 2, 2))
    assert finding.path == refused.value.name == "a.png"


@pytest.mark.parametrize("spec", [LabelSpec(4), LabelSpec(4, 254)])
def test_255_is_refused_where_it_is_not_ignored(spec: LabelSpec) -> None:
    with pytest.raises(MaskRejectedError):
        Validate(spec)(GOOD)


def test_a_warning_is_found_and_lets_the_mask_pass() -> None:
    empty = np.zeros((4, 4), np.uint8)
    finding, = Validate(SPEC).findings(Mask(empty))
    assert (finding.code, finding.severity) == ("LG201", Severity.WARNING)
    assert np.array_equal(Validate(SPEC)(empty), empty)


def test_a_mask_of_ignored_pixels_is_refused() -> None:
    with pytest.raises(MaskRejectedError, match="LG202"):
        Validate(SPEC)(mask("255 255"))


def test_errors_stand_before_warnings_in_a_rejection() -> None:
    labels = mask("0 0 0 0 / 0 0 0 9")
    lossy = Storage("jpeg", lossy=True, pages=2)
    with pytest.raises(MaskRejectedError) as refused:
        Validate(SPEC).apply(Mask(labels, stored=lossy))
    ranks = [finding.severity.rank for finding in refused.value.findings]
    assert len(ranks) > 1 and ranks == sorted(ranks, reverse=True) and set(ranks) >= {1, 2}


def test_how_a_file_lay_on_disk_is_looked_at() -> None:
    assert codes(Validate(SPEC), GOOD, stored=Storage("png")) == []
    assert "LG002" in codes(Validate(SPEC), GOOD, stored=Storage("jpeg", lossy=True))


@pytest.mark.parametrize(("select", "ignore", "expected"), [
    ((), (), ["LG101", "LG201"]),
    (("LG101",), (), ["LG101"]),
    ("LG101", (), ["LG101"]),
    (["LG2"], (), ["LG201"]),
    ("LG101, LG201", (), ["LG101", "LG201"]),
    (["LG101,LG201"], "LG1,", ["LG101", "LG201"]),
    (("out-of-range",), (), ["LG101"]),
    ((), ("LG101",), ["LG201"]),
    ((), "LG1", ["LG201"]),
    (("LG2",), ("LG201",), []),
])
def test_select_and_ignore_choose_the_checks(select: Any, ignore: Any, expected: list[str]) -> None:
    labels = mask("0 0 / 0 0")
    labels = np.where(labels == 0, 0, labels)
    labels[0, 0] = 9
    spec = LabelSpec(9, background=0)
    found = codes(Validate(spec, select, ignore), labels) + codes(Validate(spec, select, ignore), labels * 0)
    assert found == expected


def test_an_ignored_check_refuses_nothing() -> None:
    assert Validate(SPEC, ignore="LG101")(mask("0 9")).tolist() == [[0, 9]]


def test_without_a_class_count_the_other_checks_run() -> None:
    assert Validate(LabelSpec())(mask("0 200")).tolist() == [[0, 200]]
    assert codes(Validate(LabelSpec()), mask("0 0")) == ["LG201"]
    with pytest.raises(MaskRejectedError):
        Validate(LabelSpec(ignore_index=255))(mask("255 255"))


def test_the_set_is_no_matter_of_a_single_mask() -> None:
    """An absent class, or a wrap, can only be seen in the whole set: scan looks for those."""
    of_sets = {rule.code for rule in all_rules() if rule.mask_check is None}
    assert not of_sets & set(codes(Validate(LabelSpec(12)), mask("0 1 255")))


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"spec": 4}, "spec is 4; it must be a LabelSpec."),
    ({"spec": None}, "spec is None; it must be a LabelSpec."),
    ({"spec": SPEC, "select": "LG999"}, "'LG999' names no check; 'labelguard rules' lists them."),
    ({"spec": SPEC, "ignore": ("LG101", "wrap")}, "'wrap' names no check; 'labelguard rules' lists them."),
    ({"spec": SPEC, "select": ("LG204", "LG205")}, "None of the selected checks (LG204, LG205) can judge a single mask."),
])
def test_impossible_arguments_fail_when_the_stage_is_made(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        Validate(**arguments)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", ["select", "ignore"])
def test_codes_that_are_no_codes_fail_when_the_stage_is_made(name: str) -> None:
    for value in (5, (5,), None):
        with pytest.raises(UsageError, match=name):
            Validate(SPEC, **{name: value})


def test_a_check_that_needs_the_class_count_says_so() -> None:
    with pytest.raises(UsageError, match="class count|number of classes|num_classes"):
        Validate(LabelSpec(), select="LG101")
