"""What a fit is worth: chances, corrections for many tries, and pairs that are one and the same witness."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.pairing.alignment.edge_maps import edge_evidence
from labelguard.pairing.alignment.fit_scores import CLIP, Scores, benjamini_hochberg, critical_score, tail_chances
from tests.pairing.alignment.pictures import Pair, scene, scenes


def scores_of(pairs: list[Pair]) -> Scores:
    return Scores.of([edge_evidence(image, labels) for image, labels in pairs])


def test_the_more_is_tried_the_higher_a_score_has_to_be() -> None:
    assert critical_score(0.05) == pytest.approx(1.645, abs=1e-3)
    assert critical_score(0.05, 10) == pytest.approx(critical_score(0.005))  # Bonferroni
    assert critical_score(0.05, 10) > critical_score(0.05) + 0.9


def test_the_chance_of_a_score_and_the_score_of_a_chance_are_inverse() -> None:
    assert tail_chances(np.array([critical_score(0.01), 0, np.nan], np.float32)) == pytest.approx([0.01, 0.5, 0.5], rel=1e-4)


def test_files_are_named_so_that_few_of_them_are_innocent() -> None:
    chances = np.array([0.5, 0.019, 0.011, 0.9])  # the second smallest of four may be 2 / 4 of the share
    assert benjamini_hochberg(chances, 0.04).tolist() == [False, True, True, False]
    assert benjamini_hochberg(chances, 0.037).tolist() == [False, False, False, False]


def test_copies_of_one_pair_are_one_witness() -> None:
    scores = scores_of([scene(1)] * 16)
    assert scores.independent == pytest.approx(1, abs=0.01)
    assert scores.weight_of(np.full(16, 2, np.float32)) == pytest.approx(2, abs=0.02)  # as of a single pair, not 4 times that


def test_pairs_that_have_nothing_in_common_are_witnesses_of_their_own() -> None:
    scores = scores_of(scenes(16))
    assert 10 < scores.independent <= 16
    assert scores.weight_of(np.full(16, 2, np.float32)) == pytest.approx(2 * scores.independent ** 0.5)


def test_eight_pairs_that_each_come_twice_are_hardly_more_than_eight() -> None:
    once, twice = scores_of(scenes(8)), scores_of(scenes(8) * 2)
    assert once.independent <= twice.independent < 1.25 * once.independent


def test_no_single_pair_counts_for_more_than_the_limit() -> None:
    scores = scores_of(scenes(4))
    one_high = np.array([1000, 0, 0, 0], np.float32)
    assert scores.weight_of(one_high) == pytest.approx(scores.weight_of(np.array([CLIP, 0, 0, 0], np.float32)))
    assert scores.weight_of(one_high) > scores.weight_of(np.array([CLIP - 0.1, 0, 0, 0], np.float32))
