"""Some batches of the given size hold no valid pixel, or no foreground.

What it does
------------
Looks at batches of `--batch-size` masks drawn at random, and at random crops if `--crop` is given. Batches in which every pixel is
ignored are an error if one is expected within 100 epochs, and a warning if the chance of one is at least 1 %. Batches of nothing but
background are a warning if one is expected within 100 epochs. The smaller last batch of an epoch counts.

Why is this bad?
----------------
Cross entropy over no pixels is 0/0. Generalized Dice is NaN for a batch without a labeled pixel: one that is ignored throughout or, if
the background has no channel of its own, one that shows nothing else.

How to fix
----------
Leave out masks without content, drop the smaller last batch, or divide by at least 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.batch_odds import EPOCHS, Crops, Odds, batches_of, crops_of, how_often
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.odds import Epoch
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, percent

rule = Rule("LG208", "blind-batch", Severity.ERROR, "Some batches of the given size hold no valid pixel, or no foreground.",
            needs="--batch-size")

_WORTH_A_WARNING = 0.01  # expected in a run of `EPOCHS`
_MOST_FILES = 3


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    batches = batches_of(data, spec)
    if batches is None:
        return
    blind, empty, crops = batches.blind, batches.empty, crops_of(data)
    ignored = tuple(label for label in spec.ignore_index if label in data.ids)
    if EPOCHS * blind.per_epoch >= _WORTH_A_WARNING:
        yield _finding("in which every pixel is ignored", "cross entropy and generalized Dice are 0/0 for it", blind, batches.epoch,
                       _masks(data, ignored) if crops is None else _crops(crops, crops.blind), () if crops else ignored,
                       Severity.ERROR if EPOCHS * blind.per_epoch >= 1 else Severity.WARNING)
    if empty is not None and empty != blind and EPOCHS * empty.per_epoch >= 1:
        nothing = tuple(sorted({*ignored, spec.background_id or 0}))
        yield _finding("without foreground", "Dice losses without a channel for the background are 0/0 for it", empty, batches.epoch,
                       _masks(data, nothing) if crops is None else _crops(crops, crops.empty), () if crops else nothing,
                       Severity.WARNING)


def _masks(data: DatasetFacts, nothing: tuple[int, ...]) -> tuple[str, str]:
    """How many masks hold nothing but some ids, with a few names: a batch goes wrong, not they. And what to do about them."""
    holds_nothing = set(nothing).issuperset
    number, names = data.count_of(holds_nothing), data.files(holds_nothing, limit=_MOST_FILES)
    return f"{number:,} of {count(data.num_exact, 'mask')}, {'such as ' * (number > len(names))}{listed(names)}", "Leave such masks out"


def _crops(crops: Crops, shares: dict[str, float]) -> tuple[str, str]:
    """The same for crops; the worst masks are named."""
    such = sorted((path for path, share in shares.items() if share), key=lambda path: (-shares[path], path))
    most = listed((f"{path} ({percent(shares[path], 1)})" for path in such[:_MOST_FILES]), _MOST_FILES)
    return (f"{percent(sum(shares.values()), len(shares))} of random crops of {crops.size[0]} x {crops.size[1]}; "
            f"most in {most}"), "Draw another crop where one shows nothing"


def _finding(kind: str, effect: str, odds: Odds, epoch: Epoch, such: tuple[str, str], ids: tuple[int, ...],
             severity: Severity) -> Finding:
    number, fix = such
    run = EPOCHS * odds.per_epoch
    evidence = [f"{kind}: {number}", f"share of the batches of {epoch.size:,} ({epoch.full:,} per epoch): {percent(odds.share, 1)}"]
    if epoch.last:
        evidence.append(f"share of the last batches, of {count(epoch.last, 'mask')}: {percent(odds.last, 1)}")
    evidence.append(f"expected in {EPOCHS} epochs: {run:.2g}" if run < 10 else f"expected in {EPOCHS} epochs: {run:,.0f}")
    if 2 * odds.last > odds.per_epoch:
        fix += "; drop the smaller last batch (drop_last=True)"
    return rule.finding(f"A batch {kind} comes up {how_often(odds.per_epoch)}: {effect}.", severity=severity, ids=ids,
                        evidence=tuple(evidence), fix=f"{fix}; or divide by at least 1 in the loss.")
