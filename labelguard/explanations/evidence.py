"""What speaks for an account of a set and what against it, held against another one, in words and odds."""

from __future__ import annotations

from typing import NamedTuple

from labelguard.explanations.search import Account

_LEAST = 1.0  # bit: less is not worth a word
_TERMS = {"prior": "how common it is", "groups": "that it concerns some files only", "classes": "which classes stand in how many files",
          "own": "how each file numbers its ids", "void": "in how many files void is", "unknown": "ids that nothing else explains",
          "sizes": "how large ids are in the files", "shape": "the shape and the size of what may be void",
          "order": "in what order and how compactly ids lie in the files"}


class ProAndContra(NamedTuple):
    """The terms in which one account is shorter than another, and those in which it is longer, each with the odds, the weightiest first."""

    pro: tuple[str, ...]
    contra: tuple[str, ...]


def evidence(account: Account, other: Account) -> ProAndContra:
    """What speaks for an account and what against it, where the other one is the alternative."""
    gains = {name: other.terms[name] - bits for name, bits in account.terms.items()}
    ranked = sorted(gains.items(), key=lambda item: -abs(item[1]))
    pro, contra = (tuple(f"{_TERMS[name]} ({odds(abs(bits))})" for name, bits in ranked if sign * bits >= _LEAST) for sign in (1, -1))
    return ProAndContra(pro, contra)


def odds(bits: float) -> str:
    """A difference of lengths as the odds that it stands for."""
    times = float(f"{2 ** min(bits, 21):.2g}")
    return "over a million times" if bits > 20 else f"about {times:,.0f} times" if times >= 10 else f"about {times:.2g} times"
