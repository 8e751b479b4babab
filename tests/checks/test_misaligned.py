"""LG305: masks that do not belong to their images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labelguard.checks import misaligned as check
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Severity
from labelguard.pairing.alignment import AlignmentSet, PairEvidence, Turn
from labelguard.pairing.alignment.edge_maps import edge_evidence
from tests.checks.scenes import on_dataset
from tests.pairing.alignment.pictures import name, remade, rotated, scene, scenes


def said_of(pairs: list[Any]) -> Any:
    data = DatasetFacts(alignment=AlignmentSet({name(number): PairEvidence(edge_evidence(image, labels))
                                                for number, (image, labels) in enumerate(pairs)}))
    return on_dataset(check, data)


def test_a_set_that_is_off_by_one_name_is_an_error() -> None:
    finding, = said_of(rotated(scenes(24), 1))
    assert (finding.code, finding.severity, finding.path) == ("LG305", Severity.ERROR, None)
    assert finding.message == "The masks are those of the images 1 name further on."
    assert finding.files == tuple(name(number) for number in range(24))
    assert finding.evidence[1] == "24 of 24 pairs fit better that way"


def test_the_order_in_which_pairs_were_seen_does_not_matter() -> None:
    pairs = rotated(scenes(8), 1)
    backwards = {name(number): PairEvidence(edge_evidence(*pairs[number])) for number in range(7, -1, -1)}
    finding, = on_dataset(check, DatasetFacts(alignment=AlignmentSet(backwards)))
    assert finding.message.endswith("1 name further on.")


def test_a_flipped_set() -> None:
    finding, = said_of(remade(scenes(24), np.fliplr))
    assert finding.severity is Severity.ERROR
    assert finding.message == "The masks are flipped horizontally relative to their images."
    assert "mask[:, ::-1] turns a mask back" in str(finding.fix)


def test_every_third_mask_flipped_is_a_warning_with_their_names() -> None:
    finding, = said_of(remade(scenes(24), np.fliplr, every=3))
    assert finding.severity is Severity.WARNING
    assert finding.message == "8 masks are flipped horizontally relative to their images."
    assert finding.files == tuple(name(number) for number in range(0, 24, 3))


def test_one_flipped_mask_reads_well() -> None:
    pairs = scenes(24)
    pairs[3] = (pairs[3][0], np.fliplr(pairs[3][1]))
    finding, = said_of(pairs)
    assert finding.message == "1 mask is flipped horizontally relative to its image."
    assert finding.files == (name(3),)


def test_masks_that_have_changed_places_are_named_with_the_images_they_fit() -> None:
    pairs = scenes(24)
    pairs[3], pairs[9] = (pairs[3][0], pairs[9][1]), (pairs[9][0], pairs[3][1])
    finding, = said_of(pairs)
    assert finding.message == "2 masks are those of other images."
    assert f"{name(3)} fits the image of {name(9)}" in finding.evidence


def test_of_masks_that_are_not_named_it_says_how_many_were_judged() -> None:
    pairs = scenes(24)
    finding, = said_of(remade(pairs, np.fliplr, every=3))
    assert finding.evidence[-1] == ("only masks are named that are clear by themselves; of the others 16 fit their own images, and of 0 "
                                    "nothing can be told")
    flat = [(np.full_like(image, 7), labels) for image, labels in scenes(30, first=50)]
    pairs[3], pairs[9] = (pairs[3][0], pairs[9][1]), (pairs[9][0], pairs[3][1])
    finding, = said_of(pairs + flat)
    assert finding.message == "2 masks are those of other images. Nothing can be told of 30 more, which may be so too."


def test_a_stranger_is_a_note() -> None:
    pairs = scenes(30)
    pairs[7] = (pairs[7][0], scene(99)[1])
    finding, = said_of(pairs)
    assert (finding.severity, finding.files) == (Severity.NOTE, (name(7),))
    assert finding.message == "1 mask is unlike its image, and unlike any other image of the set."


def test_a_shifted_set() -> None:
    finding, = said_of(remade(scenes(24), lambda labels: np.roll(labels, (2, 3), (0, 1))))
    assert finding.severity is Severity.WARNING
    assert finding.message == "The masks lie about 2 pixels too far down and 3 pixels too far right."


def test_many_partners_are_cut() -> None:
    pairs = scenes(24)
    finding, = said_of(pairs[:12] + rotated(pairs, 1)[12:23])
    assert finding.evidence[-1].startswith("and ") and len(finding.evidence) <= 9


@pytest.mark.parametrize("pairs", [
    [], scenes(2), scenes(5), scenes(24), remade(scenes(8), np.zeros_like),
    [(image, np.roll(labels, 1, 0)) for image, labels in scenes(24)],
    [(np.full_like(image, 7), labels) for image, labels in scenes(8)],
    scenes(8, contrast=1, noise=25),
], ids=["none", "two", "five", "many", "empty", "off by a pixel", "flat images", "no contrast"])
def test_it_leaves_alone(pairs: list[Any]) -> None:
    assert said_of(pairs) == []


@pytest.mark.parametrize("turn", Turn)
def test_what_is_named_as_turning_back_turns_back(turn: Turn) -> None:
    labels = np.arange(9).reshape(3, 3)
    back = eval(check._BACK[turn], {"numpy": np, "mask": labels})
    assert (back == turn.undone(labels)).all()
