"""What a search has seen, in sentences."""

from __future__ import annotations

import pytest

from labelguard.lossprobe.findings.evidence import Evidence
from labelguard.lossprobe.search.candidates import Candidate
from labelguard.lossprobe.supervisor.outcome import Outcome, Step

FINE, BROKEN = Outcome((Step("random", "ok"),)), Outcome((Step("random", "exception"),))


@pytest.fixture
def evidence() -> Evidence:
    return Evidence(["a.png", "b.png"], ignore=(255,))


@pytest.mark.parametrize(("outcome", "result"), [(FINE, "passes"), (BROKEN, "fails in another way")])
def test_a_run_that_does_not_fail_as_the_batch_did_either_passes_or_fails_in_another_way(evidence: Evidence, outcome: Outcome,
                                                                                        result: str) -> None:
    evidence.differs_without([Candidate(77, (0, 1, 2), 2), Candidate(255, (1, 0, 0), 1)], outcome)
    evidence.without_the_proven([77], [255], False, outcome)
    assert evidence.lines == [f"without its 3 pixels of 77 and 255 the batch {result} (1 run)",
                              f"without 77, but with 255, the batch {result} (1 run)"]


def test_neutral_masks_count_as_mentioned_only_once_a_sentence_speaks_of_them(evidence: Evidence) -> None:
    evidence.unstable("the batch itself", 1, 4)
    assert not evidence.mentions_neutral_masks
    evidence.one_pixel_fails(77, (1, 2, 3))
    assert evidence.mentions_neutral_masks
    assert evidence.lines[-1] == "one pixel of 77 in neutral masks fails in the same way: row 2, column 3 of b.png"
