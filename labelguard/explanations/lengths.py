"""Lengths: how many bits an explanation needs to tell which ids stand in which files, term by term.

The length of a message that tells the facts is minus log2 of their probability, so that the shortest explanation is the likeliest
(Rissanen 1978, "Modeling by shortest data description"). Stored ids are decoded by the table of their part and counted over all parts
together; then every class that there is makes a column, in so many of all files or not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import exp2, inf, lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import priors
from labelguard.explanations.columns import Columns, Told
from labelguard.explanations.explanation import UNKNOWN, VOID, Column, Explanation
from labelguard.explanations.log_sums import log_rising, log_sums
from labelguard.explanations.order import order_bits
from labelguard.explanations.part import Part, bits_of_names
from labelguard.explanations.sightings import NUM_AREAS
from labelguard.facts.ambiguous_ids import TOPS, is_expected
from labelguard.spec.labelspec import LabelSpec

_MEANS = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)  # shares of the files that hold a class
_PRECISIONS = (0.6, 2.0, 8.0, 32.0)                           # how much classes have of that share in common
_MOST_BACKGROUNDS = 3  # such as sky, road and buildings
_LEAST_SHARE = 0.03  # no density is below it: no share of the frame is impossible


def length(told: Sequence[Told], spec: LabelSpec) -> dict[str, float]:
    """The bits of each term; their sum is the length of the explanation of all files of some parts."""
    pools = [[each for each in told if not each.explanation.apart], *([each] for each in told if each.explanation.apart)]
    columns = [Columns.of(pool) for pool in pools if pool]
    voids = [_of_strays(each.stray((VOID, place))) for each in columns for place in each.voids]
    unknown = [(label, _of_strays(each.stray((UNKNOWN, label)))) for each in columns for label in each.unknown]
    faults = {explanation.cause for _, explanation in told if _is_fault(explanation, spec)}
    reserved = sum(spec.num_classes is not None and 0 <= label < spec.num_classes for label in spec.ignore_index)
    number = max(1, max(each.num_classes - (0 if each.together else each.lost) for _, each in told) - reserved)
    unused = max(0, len(spec.ignore_index) - len(voids))
    in_columns = [_of_columns(each, number) for each in columns]
    single = (0, 1) if all(explanation.by_columns for _, explanation in told) else (1,)  # else there are classes that are told otherwise
    return {
        "prior": sum(explanation.bits + _of_codes(part, explanation) for part, explanation in told)
        + priors.FAULT * max(len(faults), bool(unknown)) + priors.number_of_classes(number, spec.declared),
        "groups": bits_of_names([part for part, _ in told]) + priors.NEXT_PART * (len(told) - 1) + _of_few(told, spec),
        "classes": sum(classes for classes, _ in in_columns)
        + sum(_unused(dict.fromkeys(_classes_of(each), 0), number) for each in told if each.explanation.in_steps is not None)
        + priors.NOTHING_TO_LEARN * (len({label for each in columns for label in each.classes}) in single and spec.num_classes != 1),
        "own": sum((explanation.own_bits or 0.0) + (explanation.in_steps or 0.0) for _, explanation in told),
        "void": sum(voids) + priors.NO_VOID * unused,
        "unknown": sum(priors.UNKNOWN_ID + (8 if 0 <= label < 256 else 16) + bits for label, bits in unknown),
        "sizes": sum(sizes for _, sizes in in_columns),
        "shape": sum(_shape(explanation, part, spec) for part, explanation in told),
        "order": order_bits(told),
    }


def _is_fault(explanation: Explanation, spec: LabelSpec) -> bool:
    """Whether something went wrong: not where nothing is declared, and so the usual void label is not either."""
    usual = explanation.cause == "void" and explanation.amount in TOPS and not explanation.mixed and explanation.num_classes > 1
    return explanation.cause != "as declared" and (spec.declared or not usual)


def _of_codes(part: Part, explanation: Explanation) -> float:
    """The bits for codes of somebody's own in some of the files, besides what they take in all."""
    return priors.prior("codes in part") * (explanation.cause == "in order" and part.num_files < part.seen.num_files)


def _of_few(told: Sequence[Told], spec: LabelSpec) -> float:
    """The bits for how many of the files a fault concerns, where it does not concern all: few rather than most, with density Beta(1, 2)."""
    total = told[0].part.seen.num_files
    faulty = sum(part.num_files for part, explanation in told if _is_fault(explanation, spec))
    return -log2(2 * (1 - faulty / total)) if 0 < faulty < total else 0.0


def _of_columns(columns: Columns, number: int) -> tuple[float, float]:
    """The bits of the columns of classes, and of their sizes.

    Where 0 is in no file, the background is another class, and has to be named once. Where 0 is there, it is a surprise that another one
    is in nearly all files, and one more that it is the largest: it is named for either.
    """
    common = max(columns.classes, key=lambda label: columns.classes[label], default=0)
    if isinstance(common, frozenset) or any(0 in _classes_in(each) for each in columns.classes):
        common = 0
    classes, (sizes, known) = _of_classes(columns, number), _of_sizes(columns, common)
    return min((classes, sizes), (_of_classes(columns, number, common), known), key=sum) if known < sizes else (classes, sizes)


def _of_classes(columns: Columns, number: int, named: int | None = None) -> float:
    """The bits of the columns of classes, each for itself; or of those that are in use, and of saying which these are.

    Files in which nothing is labeled lack all classes for one reason, and may be told before the classes of the others are. Where a class
    is given, it is named as a background.
    """
    used, blank = len(columns.classes), 0 if columns.among else columns.blank
    number = max(number + sum(1 if isinstance(each, frozenset) else -(not files) for each, files in columns.among.items()), used)
    several = {columns.num_files - blank: 1 + _of_blanks(columns), columns.num_files: 0.0}
    return min(before + min(_each_class(columns, number, total, named),
                            _each_class(columns, used, total, named) + _unused(columns.classes, number))
               for total, before in several.items() if total or not used)


def _of_blanks(columns: Columns) -> float:
    """The bits that say which files have no label: as many in all parts, or in each in its own way."""
    alike = _alone(columns.blank, columns.num_files)
    return alike if len(columns.blanks) <= 1 else min(alike, sum(_of_stray(*part) for part in columns.blanks)) + 1


def _each_class(columns: Columns, number: int, total: int, named: int | None = None) -> float:
    """The bits of so many columns of so many files; a few may be backgrounds, which are in nearly every file whatever the others are, and
    one that is given has to be."""
    common = sorted(columns.classes.items(), key=lambda item: -item[1])
    counts = [number for _, number in common]
    among = [columns.among.get(label, total) for label, _ in common] if columns.among else None
    absent = [files for label, files in columns.among.items() if label not in columns.classes and files][:number - len(counts)]
    rates = _Rates(total)
    least, backgrounds = rates.bits(counts, number, among, absent) if named is None else inf, 0.0
    for place, (label, most) in enumerate(common[:_MOST_BACKGROUNDS], 1):
        files = total if among is None else among[place - 1]
        usual = 0 in _classes_in(label)  # which needs no name
        backgrounds += (0.0 if usual else log2(number)) + 1 + _of_stray(most, files)
        if named not in (None, *(each for each, _ in common[:place])):
            continue
        least = min(least, backgrounds + rates.bits(counts[place:], number - place, among and among[place:], absent))
        if place == 1 and sum(counts[1:]) <= total and among is None and columns.are_apart:
            least = min(least, backgrounds + 1 + _one_each(counts[1:], number - 1, total))
    return least


def absence(columns: Columns, number: int) -> float:
    """How much of a surprise it is, in bits, that one more of so many classes is in no file; at most `priors.UNUSED`."""
    return _each_class(columns, number, columns.num_files) - _each_class(columns, number - 1, columns.num_files)


def _unused(classes: Mapping[Column, int], number: int) -> float:
    """The bits for saying how many classes are in no file for one reason, and which: the last ones, or any."""
    absent = number - len(classes)
    if not absent:
        return 0.0
    seen = frozenset[int]().union(*map(_classes_in, classes))
    last = max(seen, default=-1) < len(seen)
    which = 0.0 if last else (lgamma(number + 1) - lgamma(absent + 1) - lgamma(number - absent + 1)) / log(2)
    return priors.UNUSED + 2 * log2(absent) + 1 + which


def _classes_in(column: Column) -> Collection[int]:
    return column if isinstance(column, frozenset) else (column,)


def _classes_of(told: Told) -> Collection[int]:
    part, explanation = told
    return {there for label in part.ids if (there := explanation.table.get(label, UNKNOWN)) not in (VOID, UNKNOWN)}


def _one_each(counts: list[int], number: int, total: int) -> float:
    """The bits where no file holds two of these classes: each file says which one, or none (Laplace 1814, rule of succession)."""
    ways = sum(lgamma(count + 1) for count in (*counts, total - sum(counts))) + lgamma(number + 1) - lgamma(total + number + 1)
    return -ways / log(2)


def columns_alike(columns: Sequence[tuple[int, int]], number: int, total: int) -> float:
    """The bits of so many columns, where all of them are as common as each other: these hold so many of so many files each, and the others
    none of all."""
    counts, among = zip(*columns, strict=True) if columns else ((), ())
    return _Rates(total).bits(counts, number, among)


class _Rates:
    """Classes in so many of `total` files: beta-binomial columns whose two numbers all classes have in common.

    -log2 B(a + k, b + n - k) / B(a, b), with a and b averaged over a grid. That makes an absent class a surprise where all others are
    in every file, and none where a hundred others are absent too.
    """

    def __init__(self, total: int) -> None:
        grid = [(mean * precision, (1 - mean) * precision) for mean in _MEANS for precision in _PRECISIONS]
        self._total = total
        self._there = log_sums([a for a, _ in grid], total)
        self._missing = log_sums([b for _, b in grid], total)
        self._every = log_sums([a + b for a, b in grid], total)
        self._unused = 2.0 ** -priors.UNUSED  # a class may be absent for reasons of its own, whatever the others are
        self._of_absent = self._absent(total)

    def _absent(self, total: int) -> NDArray[np.float64]:
        found: NDArray[np.float64] = -np.log2(self._unused + (1 - self._unused) * np.exp2(self._missing[:, total] - self._every[:, total]))
        return found

    def bits(self, counts: Collection[int], number: int, among: Collection[int] | None = None, absent: Sequence[int] = ()) -> float:
        """The bits of `number` columns, of which these are not empty, or each only in some of the files; of the others, some may be
        columns of so many files only."""
        there = np.fromiter(counts, np.int64)
        totals = np.full(len(there), self._total) if among is None else np.fromiter(among, np.int64)
        bits = self._every[:, totals].sum(1) - self._there[:, there].sum(1) - self._missing[:, totals - there].sum(1)
        bits += self._of_absent * (number - len(there) - len(absent)) + sum(self._absent(total) for total in absent)
        least = bits.min()
        return float(least - np.log2(np.exp2(least - bits).mean()))


@lru_cache(maxsize=1 << 16)
def _alone(number: int, total: int) -> float:
    """The bits of a column of its own: Krichevsky and Trofimov (1981), a beta-binomial with 1/2 and 1/2."""
    ways = lgamma(number + 0.5) + lgamma(total - number + 0.5) - lgamma(total + 1) - 2 * lgamma(0.5)
    return -ways / log(2)


def _of_stray(number: int, total: int) -> float:
    """The bits of an id that is no class, or of a background: in every file, as borders are, or in so many of them, half each."""
    bits = _alone(number, total) + 1
    return bits if number < total else -log2(0.5 + exp2(-bits))


def _of_strays(parts: Sequence[tuple[int, int]]) -> float:
    """The same over several parts: alike in all of them, or in each in its own way."""
    alike = _of_stray(sum(number for number, _ in parts), sum(total for _, total in parts))
    return alike if len(parts) == 1 else min(alike, sum(_of_stray(*part) for part in parts)) + 1


def _of_sizes(columns: Columns, common: int) -> tuple[float, float]:
    """The bits for sizes: of each class by itself, or, where none is larger than another, of all but 0 together, and but for one that is
    named: a background that is not 0, or a floor beside the walls. And the same where it is known that one class is a background.
    """
    usual = columns.told[0].part.seen.usual_sizes
    places, looks = columns.sizes
    classes = np.array([isinstance(column, int) and column != 0 for column in places])
    least = size_orders(looks, usual)
    if classes.sum() < 2:
        return least, least

    def alike(*but: int) -> float:
        among = classes & ~np.isin(np.arange(len(classes)), but)
        return priors.ALIKE + size_orders(np.concatenate([looks[~among], looks[among].sum(0, keepdims=True)]), usual)
    orders = looks[:, :NUM_AREAS]
    means = np.where(classes, orders @ np.arange(NUM_AREAS) / np.maximum(1, orders.sum(1)), -1)
    named = min(least, alike(), alike(int(means.argmax())) + log2(classes.sum()))
    if not common:
        return named, named
    means[background := places[common]] = -1
    return named, min(named, alike(background), alike(background, int(means.argmax())) + log2(classes.sum() - 1))


def size_orders(looks: NDArray[np.int64], usual: NDArray[np.float64]) -> float:
    """The bits for the share of the image and of the frame that each id has in each of its files: four orders each, in the proportions
    of its class. Before it is seen, a class is as large as ids are (Dirichlet), with as much weight as in Krichevsky and Trofimov (1981):
    were all orders as likely, fewer classes would always be shorter. Sizes hang together, as those of neighbors do and those in files of
    one scene.

    Parameters
    ----------
    looks
        (C, NUM_AREAS + NUM_FRAMES) in how many files what each column stands for has a size of each order.
    usual
        (NUM_AREAS + NUM_FRAMES,) how much weight each order has before anything is seen.
    """
    found = 0.0
    for several in (slice(NUM_AREAS), slice(NUM_AREAS, None)):
        orders = looks[:, several]
        firsts, counts = (orders.shape[1] / 2, *usual[several].tolist()), (orders.sum(1), *orders.T)
        together, *each = map(log_rising, firsts, counts)
        found += together - sum(each)
    return priors.SIZES * found


def _shape(explanation: Explanation, part: Part, spec: LabelSpec) -> float:
    """How well ids look like what they are said to be: what may be void as void or as a class, two classes as background and object.

    The share x of the pixels away from edges has the density 0.05 + 1.9 x in a class, since poles are classes too, and 0.3 + 1.4 x where
    vessels or cracks may be the only object;
    void is lines or areas, half each, with the density 0.5 Beta(1, 8) + 0.5. Void covers little, mostly: 0.99 Beta(1, 14) + 0.01, and
    0.03 for what may be the nodata value of a raster.
    """
    bits = 0.0
    for label, there in explanation.table.items():
        if (there == VOID or label in part.seen.core) and there != UNKNOWN and label in part.num_files_of:
            any_size = label in explanation.mixed or explanation.cause == "void first"  # several things at once, or a background
            if there == VOID and not any_size:
                area = float(part.area_shares[part.seen.places[label]])
                most = 2.0 if label in TOPS else 1.0  # what is no usual void label is none because it is small
                wide = 0.03 if explanation.cause == "sentinel" else 0.01
                bits -= log2(min(most, (1 - wide) * 14 * (1 - area) ** 13 + wide))
            core = None if is_expected(label, spec) else part.seen.core.get(label)
            if core is not None:
                thin = 0.3 if explanation.num_classes == 2 else 0.05
                bits -= log2(4 * (1 - core) ** 7 + 0.5 if there == VOID else thin + 2 * (1 - thin) * core)
    return bits + (sum(_frame(explanation, facing) for facing in part.facing) if explanation.num_classes == 2 else 0.0)


def _frame(explanation: Explanation, part: Part) -> float:
    """How well two classes look like background and object: along the frame a background has the density Beta(3, 1), an object Beta(1, 3).

    Files that store them otherwise are judged by themselves, since they may be inside out though the others are not.
    """
    shares: dict[int, float] = {}
    for label, frame in zip(part.seen.ids, part.frame_shares.tolist(), strict=True):
        there = explanation.table.get(label, UNKNOWN)
        if there in (0, 1) and label in part.ids:
            shares[there] = shares.get(there, 0.0) + frame
    return -sum(log2(3 * max(_LEAST_SHARE, share ** 2 if there == 0 else (1 - share) ** 2)) for there, share in shares.items())
