"""The ledger of a GuardedLoss: what its calls saw and the device has yet to report; one for all replicas of a DataParallel."""

from __future__ import annotations

import warnings
from collections import deque
from threading import Lock
from typing import Any, NoReturn

from labelguard.errors import MaskRejectedError
from labelguard.integrations.torch.report import PendingCheck


class Ledger:
    """Counts bad labels, in the order of the calls; calls may come from several threads.

    A copy, by `copy.deepcopy` or `pickle`, has the counts, and nothing of what is still on its way.

    Parameters
    ----------
    num_classes, on_bad
        See `labelguard.integrations.torch.GuardedLoss`.
    """

    def __init__(self, num_classes: int, on_bad: str) -> None:
        self.num_classes, self.on_bad = num_classes, on_bad
        self.bad_pixels = self.bad_masks = self.steps = 0
        self._warned = False
        self._pending: deque[PendingCheck] = deque()
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_pending", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _pending=deque(), _lock=Lock())

    def next_step(self) -> int:
        """The number of the call that begins."""
        with self._lock:
            self.steps += 1
            return self.steps - 1

    def add(self, check: PendingCheck) -> None:
        """Enter what a call saw."""
        with self._lock:
            self._pending.append(check)

    def collect(self, wait: bool) -> None:
        """Read the reports that have arrived, or wait for all of them, the oldest first.

        Raises
        ------
        MaskRejectedError
            When a label was bad and `on_bad` is ``"raise"``; where the device was lost meanwhile, with its error as the cause.
        RuntimeError
            When the device is lost, with a note on what was not reported.
        """
        with self._lock:
            while self._pending:
                try:
                    if not wait and not self._pending[0].arrived:
                        return
                    self._pending[0].wait()
                except RuntimeError as lost:
                    self._tell(lost)
                self._read(self._pending.popleft())

    def _read(self, check: PendingCheck) -> None:
        bad = check.bad()
        self.bad_masks += len(bad)
        self.bad_pixels += sum(mask.pixels for mask in bad)
        if bad and self.on_bad == "raise":
            raise MaskRejectedError(check.findings(self.num_classes), f"The batch of step {check.step}")
        if bad and self.on_bad == "count" and not self._warned:
            self._warned = True
            happens = "Such a batch teaches nothing" if check.ignore_index is None else \
                f"Such labels are replaced by {check.ignore_index}, which the loss skips"
            warnings.warn(f"Step {check.step}: {check.findings(self.num_classes)[0].message} {happens}; from now on they are only counted, "
                          "in bad_pixels and bad_masks.", stacklevel=2)

    def _tell(self, lost: RuntimeError) -> NoReturn:
        """What is known of the calls before a device was lost: bad labels where they were reported in time, else which were not."""
        checks = list(self._pending)
        self._pending.clear()
        for check in checks:
            if check.is_whole:
                try:
                    self._read(check)
                except MaskRejectedError as rejected:
                    raise rejected from lost
        silent = [check.step for check in checks if not check.is_whole]
        lost.add_note(f"GuardedLoss: the device was lost before it reported on the labels of the steps {silent[0]} to {silent[-1]}. "
                      "'labelguard scan' looks at all masks without a device." if silent else
                      "GuardedLoss: the labels of all steps that the device reported on were legal, or replaced before the loss saw them.")
        raise lost
