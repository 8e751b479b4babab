"""How long a pass may take."""

from __future__ import annotations

from labelguard.lossprobe.supervisor.patience import Patience


def after(*seconds: float, kind: str = "a") -> Patience:
    patience = Patience(10)
    for taken in seconds:
        patience.took(kind, taken)
    return patience


def test_the_first_passes_may_compile() -> None:
    assert [after(*[0.1] * passes).limit("a") for passes in range(4)] == [60, 60, 60, 10]


def test_a_slow_loss_gets_twenty_times_its_median() -> None:
    assert after(0.4, 0.4, 0.4).limit("a") == 10
    assert after(2, 1, 3, 1, 2).limit("a") == 40


def test_what_was_compiled_once_may_be_compiled_again_for_another_kind_of_batch() -> None:
    quick, slow = after(*[0.1] * 9), after(5, *[0.1] * 9)
    assert (quick.limit("b"), slow.limit("a"), slow.limit("b")) == (10, 10, 30)
    slow.took("b", 4)
    assert slow.limit("b") == 10
    slow.begin_again()
    assert slow.limit("a") == 30
