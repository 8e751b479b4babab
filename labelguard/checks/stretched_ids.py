"""Ids were multiplied, or spread over the whole range, to be visible.

What it does
------------
Reports ids that are all multiples of one number, such as 0, 20, 40, ..., or that divide 0-255 evenly, such as 0, 64, 128, 191 and 255.
Also reports files that each spread their own ids over the whole range, so that one class has a different id in every file.

Why is this bad?
----------------
Nearly all ids are out of range. With 256 outputs nothing fails, but the network learns a few classes among hundreds of empty ones. If
each file was spread separately, the same class has different ids, and no loss can know.

How to fix
----------
If all files were spread alike, one table restores the ids. If each file was spread by itself, they are lost: only the source helps. Then
take the scaling out of the export (imsave, normalize, min-max, * 255).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._spread_ids import Coded, coded
from labelguard.checks._weighed import Word, as_weighed, ruled_out, said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import VOID, CauseName
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import Ids
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, of_files

rule = Rule("LG105", "stretched-ids", Severity.ERROR, "Ids were multiplied, or spread over the whole range, to be visible.",
            needs_facts=("erosion",))

_MOST_SHOWN = 3
_CAUSES: tuple[CauseName, ...] = ("factor", "levels", "stretched")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    found = coded(data, spec)
    inverted = [word for word in said(data, spec, "inverted") if word.certain]
    for word in inverted:
        yield _turned(word)
    if not inverted and found is not None and found.kind != "luminance" and not ruled_out(data, spec, *_CAUSES):
        spread = _spread(found, data, spec)
        yield spread if found.kind == "per-file" else as_weighed(spread, data, spec, *_CAUSES)  # a table for all files is no rival to that


def _turned(word: Word) -> Finding:
    ids, table = word.illegal, word.explanation.table
    pairs = listed((f"{label} was {'void' if table[label] == VOID else table[label]}" for label in ids if label in table), _MOST_SHOWN)
    return word.finding(rule, f"{word.explanation.words[0].upper()}{word.explanation.words[1:]}: {pairs}.", ids, files=word.files(),
                        evidence=(word.seen(ids),), explains=(*word.part.ids, *range(word.spec.num_classes or 0)))


def _spread(found: Coded, data: DatasetFacts, spec: LabelSpec) -> Finding:
    details: dict[str, Any] = {"ids": tuple(code for code in found.codes if code), "files": found.files,
               "pixels": data.pixels_of(filter(None, found.codes), found.where),
               "explains": (*found.codes, *range(spec.num_classes or 0))}
    if found.kind == "per-file":
        return rule.finding("Each file spreads its own ids over the whole range: one id stands for different classes in different files.",
                            evidence=tuple(_examples(data, found)), fix="No table repairs this, since each file has its own. Export the "
                            "masks again from their source, without scaling.", **details)
    classes = max(max(ids) for ids in found.table.values()) + 1
    number = spec.num_classes or classes
    how = f"multiplied by {found.scale}" if found.kind == "factor" else f"spread evenly over 0-{found.scale}"
    evidence = [f"{id_ranges(found.codes, 12)} stand for {id_ranges(sorted(ids[0] for ids in found.table.values()), 12)}",
                f"they are seen {of_files(len(found.files), data.num_exact)}"]
    sure = spec.declared or len(found.codes) > 3
    if not sure:
        evidence.append("three levels may be intended, such as those of a trimap; if so, declare them")
    return rule.finding(f"The ids were {how} to be visible: they reach {found.codes[-1]} instead of {classes - 1}.",
                        severity=Severity.ERROR if sure else Severity.WARNING, evidence=tuple(evidence),
                        fix=_fix(found, data, spec, number), **details)


def _fix(found: Coded, data: DatasetFacts, spec: LabelSpec, number: int) -> Fix:
    table = {code: ids[0] for code, ids in found.table.items()}
    swallowed = [top for top in spec.ignore_index if found.kind == "levels" and top == found.scale and top in data.files_with]
    if not swallowed or number - 1 in table.values():
        return remap_fix(data, spec, table, number, spec.ignore_index, part=found.part)
    return Fix.advice(f"{swallowed[0]} is void, or class {number - 1}, which was spread to the same number: export the masks again from "
                      "their source, without scaling.")


def _examples(data: DatasetFacts, found: Coded) -> Iterator[str]:
    shown: dict[int, Ids] = {}
    for ids in data.id_sets(found.where):
        if len(ids) > 2:
            shown.setdefault(len(ids), ids)
    for ids in list(shown.values())[:_MOST_SHOWN]:
        yield f"{data.files(ids.__eq__, limit=1).first[0]} holds {id_ranges(ids)}"
    yield f"{count(len(found.codes), 'id')} in all, but at most {max(map(len, data.id_sets()))} in one file"
