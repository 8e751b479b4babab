"""Two classes, the foreground stored as another number than 1; and ids counted from the top down."""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.priors import NEXT_PART, prior
from labelguard.facts.ambiguous_ids import TOPS

_MIDDLE = (127, 128, 254)


def families(case: Case) -> Iterator[Explanation]:
    """Binary masks as tools write them, and negatives."""
    spec = case.spec
    others = [label for label in case.ids if label not in (0, 1)]
    number = spec.num_classes or 2
    miscounted = number > 2
    two = case.part.seen.most_together <= 2 and not (miscounted and all(map(spec.is_legal, others)))
    if (two or (spec.declared and not miscounted)) and len(others) == 1 and others[0] > 1 and not case.part.sharing_a_file((1, others[0])):
        value, = others
        name = (f"binary {value}" if value in (255, 65535) else "binary middle" if value in _MIDDLE else "binary other")
        more = prior("void besides") if value in spec.ignore_index else 0.0
        if not spec.declared and {*case.part.seen.ids} - {0, 1, value}:
            more += prior("binary beside others")
        more += prior("binary miscounted") * miscounted
        if 1 in case.ids:
            more += case.part.holding(value).bits + NEXT_PART  # which files store it so, as where they are a part of their own
        yield Explanation("binary", f"the foreground is stored as {value} instead of 1", prior(name) + more,
                          {0: 0, 1: 1, value: 1}, max(number, 2), value, repairable=not miscounted and value in (*TOPS, *_MIDDLE))
        if 1 not in case.ids:
            bits = prior("binary inverted") + prior(name) - prior("binary 255")  # which number it is, besides
            yield Explanation("inverted", f"{value} is the background, and 0 the object", bits + more,
                              {0: 1, value: 0}, max(number, 2), value, repairable=not miscounted)
            if miscounted and value not in TOPS:
                yield Explanation("in order", f"{value} is the code of one of the {number} classes", prior("one code"),
                                  {0: 0, value: number - 1}, number, mixed=frozenset((value,)), repairable=False)
    last = spec.num_classes - 1 if spec.num_classes else max((label for label in case.part.seen.ids if label not in TOPS), default=0)
    below = range(last * (not spec.declared) + 1)
    if last > 0 and all(label in TOPS or label in below for label in case.illegal):
        yield _exchanged(last, case)
    for top in TOPS[:2]:
        if case.illegal and top >= max(case.ids):
            yield from _subtracted(top, case)


def _exchanged(last: int, case: Case) -> Explanation:
    """All ids subtracted from the last class, so that all are legal but a void label."""
    voids = {label: VOID for label in case.illegal if label > last}
    turned = {label: last - label for label in case.plain if 0 <= label <= last} | voids
    words, name = f"the ids were subtracted from {last}", "reversed"
    if last == 1:
        words, name = "0 is the object, and 1 the background", "binary inverted"
    bits = prior(name) + len(voids) * prior("void 255")
    return Explanation("inverted", words, bits, *case.moved(0, turned, last + 1), last)


def _subtracted(top: int, case: Case) -> Iterator[Explanation]:
    """All ids subtracted from the top of the type: the void label with them, or excepted."""
    turned = {label: top - label for label in case.ids}
    words = f"the ids were subtracted from {top}"
    if case.spec.declared:
        kept = {label: VOID for label in case.ids if label in case.spec.ignore_index}
        yield Explanation("inverted", words, prior("inverted"), *case.moved(0, turned | kept), top)
    voids = {label: VOID for label in case.ids if top - label in (case.spec.ignore_index if case.spec.declared else (top,))}
    if voids or not case.spec.declared:
        more = prior("void unsaid") * (bool(voids) and not case.spec.declared)
        yield Explanation("inverted", words, prior("inverted") + more, *case.moved(0, turned | voids), top)
