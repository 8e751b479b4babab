"""What some files of a set have in common that the others have not: their folder, their names, their size, or how they are stored."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator
from math import exp, lgamma

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord

_NEARLY = 0.9        # of the files have it, and of those that have it, so many are among the files
_UNLIKELY = 1 / 30  # the chance that as many files drawn at random have it


def common_trait(paths: Collection[str], data: DatasetFacts) -> str:
    """What nearly all of some files have in common, and few others of the set, as the end of a sentence; empty where there is nothing.

    It has to be so rare that files drawn at random would not have it in common, and where several things are, the one is named that tells
    these files best: ``all 10 are in b/, and none of the other 40``.

    Parameters
    ----------
    paths
        Files of the set; nothing is said of others.
    data
        What was learned of all files.
    """
    total, number = len(data.records), len(paths)
    if not 0 < number < total:
        return ""
    wanted = {*paths}
    here = [record for record in data.records if record.path in wanted]
    if len(here) < number:
        return ""
    every = data.remember("traits", lambda: Counter(trait for record in data.records for trait in _traits(record)))
    best, least = "", _UNLIKELY
    for trait, having in Counter(trait for record in here for trait in _traits(record)).items():
        if having >= _NEARLY * max(number, every[trait]):
            chance = _chance(having, number, every[trait], total)
            if chance < least:
                best, least = _words(trait, having, number, every[trait] - having, total - number), chance
    return best


def _traits(record: FileRecord) -> Iterator[str]:
    """What a file is like, as the end of a sentence about several."""
    folder = posixpath.dirname(record.path)
    while folder.strip("/"):  # of a file that was named by its whole path, the topmost folder is "/" for ever
        yield f"in {folder}/"
        folder = posixpath.dirname(folder)
    name = posixpath.basename(record.path)
    if ending := re.search(r"[_-][^\W\d_]+\.\w+$", name):
        yield f"named *{ending[0]}"
    if beginning := re.match(r"[^\W\d_]+[_-]", name):
        yield f"named {beginning[0]}*"
    yield f"{record.shape[0]} x {record.shape[1]}"
    yield f"stored as {record.encoding}"


def _chance(having: int, number: int, every: int, total: int) -> float:
    """The chance that of so many files drawn from all at random just as many have a trait: the hypergeometric distribution."""
    return exp(_ways(every, having) + _ways(total - every, number - having) - _ways(total, number))


def _ways(total: int, chosen: int) -> float:
    """The logarithm of the number of ways to choose so many of all."""
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)


def _words(trait: str, having: int, number: int, others: int, rest: int) -> str:
    some = "the only one is" if number == 1 else f"all {number:,} are" if having == number else f"{having:,} of the {number:,} are"
    those = f"the other {rest:,}" if rest > 1 else "the other one"
    return f"{some} {trait}, and {f'{others:,}' if others else 'none'} of {those}"
