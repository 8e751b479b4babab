"""Seeds: files of a set that may have a fate of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import priors
from labelguard.explanations.columns import Told
from labelguard.explanations.counting import without_gaps
from labelguard.explanations.explanation import Case
from labelguard.explanations.groups import FileGroup, Grouping
from labelguard.explanations.log_sums import log_sums
from labelguard.explanations.part import Part
from labelguard.explanations.sightings import NUM_AREAS, NUM_FRAMES, NUM_SIZES
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.spec.labelspec import LabelSpec

_MOST_ODD = 8     # ids whose files are tried
_MOST_GROUPS = 6  # that are tried
_MOST_AROUND = 2  # that hold all of some files


def seeds(told: Told, spec: LabelSpec) -> Iterator[Part]:
    """The groups that differ most from the rest, the files that hold an odd id or any id that is not explained, and those inside out."""
    part, seen = told.part, told.part.seen
    illegal = Case(part, spec).illegal
    odd = sorted((label for label in part.ids if label not in told.explanation.table or label in illegal),
                 key=lambda label: int(part.counts[seen.ids.index(label)]))
    unknown = [label for label in odd if label not in told.explanation.table]
    candidates = [group.chosen for _, group in differing(part)[:_MOST_GROUPS]]
    inner = [label for label in odd if label not in TOPS]  # void may be in any file
    candidates += [seen.holding(labels) for labels in (odd, illegal, inner, unknown, *([label] for label in odd[:_MOST_ODD]))]
    candidates += [seen.holding((label,)) for label in (0, *spec.ignore_index) if spec.declared]  # a shift takes them away
    candidates += _around(seen.holding(illegal) & part.chosen, part) if illegal else []
    candidates += without_gaps(seen)[:_MOST_GROUPS]
    candidates += [seen.edge == column for column in sorted({*seen.edge.tolist()} - {-1})]
    tried = {part.chosen.tobytes(), np.zeros_like(part.chosen).tobytes()}
    for chosen in candidates:
        inside = chosen & part.chosen
        if inside.tobytes() not in tried:
            tried.add(inside.tobytes())
            yield Part(seen, inside)


def _around(rows: NDArray[np.bool_], part: Part) -> list[NDArray[np.bool_]]:
    """The smallest groups that some rows lie in: what concerns these may well concern their neighbors that show nothing."""
    found = [group.chosen for group in part.seen.groups if not (rows & ~group.chosen).any() and (part.chosen & ~group.chosen).any()]
    return sorted(found, key=lambda chosen: int(part.seen.files[chosen].sum()))[:_MOST_AROUND]


def differing(part: Part) -> list[tuple[float, FileGroup]]:
    """The groups of whose files it takes fewer bits to tell the ids and their sizes apart from the others than with them; how many
    fewer, the most first. Each column is told by itself (Krichevsky and Trofimov 1981)."""
    found: list[tuple[float, FileGroup]] = []
    seen = part.seen
    sizes = seen.sizes
    inside = part.chosen[sizes.rows]
    rows, keys, number = sizes.rows[inside], sizes.keys[inside], sizes.files[inside]
    for grouping in seen.groupings:
        size = len(grouping.names), len(seen.ids)
        found_in = np.bincount(grouping.places[rows] * (size[1] * NUM_SIZES) + keys, number, size[0] * size[1] * NUM_SIZES).astype(np.int64)
        by_size = found_in.reshape(*size, NUM_AREAS, NUM_FRAMES)
        there = _held(part, grouping) if seen.merged else by_size.sum((2, 3))
        counts = np.concatenate([there[:, :, None], by_size.sum(3), by_size.sum(2)], 2)  # (groups, ids, 1 + sizes)
        files = np.bincount(grouping.places[part.chosen], seen.files[part.chosen], size[0]).astype(np.int64)
        found += [(gain, group) for gain, group in zip(apart(counts, files).tolist(), grouping.groups, strict=True) if gain > 0]
    return sorted(found, key=lambda each: -each[0])


def _held(part: Part, grouping: Grouping) -> NDArray[np.int64]:
    """(G, I) how many files of each group hold each id."""
    seen, size = part.seen, (len(grouping.names), len(part.seen.ids))
    held = np.flatnonzero(part.chosen[seen.rows])
    entry = grouping.places[seen.rows[held]] * size[1] + seen.columns[held]
    return np.bincount(entry, seen.files[seen.rows[held]], size[0] * size[1]).astype(np.int64).reshape(size)


def apart(counts: NDArray[np.int64], files: NDArray[np.int64]) -> NDArray[np.float64]:
    """(G,) how many fewer bits it takes to tell the files of each group apart from the others.

    Parameters
    ----------
    counts
        (G, I, 1 + NUM_AREAS + NUM_FRAMES) how many files of each group hold each id, and in how many it has a size of each order.
    files
        (G,) how many files each group has; together they are all.
    """
    every, total = counts.sum(0, keepdims=True), files.sum(keepdims=True)
    return _bits(every, total) - _bits(counts, files) - _bits(every - counts, total - files)


def _bits(counts: NDArray[np.int64], files: NDArray[np.int64]) -> NDArray[np.float64]:
    """(G,) the bits of all columns of each group."""
    there, areas, frames = counts[:, :, 0], counts[:, :, 1:NUM_AREAS + 1], counts[:, :, NUM_AREAS + 1:]
    half, one, two = log_sums((1 / 2, 1.0, NUM_AREAS / 2), int(max(files.max(), areas.sum(2).max(initial=0))))
    presence = one[files[:, None]] - half[there] - half[files[:, None] - there]
    sizes = sum(two[each.sum(2)] - half[each].sum(2) for each in (areas, frames))
    found: NDArray[np.float64] = (presence + priors.SIZES * sizes).sum(1)
    return found
