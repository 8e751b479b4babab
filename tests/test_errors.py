"""The exceptions: what they carry, and that it survives the way out of a worker process."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from labelguard.errors import MaskRejectedError, SpecError, UsageError
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Remap, Resize

FINDING = Finding("LG101", "out-of-range", Severity.ERROR, "9 is not a class.", first=(4, 5))


def test_a_rejection_says_where_the_first_pixel_is() -> None:
    assert str(MaskRejectedError((FINDING,), "a.png")) == (
        "a.png is rejected. LG101 out-of-range: 9 is not a class. First at row 4, column 5.")


def test_a_message_that_names_a_row_is_still_followed_by_the_place() -> None:
    assert str(MaskRejectedError((replace(FINDING, message="The row is cut."),))).endswith("The row is cut. First at row 4, column 5.")


@pytest.mark.parametrize("finding", [replace(FINDING, says_where=True), replace(FINDING, first=None)])
def test_the_place_is_not_said_twice_nor_invented(finding: Finding) -> None:
    assert str(MaskRejectedError((finding,))) == "A mask is rejected. LG101 out-of-range: 9 is not a class."


@pytest.mark.parametrize(("make", "argument"), [
    (lambda: LabelSpec(0), "num_classes"),
    (lambda: LabelSpec(2, background=7), "background"),
    (lambda: Remap(shift=0.5), "shift"),
    (lambda: Resize(8), "width"),
    (lambda: Resize(8, 8, ties="highest"), "ties"),
])
def test_a_wrong_argument_is_named_by_the_exception(make: object, argument: str) -> None:
    with pytest.raises(UsageError) as raised:
        make()  # type: ignore[operator]
    assert raised.value.argument == argument


def test_the_argument_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(SpecError("num_classes is 0.", argument="num_classes")))
    assert UsageError("Nothing.").argument == ""
    assert isinstance(error, SpecError) and (str(error), error.argument) == ("num_classes is 0.", "num_classes")
