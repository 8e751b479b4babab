"""What the batches and random crops of training will hold, from the facts alone.

Masks are drawn at random, each once an epoch, and what is computed is exact for that: a share of all the batches that can be formed, an
expected number for an epoch. With crops, each mask gives one at a random position, all positions being equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelguard.facts.crops import CropFacts, Size
from labelguard.facts.dataset import DatasetFacts, once
from labelguard.facts.odds import Epoch, share_of_such, shares_of_mixed
from labelguard.spec.labelspec import LabelSpec

EPOCHS = 100  # a run of ordinary length: what it will hardly ever meet is not worth a finding


@dataclass(frozen=True, slots=True)
class Odds:
    """How often a batch is of one kind.

    Parameters
    ----------
    share
        Of the full batches.
    last
        The chance that the last, smaller batch of an epoch is; 0 where there is none.
    per_epoch
        The expected number of such batches in an epoch, the last one included.
    """

    share: float
    last: float
    per_epoch: float


@dataclass(frozen=True, slots=True)
class ClassOdds:
    """How often a class is absent from a batch: its id, the number of masks that hold it, and the odds."""

    label: int
    files: int
    absent: Odds


@dataclass(frozen=True, slots=True)
class Batches:
    """What the batches of an epoch hold.

    Parameters
    ----------
    epoch
        How many batches there are, of how many masks.
    blind
        Batches without a valid pixel.
    empty
        Batches without foreground, blind ones included; None where no id is the background.
    classes
        One for each declared class; None where the class count is not declared.
    """

    epoch: Epoch
    blind: Odds
    empty: Odds | None
    classes: tuple[ClassOdds, ...] | None


@dataclass(frozen=True, slots=True)
class Crops:
    """What random crops hold.

    Parameters
    ----------
    size
        (H, W), as asked for.
    blind, empty
        For each mask the share of its crops without a valid pixel, and without foreground; the latter empty where no id is the background.
    smaller
        The masks that are smaller than the crop.
    """

    size: Size
    blind: dict[str, float]
    empty: dict[str, float]
    smaller: tuple[str, ...]

    @property
    def blind_share(self) -> float:
        """The share of all crops, each mask giving as many, without a valid pixel."""
        return sum(self.blind.values()) / len(self.blind)

    @property
    def empty_share(self) -> float | None:
        """Likewise without foreground; None where no id is the background."""
        return sum(self.empty.values()) / len(self.empty) if self.empty else None


def crops_of(data: DatasetFacts) -> Crops | None:
    """What random crops of the masks hold; None where nobody asked, or no mask could be looked at."""
    taken = data.training.crops
    crops = {path: taken[path] for path in data.files() if path in taken}
    if data.training.crop is None or not crops:
        return None
    return Crops(data.training.crop,
                 {path: crop.blind / crop.windows for path, crop in crops.items()},
                 {path: crop.empty / crop.windows for path, crop in crops.items() if crop.empty is not None},
                 tuple(path for path, crop in crops.items() if crop.smaller))


@once
def batches_of(data: DatasetFacts, spec: LabelSpec) -> Batches | None:
    """What the batches of an epoch hold; None where nobody asked, or no mask has ids that can be relied on.

    Masks of different sizes are taken to share batches, since training makes them equal first.
    """
    training = data.training
    crops = [training.crops[path] for path in data.files() if path in training.crops]
    masks = data.num_exact if training.crop is None else len(crops)
    if training.batch_size is None or not masks:
        return None
    epoch = Epoch(masks, training.batch_size)
    labels = [label for label in range(spec.last + 1) if spec.is_class(label)] if spec.declared else []
    if training.crop is None:
        odds = [_odds(epoch, *(share_of_such(such, size, masks) for size in (epoch.size, epoch.last)))
                for such in (*_masks_without(data, spec), *(masks - data.files_with.get(label, 0) for label in labels))]
    else:
        chances = np.array([_chances(crop, labels) for crop in crops])
        shares = shares_of_mixed(chances, epoch.size)
        odds = [_odds(epoch, float(full), float(last)) for full, last in zip(shares[epoch.size], shares[epoch.last], strict=True)]
    blind, empty, *absent = odds
    classes = tuple(ClassOdds(label, data.files_with.get(label, 0), such) for label, such in zip(labels, absent, strict=True))
    return Batches(epoch, blind, None if spec.background_id is None else empty, classes if spec.declared else None)


def _masks_without(data: DatasetFacts, spec: LabelSpec) -> tuple[int, int]:
    """How many masks hold no valid pixel, and how many no foreground."""
    ignored = frozenset(spec.ignore_index)
    nothing = ignored | {spec.background_id}
    return data.count_of(ignored.issuperset), data.count_of(nothing.issuperset)


def _chances(crop: CropFacts, labels: list[int]) -> list[float]:
    """The chances that a crop of one mask holds no valid pixel, no foreground, and none of each class."""
    counts = [crop.blind, crop.empty or 0, *(crop.without.get(label, crop.windows) for label in labels)]
    return [count / crop.windows for count in counts]


def _odds(epoch: Epoch, full: float, last: float) -> Odds:
    if not epoch.last:
        return Odds(full, 0.0, epoch.full * full)
    return Odds(full, last, epoch.full * full + last)


def how_often(per_epoch: float) -> str:
    """``3.2 times an epoch``, ``once in 97 epochs``."""
    if 0.95 <= per_epoch < 1.05:
        return "once an epoch"
    if per_epoch > 1:
        return f"{per_epoch:.2g} times an epoch" if per_epoch < 100 else f"{per_epoch:,.0f} times an epoch"
    return f"once in {1 / per_epoch:,.2g} epochs" if per_epoch > 0.1 else f"once in {1 / per_epoch:,.0f} epochs"
