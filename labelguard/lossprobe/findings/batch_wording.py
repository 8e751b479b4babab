"""A batch in words: its size, what its masks have in common, how often it comes up, and what about it makes the loss fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelguard.lossprobe.batch_plan import Batch, BatchKind, Extreme, MaskContents
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.search.absence import Absence
from labelguard.lossprobe.search.cause import Cause
from labelguard.lossprobe.supervisor.settings import Settings
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, percent

_CONTENTS = {Extreme.EMPTY: "nothing but background", Extreme.ALL_IGNORED: "nothing but ignored pixels"}


@dataclass(frozen=True)
class BatchWording:
    """Speaks of the batches of one probe.

    Parameters
    ----------
    masks, spec, settings
        What is probed, and how.
    """

    masks: MaskSource
    spec: LabelSpec
    settings: Settings

    def names(self, batch: Batch) -> tuple[str, ...]:
        """The names of its masks."""
        return tuple(mask.name for mask in self._contents(batch))

    def size(self, batch: Batch) -> str:
        """``4 masks of 32 x 48``."""
        height, width = self._contents(batch)[0].shape
        partial = batch.kind == BatchKind.TRAINING and len(batch.members) < self.settings.batch_size
        return f"{'the last batch, ' * partial}{count(len(batch.members), 'mask')} of {height} x {width}"

    def common(self, batch: Batch) -> str:
        """What its masks have in common, as a relative clause; empty where that is nothing remarkable."""
        contents = self._contents(batch)
        extremes = {mask.extreme(self.spec) for mask in contents}
        extreme = extremes.pop()
        if extremes or extreme is None:
            return ""
        held = _CONTENTS.get(extreme) or f"nothing but class {id_ranges(sorted({label for mask in contents for label in mask.ids}))}"
        return f" that hold{'s' * (len(contents) == 1)} {held}"

    def odds(self, batch: Batch) -> tuple[str, ...]:
        """How often a shuffled epoch has such a batch; nothing for a batch of training."""
        if batch.kind == BatchKind.TRAINING:
            return ()
        epochs = (f"about 1 in {1 / batch.chance:,.0f} epochs has" if batch.chance < 0.001 else "every epoch has" if batch.chance >= 1 else
                  f"about {percent(batch.chance, 1)} of all shuffled epochs have")
        return (f"{epochs} a batch of {'this mask alone' if batch.kind == BatchKind.ALONE else 'nothing but such masks'}",)

    def reason(self, batch: Batch, cause: Cause, at_fault: Sequence[str], concerned: int = 0) -> str:
        """Why the batch fails, as the end of a sentence.

        `at_fault` are the names of the masks at fault in the batch, and `concerned` is how many masks of the set lack what they lack.
        """
        whole = len(at_fault) == len(batch.members)
        if cause.absence:
            return self._without(cause.absence, at_fault, concerned)
        if cause.level == "mask-set" and not (whole and self.common(batch)):
            return f"when {listed(at_fault, 3)} come together"
        if cause.level == "batch":
            return f"on {self.size(batch)}; nothing narrower was found"
        if cause.level in ("pixel", "ids", "region"):
            return f"because of pixels of {id_ranges(cause.ids)} in {listed(at_fault, 2)}"
        return f"on {self.size(batch)}{self.common(batch)}" if whole else f"because of {listed(at_fault, 3)}"

    def _without(self, absence: Absence, at_fault: Sequence[str], concerned: int) -> str:
        """``as soon as class 7 or 10 is absent from a mask, as from a.png; 5 of 9 masks lack one of them``."""
        names = listed((self.spec.name_of(label) for label in absence.classes), 8, "and" if absence.together else "or")
        absent = f"classes {names} are all" if absence.together else f"class {names} is"
        if absence.from_batch:
            return f"where {absent} absent from the whole batch"
        if concerned < 2:
            return f"as soon as {absent} absent from {listed(at_fault, 2)}"
        them = "it" if len(absence.classes) == 1 else "them all" if absence.together else "one of them"
        return (f"as soon as {absent} absent from a mask, as from {listed(at_fault, 2)}; {concerned:,} of "
                f"{count(len(self.masks.contents), 'mask')} lack {them}")

    def fix(self, batch: Batch, cause: Cause) -> str:
        """What to do about it; empty where that depends on the loss."""
        if cause.level == "shape" and len(batch.members) == 1:
            return "Drop the last batch (drop_last=True), or choose a batch size that leaves more than one mask for it."
        at_fault = [self.masks.contents[batch.members[index]] for index in cause.masks]
        if cause.level in ("mask", "mask-set") and all(mask.extreme(self.spec) for mask in at_fault):
            return "Leave such masks out of training, or let the loss divide by at least 1."
        if cause.absence:
            return "Let the loss skip classes that the batch does not hold, before it divides."
        return ""

    def _contents(self, batch: Batch) -> list[MaskContents]:
        return [self.masks.contents[member] for member in batch.members]
