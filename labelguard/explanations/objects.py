"""Class and number of the object in one id, whole or cut to 8 bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb, gcd, log2

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.log_sums import log_sums
from labelguard.explanations.priors import prior
from labelguard.explanations.spaces import official_tables
from labelguard.facts.ambiguous_ids import TOPS

_SIZES = (1000, 65536, 256)
_CUT_VOIDS = range(255_000 % 65536, 255_000 % 65536 + 8)  # what void * 1000 + number is once it is cut to 16 bits
_MOST_NUMBERS = 0.9  # of those that a class has room for
_MOST_CLASSES = 256
_FIRST = 2  # of the numbers after a class: objects are counted from 1


def families(case: Case) -> Iterator[Explanation]:
    """Every way to put class and number together, for the classes that are declared and for those of numberings that lead to them."""
    if not case.illegal or not case.plain or case.ids[0] < 0:
        return
    yield from _nothing_but_objects(case)
    if gcd(*case.plain) > 1:
        return  # objects are counted one by one: they are no multiples of a number
    for known in _class_tables(case):
        for size in _SIZES:
            yield from _whole(size, known, case)
        yield from _cut(known, case)


def _class_tables(case: Case) -> Iterator[Mapping[int, int | None] | None]:
    """What a class of the ids is as a declared class: the same, or what an official table says."""
    yield None
    if case.spec.declared:
        yield from (table for _, _, table in official_tables(case.spec.num_classes))


def _class_of(label: int, known: Mapping[int, int | None] | None, case: Case) -> int | None:
    """The declared class, `VOID`, or None where there is none."""
    if known is not None:
        there = known.get(label, label)
        return (VOID if there is None else there) if label in known else None
    return label if case.spec.is_class(label) and label < _MOST_CLASSES else None


def _whole(size: int, known: Mapping[int, int | None] | None, case: Case) -> Iterator[Explanation]:
    """Ids from one size on are objects, those below are classes; or objects of class 0, since no object has the number 0."""
    void = {label: VOID for label in case.plain if label >= size and (label // size == 255 or (size == 1000 and label in _CUT_VOIDS))}
    low, high = ([label for label in case.plain if (label >= size) == there and label not in void] for there in (False, True))
    numbers = {label % size for label in high}
    if not high or max(numbers) > _MOST_NUMBERS * size or not any(numbers):
        return
    of_zero = low if low and {*low} <= numbers and 0 not in numbers else []
    classes = {label: label // size for label in (*high, *of_zero)}
    table = {label: _class_of(there, known, case) for label, there in ({label: label for label in low} | classes).items()}
    if None in table.values():
        return
    bits = prior("instances") + _of_numbers(classes, {label: label % size for label in classes}, case)
    example = high[-1]
    evidence = [f"{example} is object {example % size} of class {example // size}"]
    if of_zero:
        evidence.append(f"{', '.join(map(str, of_zero))} is taken for objects of class 0, since no object has the number 0")
    if cut := [label for label in void if label in _CUT_VOIDS]:
        evidence.append(f"{', '.join(map(str, cut))} is void, 255 * 1000 and more, cut to 16 bits")
    if known is not None:
        evidence.append("the classes themselves are numbered differently; the table moves them as well")
        bits += prior("space official")
    yield Explanation("instances", f"the ids are class * {size} + object number", bits,
                      *case.moved(0, {label: there for label, there in table.items() if there is not None} | void), size,
                      evidence=tuple(evidence))


def _of_numbers(classes: Mapping[int, int], numbers: Mapping[int, int], case: Case) -> float:
    """The bits that say which objects there are of each class, and in which of the files that hold the class.

    The highest number in a code for any whole number (Elias 1975, gamma code), that of each class or one for all of them, which of those
    up to it are in use, and a column for each, among the files that hold the one before and among the others: numbers run on from the
    first (Krichevsky and Trofimov 1981).
    """
    part = case.part
    before: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for label in sorted(classes, key=lambda label: numbers[label]):
        members.setdefault(classes[label], []).append(label)
    ends = [(numbers[labels[-1]], len(labels)) for labels in members.values()]
    highest = max((most for most, _ in ends), default=0)
    each = sum(2 * log2(most + 1) + 1 + log2(comb(most, some - 1)) for most, some in ends)
    alike = 2 * log2(highest + 1) + 1 + sum(log2(comb(highest + 1, some)) for _, some in ends)
    bits = min(each, alike) + 1
    for labels in members.values():
        before |= dict(zip(labels[1:], labels, strict=False))
    after = part.following(before)
    there = dict(zip(part.seen.ids, part.counts.tolist(), strict=True))
    half, one = log_sums((0.5, 1.0), part.num_files)
    for labels in members.values():
        files = part.holding_any(labels)
        for label in labels:
            first = label not in before
            able, taken = (0, 0) if first else (there[before[label]], after[label])
            for total, number in ((able, taken), (files - able, there[label] - taken)):
                bits += float(one[total] - half[number] - half[total - number])
    return bits


def _cut(known: Mapping[int, int | None] | None, case: Case) -> Iterator[Explanation]:
    """class * 1000 + number, cut to 8 bits: the remainder, the highest id for all that is more, or the upper bytes."""
    number = case.spec.num_classes
    if number is None or case.plain[-1] > TOPS[0]:
        return
    sources = sorted(known) if known is not None else range(number)
    bits = prior("instances") + prior("instances cut") + prior("space official") * (known is not None)
    yield from _upper_bytes(sources, known, bits, case)
    yield from _clipped(sources, known, bits, case)
    yield from _remainders(sources, known, bits, case)


def _cut_explained(how: str, table: Mapping[int, int | None], mixed: Sequence[int], lost: int, bits: float, case: Case) -> Explanation:
    return Explanation("instances", f"the ids are class * 1000 + object number, {how}", bits,
                       *case.moved(0, {label: there for label, there in table.items() if there is not None}), 1, frozenset(mixed), lost,
                       repairable=False)


def _upper_bytes(sources: Sequence[int], known: Mapping[int, int | None] | None, bits: float, case: Case) -> Iterator[Explanation]:
    """What is left of ids above 1,000. Where a class has numbers above 255, it is said which ones.

    Classes of which no object is seen are absent, or have no objects: then they are 0, and it is said which they are.
    """
    classes = {0: 0} | {(1000 * source + number) >> 8: source for source in sources for number in (0, 255)}
    few = {*classes}
    for number in (511, 767, 999):
        for source in filter(None, sources):
            classes.setdefault((1000 * source + number) >> 8, source)
    if {*case.plain} <= {*classes}:
        table = {label: _class_of(source, known, case) for label, source in classes.items()}
        if {*case.plain} - few:
            objects = {label: classes[label] for label in case.plain if label}
            bits += _of_numbers(objects, {label: label - (1000 * source >> 8) for label, source in objects.items()}, case)
        number, seen = (len({*labels} - {VOID, None, table[0]}) for labels in (table.values(), [table[label] for label in case.plain]))
        for lost, which in {0: 0.0, number - seen: log2(number + 1) + log2(comb(number, seen))}.items():
            yield _cut_explained("of which only the upper bytes were kept", table, [0], lost, bits + which, case)


def _clipped(sources: Sequence[int], known: Mapping[int, int | None] | None, bits: float, case: Case) -> Iterator[Explanation]:
    """All objects are 255; the classes that have objects are missing, and it is said which."""
    top = TOPS[0]
    low = [label for label in case.plain if label != top]
    if top in case.illegal and {*low} <= {*sources}:
        table = {label: _class_of(label, known, case) for label in low}
        objects = len(sources) - len(low)
        if objects and None not in table.values():
            last = low == [*sources][:len(low)]
            which = log2(len(sources)) if last else log2(comb(len(sources), objects))
            lost = (case.spec.num_classes or 0) - len({*table.values()} - {VOID})
            yield _cut_explained("cut at 255", table | {top: VOID}, [top], lost, bits + prior("instances clipped") + which, case)


def _nothing_but_objects(case: Case) -> Iterator[Explanation]:
    """All classes but 0 are 255: of these files nothing is told but which of them hold objects (Krichevsky and Trofimov 1981)."""
    top, number, files = TOPS[0], case.spec.num_classes or 0, case.part.num_files
    if number > 2 and top in case.illegal and {*case.plain} <= {0, top}:
        half, one = log_sums((0.5, 1.0), files)
        own = sum(float(one[files] - half[there] - half[files - there]) for there in (case.part.holding_any((each,)) for each in (0, top)))
        bits = prior("instances") + prior("instances cut") + prior("instances clipped")
        yield Explanation("instances", f"every class but 0 was cut to {top}, as class * 1000 + object number is in 8 bits", bits, {0: 0},
                          number, 1, frozenset((top,)), number - 1, repairable=False, own_bits=own, alike=True)


def _remainders(sources: Sequence[int], known: Mapping[int, int | None] | None, bits: float, case: Case) -> Iterator[Explanation]:
    """Each class with objects begins at another place; the lowest ids are classes as they are."""
    plain = {label for label in case.plain if label in sources}
    begins = {1000 * source % 256: source for source in sources if source}
    if not begins:
        return
    classes, numbers = {label: label for label in plain}, dict.fromkeys(plain, 0)
    for label in case.plain:
        if label not in plain:
            numbers[label], classes[label] = min(((label - begin) % 256, source) for begin, source in begins.items())
            numbers[label] += 1  # the class itself comes first
    table = {label: _class_of(source, known, case) for label, source in classes.items()}
    first = min((numbers[label] for label in case.plain if label not in plain), default=0)
    if 0 < first <= _FIRST and None not in table.values():
        objects = [label for label in case.plain if label not in plain]
        bits += _of_numbers(classes, numbers, case) + len(objects)  # 1 bit each: another class may have been cut to the same id
        yield _cut_explained("of which only the lowest byte was kept", table, objects, 0, bits, case)
