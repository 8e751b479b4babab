"""What smoothing leaves behind, as the runs of ids (`labelguard.facts.label_runs`) tell it, file by file and for the whole set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from labelguard.explanations.smoothing import stands_out
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.label_runs import NAMES, LabelRuns
from labelguard.facts.record import FileRecord

SmoothingKind = Literal["between", "beyond", "blocks"]

# Share of the steps between ids that are 2 or more apart that have ids in between. Measured: exact masks, also after nearest neighbor at
# any scale and with their ids shuffled, at most 0.33 in a file and 0.14 in a set; smoothed masks mostly 0.35 to 1.
_SMOOTHED_FILE, _SMOOTHED_SET = 0.3, 0.2
# Pixels of the shorter side. Of sets shrunk by nearest neighbor, drawn and real, of 2 to 150 classes, 23 % are taken for smoothed ones at
# 16 pixels, 9 % at 20, 3 % at 24, 0.6 % at 28, 0.4 % at 32 and none of 1,900 from 36 on, where half of the smoothed ones are found.
LEAST_SMOOTHED_SIDE = 36
# Of 2,000 exact sets drawn anew, of 36 to 128 pixels, many of small parts, 72 look smoothed, 68 of them as below; of 2,000 smoothed ones
# 1,743 do, and 90.
_COARSE_SIDE, _COARSE_SHARE = 72, 0.45
_FEW_STEPS, _FEW_STEPS_IN_SET = 60, 200
_STANDS_OUT = 0.4  # for few files out of an exact set: of its many files one comes to 0.3 by chance
_BANDS = 0.5      # wider runs for each ramp: real classes that lie between others 0.2 to 5, smoothing 0 to 0.4
_ORDERED = 0.15   # the same, where ids change by one alone: grades and depths 0.18 to 5, enlarging by 2 to 4 at most 0.13
_OFTEN, _VARIED, _MOST_LAYERS = 0.05, 0.02, 2  # shares of the ramps; ids of a mask that are thin layers and not what smoothing leaves
_WIDEST = 10      # ids that are further apart do not come to lie in steps of one; no filter is so wide
_RIPPLES = 0.2    # overshooting runs for each step: exact masks rarely above 0.1, JPEG 0.2 to 0.6
_AREA = 5         # an id with fewer areas than a fifth of its thin runs counts as filling none


@dataclass
class Pool:
    """The sum of `LabelRuns` over some files: its numbers by their names, and areas and thin runs by id."""

    numbers: Counter[str] = field(default_factory=Counter)
    areas: Counter[int] = field(default_factory=Counter)
    thin: Counter[int] = field(default_factory=Counter)
    files: list[FileRecord] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[FileRecord]) -> Pool:
        pool = cls(files=list(records))
        alike: dict[tuple[int, ...], list[LabelRuns]] = {}  # a few sets of ids recur in many files, so their numbers are added up at once
        for record in pool.files:
            assert record.label_runs is not None
            alike.setdefault(record.ids, []).append(record.label_runs)
        for ids, runs in alike.items():
            total = LabelRuns.sum(runs)
            pool.numbers.update(dict(zip(NAMES, total.numbers, strict=False)))  # those of the ids follow
            pool.areas.update(dict(zip(ids, total.areas, strict=True)))
            pool.thin.update(dict(zip(ids, total.thin, strict=True)))
        return pool

    @property
    def steps(self) -> int:
        return self.numbers["ramps"] + self.numbers["direct"]

    @property
    def share(self) -> float:
        """Share of the steps that have ids in between."""
        return self.numbers["ramps"] / max(1, self.steps)

    @property
    def seams(self) -> list[int]:
        """Ids that lie along borders and fill little else."""
        return sorted(label for label, thin in self.thin.items() if thin > 1 and _AREA * self.areas[label] < thin)

    @property
    def thin_only(self) -> list[int]:
        """Ids that fill no area at all."""
        return sorted(label for label, thin in self.thin.items() if thin and not self.areas[label])

    @property
    def filling(self) -> list[int]:
        """Ids that fill areas."""
        return sorted(label for label, areas in self.areas.items() if areas > 0 and _AREA * areas >= self.thin[label])

    @property
    def kind(self) -> SmoothingKind:
        """What caused it. Masks enlarged by 2 or 4 also have ends on the grid of JPEG, but as many ends halfway between."""
        ends, on, off = (self.numbers[name] for name in ("ends", "on_grid", "off_grid"))
        if on > 2 * (ends - on) / 7 and 2 * on > 3 * off and self.numbers["ripples"] > _RIPPLES / 2 * self.steps:
            return "blocks"
        return "beyond" if self.numbers["ripples"] > 0.3 * self.numbers["ramps"] else "between"

    @property
    def by_one(self) -> bool:
        """Whether ids change by one nearly everywhere: steps of a depth, or nested grades. Only a filter that is as wide as the ids are
        apart leaves that."""
        n = self.numbers
        return (n["direct"] <= 0.1 * self.steps and n["varied"] + n["repeated"] <= 0.01 * n["ramps"]
                and max(self.thin) - min(self.thin) >= 3)

    @property
    def ordered(self) -> bool:
        """Whether ids change by one because they were drawn that way: in bands of all widths, or further than any filter is wide."""
        n = self.numbers
        return self.by_one and (max(self.thin) - min(self.thin) >= _WIDEST or n["bands"] > _ORDERED * n["ramps"])

    @property
    def coarse(self) -> bool:
        """Whether objects of a few pixels may have left it: in masks as small as these, half of the borders may have some between them."""
        return self.share < _COARSE_SHARE and all(min(record.shape) < _COARSE_SIDE for record in self.files)

    @property
    def drawn_between(self) -> bool:
        """Whether ids lie between others because they were drawn that way: in bands of all widths, or one class of lines everywhere."""
        n = self.numbers
        return n["bands"] > _BANDS * n["ramps"] or (n["repeated"] >= 50 and n["varied"] < n["repeated"] / 50)

    def smoothed(self, share: float, elsewhere: Sequence[int] = ()) -> bool:
        """Whether this can only come from smoothing.

        Parameters
        ----------
        share
            The share of steps from which on it can be smoothing.
        elsewhere
            Ids known to fill areas, from files without smoothing.
        """
        n = self.numbers
        if (2 * n["short"] > n["looked"] and self.kind != "blocks") or n["bands"] > _BANDS * max(n["ramps"], n["ripples"]):
            return False  # noise, such as maps of tiny instances; or real classes that lie between others, at all widths
        if sum(areas > 0 for areas in self.areas.values()) < 2:
            return False  # no two areas that could have a border
        seams, filling = self.seams, self.filling
        if self.noisy and len(seams) >= max(4, len(filling)):
            return True
        if len(seams) >= max(8, 2 * len(filling)) and 2 * self.share > share:
            return True
        return self.share >= share and self._various(seams, elsewhere)

    def resembles(self, smoothed: Pool) -> bool:
        """Whether these files resemble the smoothed ones: the same seams, along at least half as many borders."""
        seams = smoothed.seams
        return ((self.noisy or self.nowhere_else) and 2 * self.share > smoothed.share
                and len(set(seams).intersection(self.seams)) >= max(3, len(seams) / 2))

    @property
    def noisy(self) -> bool:
        """Whether ids overshoot more often than they do in exact masks."""
        return self.numbers["ripples"] >= _RIPPLES * self.steps

    @property
    def spreads(self) -> bool:
        """Whether ids in between are more than a thin layer or two, which cross a whole mask and make a ramp of every column."""
        often = sum(thin > _OFTEN * sum(self.thin.values()) for thin in self.thin.values())
        return often > _MOST_LAYERS or self.numbers["varied"] > _VARIED * self.numbers["ramps"] or self.noisy

    @property
    def nowhere_else(self) -> bool:
        """Whether most of what lies in between is of ids that fill no area at all."""
        return 2 * sum(self.thin[label] for label in self.thin_only) >= sum(self.thin.values())

    def _various(self, seams: Sequence[int], elsewhere: Sequence[int]) -> bool:
        """Whether the ids in between differ from place to place, or fill areas elsewhere. A class of thin lines does neither."""
        n = self.numbers
        compared = n["varied"] + n["repeated"]
        if compared >= 20 and n["varied"] >= compared / 10:
            return True
        all_thin = sum(self.thin.values())
        label, most = self.thin.most_common(1)[0]
        if most > 0.9 * all_thin:
            return self.share > 0.6 and (2 * self.areas[label] >= most or label in elsewhere)
        if self.share > 0.9 and sum(thin > 0 and 50 * self.areas[i] >= max(thin, 100) for i, thin in self.thin.items()) > 1:
            return True  # ids far apart never meet, and several classes lie in between
        if sum(self.thin[label] for label in seams if label not in elsewhere) <= 0.7 * all_thin:
            return True
        constant = compared >= 50 and n["varied"] < compared / 50
        return len(seams) >= 3 and bool(not constant or n["ends"] < 1.3 * n["ramps"])  # fewer than two ends: more than one id in a row


def is_too_small(record: FileRecord) -> bool:
    """Whether a mask is so small that honest shapes have borders as narrow as what smoothing leaves."""
    return min(record.shape) < LEAST_SMOOTHED_SIDE


def smoothed_files(data: DatasetFacts) -> list[FileRecord]:
    """The files that were smoothed: judged singly, or all together if single files have too few borders to tell."""
    known = [record for record in data.select() if record.label_runs is not None and record.path not in data.scrambled]
    found = _by_themselves([record for record in known if not is_too_small(record)])
    if found:
        found |= _with_the_same_seams(known, found)
    return [record for record in known if record.path in found] if found and not Pool.of(known).ordered else []


def _by_themselves(known: Sequence[FileRecord]) -> set[str]:
    """The files whose own borders tell, compared with those of the rest."""
    suspects = [record for record in known if _suspicious([record], _SMOOTHED_FILE)]
    judged = [record for record in suspects if _suspicious([record], _SMOOTHED_FILE, _FEW_STEPS)]
    found = {record.path for record in judged if Pool.of([record]).smoothed(_SMOOTHED_FILE)}
    rest = [record for record in known if record.path not in found]
    exact = Pool.of(rest) if len(judged) > len(found) else Pool()
    if exact.steps >= _FEW_STEPS_IN_SET and exact.share < _SMOOTHED_FILE / 3:  # the rest tells what these files should be like
        found |= {record.path for record in judged if Pool.of([record]).smoothed(_SMOOTHED_FILE, exact.filling)}
    elif _suspicious(rest, _SMOOTHED_SET, _FEW_STEPS_IN_SET) and Pool.of(rest).smoothed(_SMOOTHED_SET):
        return found | {record.path for record in rest if _suspicious([record], _SMOOTHED_SET)}
    elif 2 * len(found) > len(known):
        return found | {record.path for record in suspects}
    if Pool.of(record for record in known if record.path not in found).share < _SMOOTHED_FILE / 2:  # the others look exact
        found = {record.path for record in judged if record.path in found and Pool.of([record]).spreads}
    return _outstanding(known, found) if 0 < 2 * len(found) <= len(known) else found


def _outstanding(known: Sequence[FileRecord], found: Collection[str]) -> set[str]:
    """Of a few files in a set, those that stand out against the rest, if the rest may be exact and drawn with ids in between."""
    usual, whole = Pool.of(record for record in known if record.path not in found), Pool.of(known)
    exact_looking = usual.drawn_between or (usual.share < 0.5 and not (usual.noisy or whole.nowhere_else))
    if usual.steps < _FEW_STEPS_IN_SET or not exact_looking:
        return set(found)
    least = max(_STANDS_OUT, 2 * usual.share + 0.1)
    pools = {record.path: Pool.of([record]) for record in known if record.path in found}
    few = {path for path, pool in pools.items() if pool.share > least or (pool.noisy and len(pool.seams) >= 4)}
    borders = [(pools[path].numbers["ramps"], pools[path].steps) for path in few]
    seams = Pool.of(record for record in known if record.path in few).seams
    return few if few and stands_out(borders, len(seams), len(known)) else set()


def _with_the_same_seams(known: Sequence[FileRecord], found: Collection[str]) -> set[str]:
    """Files with too few borders to tell, if most of the set was smoothed, or if the rest has the same seams."""
    smoothed = Pool.of(record for record in known if record.path in found)
    others = Pool.of(record for record in known if record.path not in found)
    if 2 * len(smoothed.files) <= len(known) and not others.resembles(smoothed):
        return set()
    areas = {*smoothed.filling, *others.filling}
    return {record.path for record in others.files if _has_seams(record, areas)}


def _suspicious(records: Sequence[FileRecord], share: float, steps: int = 1) -> bool:
    """A quick test that all smoothed masks pass: at least half as many ramps as `share` asks for, or many ripples."""
    direct = ramps = ripples = 0
    for record in records:
        if record.label_runs is not None:
            direct += record.label_runs.direct
            ramps += record.label_runs.ramps
            ripples += record.label_runs.ripples
    total = direct + ramps
    return total >= steps and (2 * ramps >= share * total or ripples >= _RIPPLES * total)


def _has_seams(record: FileRecord, areas: Collection[int]) -> bool:
    """Whether a file holds ids in between that fill no area anywhere; a few are enough once files are known to be smoothed."""
    assert record.label_runs is not None
    return any(thin and label not in areas for label, thin in zip(record.ids, record.label_runs.thin, strict=True))
