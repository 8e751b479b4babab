"""Bounds: how many bits an account takes at least, at a fraction of the cost of its length; what cannot win is not weighed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelguard.explanations.columns import Told
from labelguard.explanations.entropy import entropy
from labelguard.explanations.part import bits_of_names


def least(told: Sequence[Told]) -> float:
    """Bits that no account of some parts falls short of by more than a few, which the shape of void and of two classes may give back.

    No column is shorter than if its proportions were known before: entropy (Shannon 1948), of which files hold a class and of how large
    it is there. Files with a numbering of their own, and the order of ids, may cost nothing.
    """
    pools = [[each for each in told if not each.explanation.apart], *([each] for each in told if each.explanation.apart)]
    counted = [[each for each in pool if each.explanation.by_columns] for pool in pools]
    named = bits_of_names([part for part, _ in told]) + sum(explanation.bits for _, explanation in told)
    return named + sum(_of_classes(pool) + sum(each.least_of_strays for each in pool) for pool in counted if pool)


def _of_classes(told: Sequence[Told]) -> float:
    """The entropy of classes, which mean the same in all of some parts; of sizes alone where several have one id, of which nothing is told,
    and where no file may hold two, since one says which."""
    tables = [each.counted for each in told]
    found, at = np.unique(np.concatenate([classes for classes, _ in tables]), return_inverse=True)
    table = np.zeros((len(found), tables[0][1].shape[1]), np.int64)
    np.add.at(table, at, np.concatenate([numbers for _, numbers in tables]))
    shared = {label for each in told for label in each.explanation.columns}
    if shared:
        table[np.isin(found, [*shared]), 0] = 0
        return entropy(table, sum(each.part.num_files for each in told))
    files = sum(each.part.num_files - each.blank for each in told)
    return entropy(table, None if table[:, 0].sum() - table[:, 0].max(initial=0) <= files else files)
