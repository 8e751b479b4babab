"""Some batches of the given size hold no pixel of some class.

What it does
------------
Reports classes that will be absent from at least one batch in 100 epochs, if batches of `--batch-size` masks are drawn at random, with
random crops of `--crop` if that is given. Classes that no mask holds are reported as LG204.

Why is this bad?
----------------
Losses that sum over the batch before they divide have nothing to divide by for that class. Generalized Dice, with weights of 1 / area
squared, turns NaN or gives the absent class a weight that drowns out all others; batch-wise Dice counts the class as 0 or 1 whatever was
predicted. Cross entropy is not affected.

How to fix
----------
Sum over the classes that are present, or draw masks so that rare classes come up in more batches.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.batch_odds import EPOCHS, batches_of, how_often
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, percent

rule = Rule("LG207", "batch-without-class", Severity.NOTE, "Some batches of the given size hold no pixel of some class.",
            needs_classes=True, needs="--batch-size",
            symptom_of=("LG102", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109", "LG111", "LG205"))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    batches = batches_of(data, spec)
    if batches is None or batches.classes is None:
        return
    absent = [of for of in batches.classes if of.files and EPOCHS * of.absent.per_epoch >= 1]
    if not absent:
        return
    absent.sort(key=lambda of: (-of.absent.per_epoch, of.label))
    epoch, worst, rarest = batches.epoch, absent[0], absent[-1]
    total = epoch.full + (epoch.last > 0)
    shares = listed((f"{spec.name_of(of.label)} from {percent(of.absent.per_epoch, total)}" for of in absent), 12)
    evidence = [f"{spec.name_of(worst.label)}: in {worst.files:,} of {count(epoch.masks, 'mask')}; a batch without it comes up "
                f"{how_often(worst.absent.per_epoch)}"]
    if rarest is not worst:
        evidence.append(f"{spec.name_of(rarest.label)}: in {rarest.files:,} of {count(epoch.masks, 'mask')}; "
                        f"{how_often(rarest.absent.per_epoch)}")
    crops = "" if data.training.crop is None else " of random crops"
    yield rule.finding(f"{count(len(absent), 'class is', 'classes are')} absent from some batches of {epoch.size:,}{crops}: {shares}.",
                       ids=tuple(sorted(of.label for of in absent)), evidence=tuple(evidence),
                       files=data.files(),
                       fix="In a loss that sums over the batch, leave out the classes that the batch does not hold.")
