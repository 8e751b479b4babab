"""The ids are luminances of palette colors.

What it does
------------
Reports ids that are all luminances of one known palette (the declared colors, Pascal VOC, Cityscapes, ADE20K, CamVid), as computed by
Pillow or OpenCV, if that cannot be chance: such as 0, 15, 38, 75, 113 and 220. Palette files were read as grayscale.

Why is this bad?
----------------
Most ids are out of range. Two colors may have the same luminance, as classes 1 and 16 of Pascal VOC do, and are then one class.

How to fix
----------
Read the indexed originals as indices (`Image.open` without `convert`), which loses nothing. If no two classes share a luminance, the
table in the finding restores the ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._spread_ids import coded
from labelguard.checks._weighed import as_weighed, ruled_out
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges, listed, of_files

rule = Rule("LG107", "palette-as-grey", Severity.ERROR, "The ids are luminances of palette colors.", needs_facts=("erosion",))

_MOST_SHOWN = 6
_ORIGINALS = "Read the indexed originals as indices, without convert('L') and without OpenCV"


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    found = coded(data, spec)
    if found is None or found.kind != "luminance" or ruled_out(data, spec, "palette"):
        return
    void = spec.ignore_index[0] if spec.ignore_index else 255
    reach = max((min(ids) for ids in found.table.values() if ids != (void,)), default=0)
    table = found.table if spec.declared else {code: tuple(label for label in ids if label <= reach or label == void)
                                               for code, ids in found.table.items()}  # 38 is 1, as long as there are no 17 classes
    shared = {code: ids for code, ids in table.items() if len(ids) > 1}
    ignored = spec.ignore_index or (void,) * ((void,) in table.values())
    evidence = [listed((f"{code} is {_name(ids, spec, void)}" for code, ids in found.table.items()), _MOST_SHOWN),
                f"seen {of_files(len(found.files), data.num_exact)}"]
    if shared:
        fix = Fix.advice(f"{_ORIGINALS}; no table can restore {id_ranges(tuple(shared))}.")
        colors = listed(f"{code} ({' or '.join(map(str, ids))})" for code, ids in shared.items())
        evidence.append(f"several colors share the luminance {colors}: which class it was can no longer be told")
    elif not reach:
        fix = Fix.advice(f"{_ORIGINALS}.")
    else:
        fix = remap_fix(data, spec, {code: ids[0] for code, ids in table.items()}, spec.num_classes or reach + 1, ignored,
                        part=found.part)
    said = rule.finding(f"The ids are luminances of {found.what}: palette files were read as grayscale.",
                        ids=tuple(code for code in found.codes if code), files=found.files, evidence=tuple(evidence), fix=fix,
                        pixels=data.pixels_of(filter(None, found.codes), found.where),
                        explains=(*found.codes, *range(spec.num_classes or 0)))
    yield as_weighed(said, data, spec, "palette")


def _name(ids: tuple[int, ...], spec: LabelSpec, void: int) -> str:
    return " or ".join("void" if label == void else spec.name_of(label) for label in ids)
