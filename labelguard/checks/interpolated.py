"""Masks were resized or saved with smoothing: ids that nobody assigned lie along the borders of areas.

Looks for: short runs of ids that lie between those on either side, wherever there is room for ids in between. In exact masks few borders
have them, and they are real thin objects: of one class, or of all widths. Smoothing leaves them along most borders, in ids that change
from place to place. Told apart are bilinear and area filters, bicubic and Lanczos (which overshoot), and a JPEG that was saved as PNG
(noise that ends on a grid of 8 x 8 pixels). It does not matter whether the ids in between are legal.

Hurts because: where 1 meets 5, smoothing writes 2, 3 and 4. Each border of each object gets a seam of classes that are not there, often
rare ones, and nothing ever fails: the network learns them. Where the ids in between are no classes, the loss fails on some batches.

Mend it: export the masks again from their source, with nearest neighbor, or resize the originals with `labelguard resize`. Masks of
two values, and only those, can be cut at half by a table; the finding then gives the command.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from labelguard.checks import Rule
from labelguard.facts import DatasetFacts, FileRecord
from labelguard.finding import Finding, Severity
from labelguard.ramps import NAMES, Ramps
from labelguard.spec import LabelSpec
from labelguard.words import count, id_ranges, listed, of_files, percent

rule = Rule("LG301", "interpolated", Severity.ERROR, "Smoothing has left ids that nobody assigned along borders.")

Kind = Literal["between", "beyond", "blocks"]

# Share of the steps between ids that are 2 or more apart that have ids in between. Measured: exact masks, also after nearest neighbor at
# any scale and with their ids shuffled, at most 0.25 in a file and 0.13 in a set; smoothed masks mostly 0.35 to 1.
_SMOOTHED_FILE, _SMOOTHED_SET = 0.3, 0.2
_FEW_STEPS, _FEW_STEPS_IN_SET = 60, 200
_BANDS = 0.5      # wider runs for each ramp: real classes that lie between others 0.2 to 5, smoothing 0 to 0.4
_ORDERED = 0.2    # the same, where ids change by one alone: grades and depths 0.3 to 5
_RIPPLES = 0.2    # overshooting runs for each step: exact masks rarely above 0.1, JPEG 0.2 to 0.6
_AREA = 5         # an id with fewer areas than a fifth of its thin runs fills none to speak of


@dataclass
class _Pool:
    """The sum of `Ramps` over some files: its numbers by their names, and areas and thin runs by id."""

    numbers: Counter[str] = field(default_factory=Counter)
    areas: Counter[int] = field(default_factory=Counter)
    thin: Counter[int] = field(default_factory=Counter)
    files: list[FileRecord] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[FileRecord]) -> _Pool:
        pool = cls(files=list(records))
        alike: dict[tuple[int, ...], list[Ramps]] = {}  # few sets of ids recur in many files, whose numbers are added up at once
        for record in pool.files:
            assert record.ramps is not None
            alike.setdefault(record.ids, []).append(record.ramps)
        for ids, ramps in alike.items():
            total = Ramps.sum(ramps)
            pool.numbers.update(dict(zip(NAMES, total.numbers, strict=False)))  # those of the ids come behind
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
    def kind(self) -> Kind:
        """What did it; the grid of JPEG is told from that of masks enlarged by 2 or 4, which have as many ends half-way."""
        ends, on, off = (self.numbers[name] for name in ("ends", "on_grid", "off_grid"))
        if on > 2 * (ends - on) / 7 and 2 * on > 3 * off and self.numbers["ripples"] > _RIPPLES / 2 * self.steps:
            return "blocks"
        return "beyond" if self.numbers["ripples"] > 0.3 * self.numbers["ramps"] else "between"

    @property
    def ordered(self) -> bool:
        """Whether ids only ever change by one, in bands of all widths: steps of a depth, or grades that lie one within the other.

        A filter leaves that only where it is much wider than the runs looked at, and then no bands.
        """
        n = self.numbers
        return not n["direct"] and not n["varied"] + n["repeated"] and len(self.filling) > 3 and n["bands"] > _ORDERED * n["ramps"]

    @property
    def drawn_between(self) -> bool:
        """Whether ids lie between others because they were drawn so: in bands of all widths, or one class of lines everywhere."""
        n = self.numbers
        return n["bands"] > _BANDS * n["ramps"] or (n["repeated"] >= 50 and n["varied"] < n["repeated"] / 50)

    def smoothed(self, share: float, elsewhere: Sequence[int] = ()) -> bool:
        """Whether this can only come from smoothing.

        Parameters
        ----------
        share
            The share of steps from which on it may.
        elsewhere
            Ids that are known to fill areas, where a set of files without smoothing tells.
        """
        n = self.numbers
        if 2 * n["short"] > n["looked"] or n["bands"] > _BANDS * max(n["ramps"], n["ripples"]):
            return False  # noise, such as maps of tiny instances; or real classes that lie between others, at all widths
        if sum(areas > 0 for areas in self.areas.values()) < 2:
            return False  # no two areas that could have a border
        seams, filling = self.seams, self.filling
        if n["ripples"] >= _RIPPLES * self.steps and len(seams) >= max(4, len(filling)):
            return True
        if len(seams) >= max(8, 2 * len(filling)) and 2 * self.share > share:
            return True
        return self.share >= share and self._various(seams, elsewhere)

    def resembles(self, smoothed: _Pool) -> bool:
        """Whether the rest of a set is like those of its files that were smoothed: the same seams, along half as many borders or more."""
        seams = smoothed.seams
        return len(set(seams).intersection(self.seams)) >= max(3, len(seams) / 2) and 2 * self.share > smoothed.share

    def _various(self, seams: Sequence[int], elsewhere: Sequence[int]) -> bool:
        """Whether the ids in between differ from place to place, or fill areas elsewhere. A class of thin lines does neither."""
        n = self.numbers
        compared = n["varied"] + n["repeated"]
        if compared >= 20 and n["varied"] >= compared / 10:
            return True
        all_thin = sum(self.thin.values())
        label, most = self.thin.most_common(1)[0]
        if most > 0.9 * all_thin:
            return 2 * self.areas[label] >= most or label in elsewhere
        if sum(self.thin[label] for label in seams if label not in elsewhere) <= 0.7 * all_thin:
            return True
        constant = compared >= 50 and n["varied"] < compared / 50
        return len(seams) >= 3 and bool(not constant or n["ends"] < 1.3 * n["ramps"])  # fewer than two ends: more than one id in a row


def smoothed_files(data: DatasetFacts) -> list[FileRecord]:
    """The files that were smoothed: each by itself, or all of them together where single ones have too few borders to tell."""
    known = [record for record in data.records if record.ramps is not None]
    suspects = [record for record in known if _suspicious([record], _SMOOTHED_FILE)]
    judged = [record for record in suspects if _suspicious([record], _SMOOTHED_FILE, _FEW_STEPS)]
    found = {record.path for record in judged if _Pool.of([record]).smoothed(_SMOOTHED_FILE)}
    rest = [record for record in known if record.path not in found]
    exact = _Pool.of(rest) if len(judged) > len(found) else _Pool()
    if exact.steps >= _FEW_STEPS_IN_SET and exact.share < _SMOOTHED_FILE / 3:  # the rest tells what these files should be like
        found.update(record.path for record in judged if _Pool.of([record]).smoothed(_SMOOTHED_FILE, exact.filling))
    elif _suspicious(rest, _SMOOTHED_SET, _FEW_STEPS_IN_SET) and _Pool.of(rest).smoothed(_SMOOTHED_SET):
        found.update(record.path for record in rest if _suspicious([record], _SMOOTHED_SET))
    elif 2 * len(found) > len(known):
        found.update(record.path for record in suspects)
    elif found:
        usual = _Pool.of(rest)
        if usual.steps >= _FEW_STEPS_IN_SET and usual.drawn_between:  # then single files have to stand out against the rest
            found = {record.path for record in judged if record.path in found and _Pool.of([record]).share > 2 * usual.share}
    if found:
        smoothed = _Pool.of(record for record in known if record.path in found)
        others = _Pool.of(record for record in known if record.path not in found)
        if 2 * len(smoothed.files) > len(known) or others.resembles(smoothed):
            areas = {*smoothed.filling, *others.filling}
            found.update(record.path for record in others.files if _has_seams(record, areas))
    return [record for record in known if record.path in found] if found and not _Pool.of(known).ordered else []


def _suspicious(records: Sequence[FileRecord], share: float, steps: int = 1) -> bool:
    """What is quickly seen, and true of all that was smoothed: at least half as many ramps as `share` asks for, or many ripples."""
    direct = ramps = ripples = 0
    for record in records:
        if record.ramps is not None:
            direct += record.ramps.direct
            ramps += record.ramps.ramps
            ripples += record.ramps.ripples
    total = direct + ramps
    return total >= steps and (2 * ramps >= share * total or ripples >= _RIPPLES * total)


def _has_seams(record: FileRecord, areas: Collection[int]) -> bool:
    """Whether a file holds ids in between that fill no area anywhere: few are enough where it is known that files were smoothed."""
    assert record.ramps is not None
    return any(thin and label not in areas for label, thin in zip(record.ids, record.ramps.thin, strict=True))


def trusted(data: DatasetFacts) -> DatasetFacts:
    """The facts without the ids of smoothed files, from which nothing can be concluded about the set."""
    data.smoothed = frozenset(record.path for record in smoothed_files(data))
    return data.distrusting(data.smoothed) if data.smoothed else data


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    known = data.smoothed
    smoothed = smoothed_files(data) if known is None else [record for record in data.records if record.path in known]
    if not smoothed:
        return
    pool = _Pool.of(smoothed)
    paths = {record.path for record in smoothed}
    others = [record for record in data.records if record.path not in paths]
    ids = tuple(pool.thin_only)
    yield rule.finding(_MESSAGES[pool.kind].format(of_files(len(smoothed), len(data.records))), ids=ids,
                       pixels=sum(record.count(label) for record in smoothed for label in ids) if ids else None,
                       files=tuple(record.path for record in smoothed), evidence=tuple(_evidence(pool, others, spec)),
                       fix=_cut_at_half(pool, others, spec, data.root) or _EXPORT,
                       explains=tuple(sorted({label for record in smoothed for label in record.ids})))


_MESSAGES: dict[Kind, str] = {
    "between": "Masks were smoothed {}, as by a bilinear or area filter: ids that nobody assigned lie between those on either side of a "
               "border.",
    "beyond": "Masks were smoothed {}, as by a bicubic or Lanczos filter: ids that nobody assigned lie along borders, between those on "
              "either side and somewhat beyond.",
    "blocks": "Masks were stored as JPEG before {}: along borders the ids are noise, in blocks of 8 x 8 pixels.",
}
_EXPORT = ("Export the masks again from their source with nearest neighbor, or resize the originals with 'labelguard resize'. No table can "
           "undo it: ids in between look like classes.")


def _evidence(pool: _Pool, others: Sequence[FileRecord], spec: LabelSpec) -> Iterator[str]:
    n, kind = pool.numbers, pool.kind
    yield (f"{percent(n['ramps'], pool.steps)} of the borders with room for ids in between have some, in runs of 1 to 4 pixels; in exact "
           "masks it is 0 to 15 %")
    if kind == "blocks":
        yield f"{percent(n['on_grid'], n['ends'])} of the noise ends on the grid of 8 x 8 pixels that JPEG uses; by chance it would be 12 %"
    if kind != "between":
        yield f"ids overshoot next to a border in {count(n['ripples'], 'place')}"
    if pool.thin_only:
        filling = [label for label, areas in pool.areas.items() if areas]
        yield f"{id_ranges(pool.thin_only)} fill{'s' * (len(pool.thin_only) == 1)} no area anywhere; areas are of {id_ranges(filling)}"
    if len(pool.thin_only) < 4:
        yield f"most often in between: {listed(label for label, thin in pool.thin.most_common(4) if thin)}"
    if spec.declared and all(spec.is_legal(label) for record in pool.files for label in record.ids):
        yield "every id is legal, so that no loss will ever complain"
    rest = _Pool.of(record for record in others if record.ramps is not None)
    if rest.files:
        yield f"in the other {count(len(rest.files), 'file')} it is {percent(rest.numbers['ramps'], rest.steps)}"


def _cut_at_half(pool: _Pool, others: Sequence[FileRecord], spec: LabelSpec, root: str) -> str:
    """The command that mends masks of two values; empty where it could turn a class into another."""
    filling = sorted(label for label, areas in pool.areas.items() if areas)
    if len(filling) != 2 or (spec.num_classes or 2) > 2:
        return ""
    low, high = filling
    if any(not {low, high}.issuperset(record.ids) for record in others):
        return ""
    if high - low < (64 if pool.kind == "blocks" else 3) or {low, high} & set(spec.ignore_index):
        return ""
    seen = [label for record in pool.files for label in record.ids]
    middle = (low + high + 1) // 2
    halves = [(min(seen), middle - 1, 0), (middle, max(seen), 1)]
    if low == min(seen) == 0:
        halves[0] = (1, middle - 1, 0)
    merges = [f"--merge {first}-{last}:{target}" for first, last, target in halves if first <= last]
    return " ".join(["labelguard remap", shlex.quote(root), *merges, "--num-classes 2"])
