"""What the rules on the ids of a set have in common: they say no more than the verdict does."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from labelguard.checks import _weighed, off_by_one, stretched_ids, uint8_wraparound
from labelguard.explanations.decide import Certainty, Verdict
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.mask_facts import ErosionStats
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import percent
from tests.checks.recipes import drawn_set
from tests.checks.scenes import dataset, facts_on_disk, mask, on_dataset
from tests.explanations.made import account, sightings, told_as, whole

NEGATED = [labels * 255 for labels in drawn_set(3, void=None)]  # 0, 255 and 254: shifted by -2, or multiplied by 255


def test_what_another_cause_may_explain_is_said_with_a_perhaps() -> None:
    finding, = on_dataset(uint8_wraparound, NEGATED, LabelSpec(3))
    assert finding.severity is Severity.WARNING and "shifted by -2" in finding.message and "multiplied by 255" in finding.message


def test_what_no_other_cause_explains_is_said_flatly() -> None:
    finding, = on_dataset(stretched_ids, [10 * labels for labels in drawn_set(5, void=None)], LabelSpec(5))
    assert finding.severity is Severity.ERROR and finding.message.startswith("The ids were multiplied by 10")


def test_the_evidence_reads_as_a_sentence() -> None:
    for masks, classes in ((NEGATED, 3), ([labels - 1 for labels in drawn_set(5, void=None)], 5)):
        finding, = on_dataset(uint8_wraparound, masks, LabelSpec(classes))
        line = next(line for line in finding.evidence if "as likely as the next explanation, that" in line)
        assert line.startswith("about ") and "about 1 times" not in line and not line.endswith("; ")


def test_a_cause_that_would_have_left_the_same_ids_is_named_too() -> None:
    shifted = [labels - 1 for labels in drawn_set(2, void=None)]  # so does whoever stores 255 for the background and 0 for the object
    finding, = on_dataset(uint8_wraparound, shifted, LabelSpec(2))
    assert any(line.startswith("it may as well be that 255 is the background, and 0 the object") for line in finding.evidence)


def test_shares_are_those_of_the_files_concerned() -> None:
    masks = drawn_set(5, 24, void=None)
    finding, = on_dataset(uint8_wraparound, [masks[0] - 1, *masks[1:]], LabelSpec(5))
    there = (masks[0] == 0).mean()
    assert f"255 covers {percent(there, 1)} of all pixels there, in this file" in finding.evidence
    assert f"({percent(there, 1)} of all pixels)" in finding.message


# --- thresholds of words ------------------------------------------------------------------------------------------------------------------

COUNTED = whole(sightings({(1, 2): 9}))
DECLARED, UP, VOID = (told_as(COUNTED, table, 2, cause, amount=amount) for table, cause, amount in (
    ({1: 1, 2: 2}, "as declared", 0), ({1: 0, 2: 1}, "up", 1), ({1: 1, 2: -1}, "void", 2)))


def verdict(odds: float, certainty: Certainty = "undetermined", other: object = UP, bits: float = 1.0) -> Verdict:
    """As declared, and another account with these odds that is so many bits longer."""
    return Verdict((account([DECLARED]), account([other], void=bits)), (1 - odds, odds), certainty, False)  # type: ignore[list-item]


@pytest.mark.parametrize(("bits", "words"), [(0.21, "about 1.2 times as likely as"), (0.19, "about as likely as")])
def test_nothing_is_likelier_by_next_to_nothing(bits: float, words: str) -> None:
    word = _weighed.Word(dataset([mask("1 2")]), LabelSpec(2), verdict(0.5, bits=bits), COUNTED, DECLARED.explanation)
    line, = word.weight()
    assert line.startswith(words)


@pytest.mark.parametrize(("odds", "spoken_of"), [(0.021, True), (0.019, False)])
def test_where_nothing_is_declared_an_id_that_may_be_void_is_spoken_of(odds: float, spoken_of: bool) -> None:
    assert (_weighed._worded(verdict(odds, other=VOID), LabelSpec()) == (VOID,)) is spoken_of
    assert _weighed._worded(verdict(odds, other=VOID), LabelSpec(2)) == (DECLARED,)
    assert _weighed._worded(verdict(odds, "certain", VOID), LabelSpec()) == (DECLARED,)


@pytest.mark.parametrize(("odds", "asked"), [(0.052, 1), (0.048, 0)])
def test_the_class_count_is_asked_for_where_labels_may_start_at_1(odds: float, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(off_by_one, "verdict_on", lambda *_: verdict(odds))
    assert len(on_dataset(off_by_one, [mask("1 2")], LabelSpec())) == asked


class Shaped(NamedTuple):
    """All that `shape_of` asks of a set."""

    erosion: dict[int, ErosionStats]


@pytest.mark.parametrize(("eroded", "words"), [(199, "thin lines"), (200, "neither"), (499, "neither"), (500, "areas with a core")])
def test_an_id_is_lines_or_areas_by_how_much_of_it_is_away_from_its_edges(eroded: int, words: str) -> None:
    shape, _ = _weighed.shape_of(255, Shaped({255: ErosionStats(1000, eroded)}))  # type: ignore[arg-type]
    assert f"lie away from its edges: {words}" in shape


@pytest.mark.parametrize(("pixels", "lines"), [(200, 2), (199, 1)])
def test_of_a_few_pixels_nothing_is_said(pixels: int, lines: int) -> None:
    assert len([*_weighed.shape_of(255, Shaped({255: ErosionStats(pixels, 0, least_pixels=200)}))]) == lines  # type: ignore[arg-type]


@pytest.mark.parametrize(("eroded", "touching", "usual"), [(200, 6, True), (200, 5, False), (199, 6, False)])
def test_areas_that_touch_the_border_in_most_files_do_so_as_a_background_does(eroded: int, touching: int, usual: bool) -> None:
    _, border = _weighed.shape_of(255, Shaped({255: ErosionStats(1000, eroded, 10, touching)}))  # type: ignore[arg-type]
    assert ("as a background does" in border) is usual


def test_of_several_parts_only_what_differs_is_said_again() -> None:
    """One folder was multiplied, one counts from 1, and one has wrapped: each finding tells of its own folder alone."""
    masks = drawn_set(5, 36, void=None)
    faults = (lambda labels: labels * 20, lambda labels: labels + 1, lambda labels: labels - 1)
    data = DatasetBuilder("masks")
    for place, labels in enumerate(masks):
        data.add(f"{'abc'[place // 12]}/{place}", facts_on_disk(faults[place // 12](labels).astype("uint8"), LabelSpec(5)))
    built = data.build()
    (raised,), (wrapped,) = (on_dataset(module, built, LabelSpec(5)) for module in (off_by_one, uint8_wraparound))
    assert not any("it may as well be" in line for line in raised.evidence)
    assert any(line.startswith("it may as well be that in c/ (12 of 36 files) zero was reduced") and "b/" not in line
               for line in wrapped.evidence)
