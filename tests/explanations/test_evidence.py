"""What is worth a word as evidence."""

from __future__ import annotations

import pytest

from labelguard.explanations.evidence import evidence, odds
from tests.explanations.made import account


@pytest.mark.parametrize(("bits", "said"), [(1.05, True), (0.95, False)])
def test_a_term_that_is_a_bit_shorter_or_longer_is_worth_a_word(bits: float, said: bool) -> None:
    assert bool(evidence(account(), account(void=bits)).pro) is bool(evidence(account(void=bits), account()).contra) is said


def test_the_weightiest_term_comes_first() -> None:
    found = evidence(account(classes=3.0), account(prior=2.0, void=5.0))
    assert found.pro == ("in how many files void is (about 32 times)", "how common it is (about 4 times)")
    assert found.contra == ("which classes stand in how many files (about 8 times)",)


@pytest.mark.parametrize(("bits", "words"), [(20.0, "about 1,000,000 times"), (20.1, "over a million times"), (3.0, "about 8 times"),
                                             (4.0, "about 16 times")])
def test_bits_are_said_as_odds(bits: float, words: str) -> None:
    assert odds(bits) == words
