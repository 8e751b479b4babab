"""Where each family of explanations ends: what is just inside of a limit is explained, and what is just outside is not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from labelguard.explanations import clipped, counting, objects, per_file, plain, repeated, spaces, spread
from labelguard.explanations.explanation import Family
from labelguard.spec.labelspec import LabelSpec
from tests.explanations.made import case_of

Files = list[list[int]]  # the ids of each


class Limit(NamedTuple):
    """A family, the cause that it names of the first files and not of the others, and what is declared of each."""

    family: Family
    cause: str
    inside: Files
    outside: Files
    spec: LabelSpec = LabelSpec()
    beyond: LabelSpec | None = None


def up_to(*ends: int) -> Files:
    """Files with the ids from 1 to each end."""
    return [[*range(1, end + 1)] for end in ends]


def steps(number: int) -> list[int]:
    """So many steps over 8 bits."""
    return [round(place * 255 / number) for place in range(number + 1)]


HALVES = [0, 128, 255]
ODD = [0, 3, 77]
LIMITS = {
    "objects have numbers up to 900 of 1000": Limit(objects.families, "instances", [[0, 1001, 1900]], [[0, 1001, 1901]], LabelSpec(4)),
    "3 numbers of objects, beyond 2 classes": Limit(counting.families, "numbered", up_to(3, 2, 1), up_to(2, 1), LabelSpec(2)),
    "one number more than classes are declared": Limit(counting.families, "numbered", up_to(5, 2), up_to(4, 2), LabelSpec(5)),
    "20 numbers, where nothing is declared": Limit(counting.families, "numbered", up_to(20, 19, 18), up_to(19, 18, 17)),
    "all declared classes, numbered anew": Limit(counting.families, "afresh", up_to(4, 3, 2), up_to(3, 2, 1), LabelSpec(5)),
    "fewer numbers than declared classes": Limit(counting.families, "afresh", up_to(5, 4), up_to(6, 5), LabelSpec(6)),
    "63 numbers of classes": Limit(counting.families, "afresh", up_to(63, 62), up_to(64, 63)),
    "2 different ends of classes": Limit(counting.families, "afresh", up_to(5, 4), up_to(5, 5), LabelSpec(6)),
    "3 ids on scales": Limit(per_file.families, "stretched", [[0, 255], [128, 255]], [[255], [128, 255]], LabelSpec(4)),
    "64 steps of a scale": Limit(per_file.families, "stretched", [steps(64), HALVES], [steps(65), HALVES], LabelSpec(70)),
    "the first 8 sets of ids": Limit(per_file.families, "stretched", [*map(steps, range(1, 9)), ODD], [*map(steps, range(1, 8)), ODD],
                                     LabelSpec(12)),
    "a top of 200": Limit(per_file.families, "stretched", [[0, 100, 200], [0, 67, 133, 200]], [[0, 100, 199], [0, 66, 133, 199]],
                          LabelSpec(5)),
    "tops that are 8 apart": Limit(per_file.families, "stretched", [[0, 124, 248], [0, 80, 160, 240]], [[0, 124, 248], [0, 80, 160, 239]],
                                   LabelSpec(5)),
    "an eighth of a step": Limit(per_file.families, "stretched", [[0, 112, 200], [0, 67, 133, 200]], [[0, 113, 200], [0, 67, 133, 200]],
                                 LabelSpec(5)),
    "4 codes on a line": Limit(spread.families, "levels", [[20, 90, 160, 231]], [[20, 90, 160]], LabelSpec(7)),
    "a line in steps of 6": Limit(spread.families, "levels", [[100, 106, 112, 118]], [[100, 105, 110, 115]], LabelSpec(4)),
    "3 ids of a public numbering": Limit(spaces.families, "space", [[7, 8, 33]], [[7, 33]], LabelSpec(19)),
    "3 classes that are cut off": Limit(clipped.families, "clipped", [[0, 1]], [[0, 1]], LabelSpec(5), LabelSpec(6)),
    "16 odd ids": Limit(plain.families, "void", [[*range(21)]], [[*range(22)]], LabelSpec(5)),
    "2 classes that a table left": Limit(repeated.families, "repeated", [[0, 1, 255]], [[0, 255]], LabelSpec(19, 255)),
}


def causes(family: Family, files: Files, spec: LabelSpec) -> set[str]:
    return {each.cause for each in family(case_of([np.array([ids], np.int32) for ids in files], spec))}


@pytest.mark.parametrize("name", LIMITS)
def test_a_family_ends_at_its_limit(name: str) -> None:
    family, cause, inside, outside, spec, beyond = LIMITS[name]
    assert cause in causes(family, inside, spec) and cause not in causes(family, outside, beyond or spec)


@pytest.mark.parametrize(("pixels", "mostly"), [(52, True), (48, False)])
def test_most_of_the_pixels_are_more_than_half(pixels: int, mostly: bool) -> None:
    assert case_of([np.repeat([1, 0], [pixels, 100 - pixels])[None]], LabelSpec(2)).mostly((1,)) is mostly
