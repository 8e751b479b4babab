"""Whether the tables of an account give back what was there. Where that is open, none is printed, however likely the account is."""

from __future__ import annotations

from math import comb, log2

from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import VOID, Explanation
from labelguard.explanations.part import Part
from labelguard.explanations.per_file import may_be_scaled_apart
from labelguard.explanations.search import Account, unknown_ids
from labelguard.explanations.spread import may_be_chance
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.spec.label_spaces import Space, spaces
from labelguard.spec.labelspec import LabelSpec

_FRAME, _FRAME_OF_ALL = 0.8, 0.7  # share of the frame that a background has, in a part of the files and in all
_FEW = 8  # files, of which none are told from the others by what they hold
_LEAST_BY_GAPS = 10.0  # bits by which ids have to avoid the gaps of another numbering
_ENCODED = ("factor", "levels", "inverted", "palette")  # causes that scatter the classes over the type


def restores(account: Account, spec: LabelSpec) -> bool:
    """Whether every id is known, what was apart is kept apart, and no other table would leave the same ids."""
    if not spec.declared and (len(account.told) > 1 or account.num_classes <= 2):
        return False  # nobody has said which of two numberings is meant, nor that there are two classes, and which of them is the object
    if account.told[0].part.seen.num_files < _FEW and any(told.part.group is None for told in account.told[1:]):
        return False  # what so few files hold does not tell which of them are meant
    return not any(_loses(told) or _mistakes_void(told, spec) or _is_told_by_proportions(told, account, spec)
                   or _may_be_other_classes(told, spec) or not _has_background(told) for told in account.told)


def _loses(told: Told) -> bool:
    """Whether some id was several things, or nothing that is known, or becomes one with another."""
    part, explanation = told
    lossy = explanation.mixed or explanation.lost or explanation.own_bits is not None
    return bool(lossy or not explanation.repairable or unknown_ids(told) or not _keeps_apart(part, explanation))


def _mistakes_void(told: Told, spec: LabelSpec) -> bool:
    """Whether void may be, or may hold, a class."""
    explanation = told.explanation
    number = spec.num_classes or explanation.num_classes
    if explanation.cause == "sentinel" and not {*filter(spec.is_class, range(number))} <= {*explanation.table.values()}:
        return True  # what is said to be void may be one of the classes that no file shows
    if not spec.declared and explanation.cause == "shift" and VOID in explanation.table.values():
        return True  # nobody has said that anything is void: ids that wrapped may as well have been classes, moved further
    return _may_hide_void(told, spec) or _has_strange_void(told, spec)


def _is_told_by_proportions(told: Told, account: Account, spec: LabelSpec) -> bool:
    """Whether nothing but proportions tells some files from the others, or from some of them."""
    part, explanation = told
    return len(account.told) > 1 and part.group is None and explanation.cause != "as declared" and (
        explanation.cause == "space" or all(map(spec.is_legal, part.ids)))


def _may_be_other_classes(told: Told, spec: LabelSpec) -> bool:
    """Whether the same ids may come from other classes: by a scale of each file, by chance, or from another beginning."""
    part, explanation = told
    moved = explanation.cause == "inverted" or (explanation.cause in ("up", "shift") and explanation.amount > 1)
    if moved and not _shows_both_ends(told, spec):
        return True  # moved further or less far, they may be classes as well; multiplied by 255, one above 255 - id
    if explanation.cause in ("levels", "factor") and may_be_scaled_apart(part, explanation.num_classes):
        return True
    if explanation.cause in _ENCODED and may_be_chance(explanation):
        return True
    if _may_be_mended_already(told, spec):
        return True
    return not spec.declared and 0 not in explanation.table.values()  # nobody has said where classes begin, and no file shows it


def _shows_both_ends(told: Told, spec: LabelSpec) -> bool:
    """Whether files show the first of the declared classes and the last, so that by another amount some id would be none."""
    part, explanation = told
    return spec.num_classes is not None and {0, spec.num_classes - 1} <= {explanation.table[label] for label in part.ids}


def _may_hide_void(told: Told, spec: LabelSpec) -> bool:
    """Whether a declared void label is taken for a class, and nothing for void: void that was spared would be that class from now on."""
    part, explanation = told
    taken = any(explanation.table[label] != VOID for label in part.ids if label in spec.ignore_index)
    return taken and VOID not in explanation.table.values()


def _has_strange_void(told: Told, spec: LabelSpec) -> bool:
    """Whether a declared void label stands among the ids of another numbering, which has none: some of the files have the declared one."""
    part, space = told.part, _space(told)
    return space is not None and not ({*spec.ignore_index} & {*part.ids}) <= space.drawn | {*space.spec.ignore_index}


def _may_be_mended_already(told: Told, spec: LabelSpec) -> bool:
    """Whether most of the files may follow the declared numbering: their ids are legal, and avoid the gaps of the other one by chance.

    So many of the declared classes are seen in them; the chance that none is a gap is hypergeometric.
    """
    space, number = _space(told), spec.num_classes or 0
    if space is None:
        return False
    legal = [(ids, files) for ids, files in told.part.sets if all(map(spec.is_legal, ids))]
    if 2 * sum(files for _, files in legal) <= told.part.num_files:
        return False
    gaps = sum(spec.is_class(label) and label not in space.drawn for label in range(number))
    seen = len({label for ids, _ in legal for label in ids if spec.is_class(label)})
    return 0 < gaps <= number - seen and log2(comb(number, seen)) - log2(comb(number - gaps, seen)) < _LEAST_BY_GAPS


def _space(told: Told) -> Space | None:
    """The public numbering that the ids are said to follow."""
    return spaces()[told.explanation.amount] if told.explanation.cause == "space" else None


def _has_background(told: Told) -> bool:
    """Whether of two classes 0 has the frame and most of the area, wherever files store them in their own way; with more, nothing is asked.

    0 and 255 are the two classes or a wrapped -1 and what was above it, with background and object exchanged: only form tells.
    """
    part, explanation = told
    if explanation.num_classes != 2 or explanation.cause == "as declared":
        return True
    least = _FRAME if len(part.alike) > 1 or part.num_files < part.seen.num_files else _FRAME_OF_ALL
    for alike in part.alike:
        zero = [place for place, label in enumerate(part.seen.ids) if explanation.table.get(label) == 0]
        stored = [label for label in alike.ids if explanation.table.get(label) != label]
        if stored and (alike.frame_shares[zero].sum() < least or alike.area_shares[zero].sum() < 0.5):
            return False
    return True


def _keeps_apart(part: Part, explanation: Explanation) -> bool:
    if explanation.cause in ("instances", "space"):
        return True  # they put together what belongs together
    sources: dict[int, list[int]] = {}
    for label in part.ids:
        sources.setdefault(explanation.table[label], []).append(label)
    return not any(part.sharing_a_file(labels) for there, labels in sources.items() if there != VOID and len(labels) > 1)


def restored_ids(part: Part, explanation: Explanation, spec: LabelSpec) -> dict[int, int]:
    """What each id of some files is to become, void labels included."""
    declared = tuple(label for label in spec.ignore_index if label >= 0)
    return {label: _void_of(label, explanation, declared) if explanation.table[label] == VOID else explanation.table[label]
            for label in part.ids}


def _void_of(label: int, explanation: Explanation, declared: tuple[int, ...]) -> int:
    """The void label that an id was, or is to become."""
    if label in declared:
        return label
    if explanation.cause in ("shift", "void moved"):
        before = label + (explanation.amount if explanation.cause == "shift" else 1)
        return before if before in (declared or TOPS) else (declared or TOPS)[0]
    widest = explanation.num_classes - 1 if explanation.cause == "instances" else label  # that of the ids which are left
    return declared[0] if declared else next(top for top in TOPS if widest < top or label == top)
