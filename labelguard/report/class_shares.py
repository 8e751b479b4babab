"""How the shares of the ids differ between two scans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any

from labelguard.report.saved import SavedReport
from labelguard.text import count, percent

_MOST_ROWS = 10


@dataclass(frozen=True)
class Move:
    """One id in both scans.

    Parameters
    ----------
    label
        The id.
    pixels, shares
        Its pixels, and their share of all pixels, before and after.
    files
        How many files hold it, before and after; None where a report does not say.
    """

    label: int
    pixels: tuple[int, int]
    shares: tuple[float, float]
    files: tuple[int | None, int | None]


@dataclass(frozen=True)
class ClassShares:
    """How all shares of pixels differ.

    Parameters
    ----------
    moves
        Of every id of either scan, the largest difference of shares first.
    l1
        The sum of the differences, 0 to 2; half of it is the share of all pixels that would have to change their id.
    jensen_shannon
        The Jensen-Shannon divergence in bits, 0 to 1 (Lin, Divergence measures based on the Shannon entropy, 1991).
    """

    moves: tuple[Move, ...]
    l1: float
    jensen_shannon: float

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {"l1": self.l1, "jensen_shannon": self.jensen_shannon,
                "classes": [{"id": move.label, "pixels": [*move.pixels], "shares": [*move.shares], "files": [*move.files]}
                            for move in self.moves]}

    def lines(self) -> Iterator[str]:
        """The ids whose shares moved most, and by how much all have moved."""
        moved = [move for move in self.moves if move.pixels[0] != move.pixels[1]]
        if not moved:
            yield "shares:   every id has as many pixels as before"
            return
        yield f"shares:   differ by {percent(self.l1, 2)} of all pixels (L1 {self.l1:.4f}, Jensen-Shannon {self.jensen_shannon:.4f} bit)"
        rows: list[tuple[str, ...]] = [("id", "share before", "after", "pixels before", "after", "files before", "after")]
        rows += [(str(move.label), *(f"{100 * share:.2f} %" for share in move.shares), *(f"{number:,}" for number in move.pixels),
                  *("?" if number is None else f"{number:,}" for number in move.files)) for move in moved[:_MOST_ROWS]]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            yield "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        if len(moved) > _MOST_ROWS:
            yield f"  and {count(len(moved) - _MOST_ROWS, 'more id')}; --format json has all"


def class_shares(old: SavedReport, new: SavedReport) -> ClassShares:
    """Compare the shares of two scans; nothing has no shares."""
    labels = sorted({*old.ids, *new.ids})
    before, after = _shares(old.ids), _shares(new.ids)
    moves = [Move(label, (old.ids.get(label, 0), new.ids.get(label, 0)), (before.get(label, 0.0), after.get(label, 0.0)),
                  (_files(old, label), _files(new, label))) for label in labels]
    moves.sort(key=lambda move: (-abs(move.shares[1] - move.shares[0]), move.label))
    divergence = sum((_part(p, (p + q) / 2) + _part(q, (p + q) / 2)) / 2 for p, q in (move.shares for move in moves))
    return ClassShares(tuple(moves), sum(abs(move.shares[1] - move.shares[0]) for move in moves), max(divergence, 0.0))


def _shares(ids: Mapping[int, int]) -> dict[int, float]:
    total = sum(ids.values())
    return {label: number / total for label, number in ids.items()} if total else {}


def _files(report: SavedReport, label: int) -> int | None:
    return None if report.files_with is None else report.files_with.get(label, 0)


def _part(share: float, mean: float) -> float:
    return share * log2(share / mean) if share else 0.0
