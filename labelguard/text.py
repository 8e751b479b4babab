"""Numbers and lists as people write them in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``2,048 files``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(part: float, whole: float) -> str:
    """A share with as many digits as it needs: ``41 %``, ``0.3 %``, ``0.004 %``; only 0 reads ``0 %``, and only the whole ``100 %``."""
    if whole <= 0 or part <= 0:
        return "0 %"
    share = 100 * part / whole
    if share >= 10:
        return f"{min(share, 99.9):.1f} %" if 99 <= share < 100 else f"{share:.0f} %"
    return f"{share:.1f} %" if share >= 0.095 else f"{share:.1g} %" if share >= 0.0001 else "< 0.0001 %"


def listed(items: Iterable[object], most: int = 8) -> str:
    """``0, 3 and 7``; a long list ends with the count of the rest."""
    texts = [str(item) for item in items]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most:,} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def id_ranges(ids: Sequence[int], most: int = 8) -> str:
    """``0-11 and 255``: consecutive ids as a range."""
    parts: list[list[int]] = []
    for label in sorted(ids):
        if parts and label == parts[-1][1] + 1:
            parts[-1][1] = label
        else:
            parts.append([label, label])
    return listed((f"{a}" if a == b else f"{a}, {b}" if b == a + 1 else f"{a}-{b}" if a >= 0 else f"{a} to {b}" for a, b in parts), most)


def of_files(files: int, total: int) -> str:
    """``in all 367 files``, ``in 3 of 367 files``, ``in the only file``."""
    if files == total:
        return "in the only file" if total == 1 else f"in all {total:,} files"
    return f"in {files:,} of {count(total, 'file')}"
