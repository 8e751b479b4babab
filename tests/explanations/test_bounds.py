"""Bounds: no account is shorter than the least that is said of it, and hopeless ones are not weighed."""

from __future__ import annotations

import pytest

from labelguard.explanations import search
from labelguard.explanations.bounds import least
from labelguard.explanations.search import accounts
from labelguard.explanations.sightings import Sightings
from labelguard.spec.labelspec import LabelSpec
from tests.explanations.made import sightings

SPEC = LabelSpec(4)


def shifted(files: int) -> Sightings:
    """Some files, of which a third are counted from 1."""
    return sightings({(0, 1): files, (0, 2, 3): files, (1, 2): files, (1, 3, 4): files // 2})


@pytest.mark.parametrize("seen", [shifted(40), sightings({(0, 1, 255): 30, (0, 2): 20, (1, 2, 255): 20, (0, 255): 9})])
def test_no_account_is_shorter_than_its_bound(seen: Sightings) -> None:
    for found in accounts(seen, LabelSpec(4, 255)):
        assert least(found.told) <= found.bits + 8


def test_a_hopeless_account_is_not_weighed_and_the_best_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = shifted(400)
    few = accounts(seen, SPEC)
    monkeypatch.setattr(search, "_limit", lambda *_: float("inf"))
    every = accounts(seen, SPEC)
    assert len(few) < len(every)
    assert [account.words for account in few[:8]] == [account.words for account in every[:8]]
