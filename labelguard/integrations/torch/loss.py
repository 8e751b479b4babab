"""GuardedLoss: a bad label never reaches the loss, and is reported without waiting for the device."""

from __future__ import annotations

import inspect
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import torch

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.integrations.torch.report import PendingCheck, all_legal, pixel_records, reads_later, where_bad
from labelguard.spec.argument_checks import as_int, choice, whole_number
from labelguard.text import count

OnBad = Literal["raise", "ignore", "count"]


class GuardedLoss(torch.nn.Module):  # type: ignore[misc, unused-ignore]  # without PyTorch at hand, Module is Any
    """A segmentation loss that no label can crash.

    Every call checks the labels on their device. Labels that are neither a class nor ignored are replaced by the ignore id before the loss
    sees them, and reported afterwards. Legal masks reach the loss unchanged: value and gradients stay the same to the bit.

    Parameters
    ----------
    loss
        A module or a function of the logits and the labels.
    num_classes
        Classes have the ids 0 to ``num_classes - 1``.
    ignore_index
        The id that the loss skips. None: what the loss itself says, by an attribute or by the default of an argument of this name, such
        as -100 for ``CrossEntropyLoss()``. A loss with neither skips nothing.
    on_bad
        ``"raise"``: `MaskRejectedError`, which names the samples. ``"count"``: a warning at the first, and from then on `bad_pixels` and
        `bad_masks` count them. ``"ignore"``: the same without the warning.

    Attributes
    ----------
    bad_pixels, bad_masks : int
        How many labels were replaced, and in how many masks, as far as the device has reported; `check` waits for the rest.

    Raises
    ------
    UsageError
        When an argument makes no sense: for example an ignore id other than the loss's own, or ``"count"`` or ``"ignore"`` where the
        loss skips nothing, since replaced labels would then be learned.

    Notes
    -----
    On CUDA nothing waits for the device: each call copies three numbers for each mask to the host on the current stream, and
    `MaskRejectedError` is raised by the first later call that finds them there, usually the next one. Until then the pixels count as
    ignored. `check` waits, and belongs at the end of an epoch. On the CPU there is nothing to wait for, and the call itself raises, before
    the loss runs. So it does on other devices, after waiting for them.

    Where the loss skips nothing, class 0 stands in, and the loss of the batch becomes 0, so that its gradient is 0 as well.

    Labels reach the loss as int64, whatever integer type they have. The module has no parameters and buffers of its own, each process
    of a distributed run counts for itself, and `train` and `eval` change nothing. Under `torch.compile` the loss and the model are
    compiled, and the check of the labels is not. It cannot be captured in a CUDA graph.

    Examples
    --------
    >>> criterion = GuardedLoss(torch.nn.CrossEntropyLoss(ignore_index=255), num_classes=12)      # doctest: +SKIP
    >>> for images, masks, paths in loader:                                                       # doctest: +SKIP
    ...     criterion(model(images), masks, names=paths).backward()
    >>> criterion.check()                                                                         # doctest: +SKIP
    """

    def __init__(self, loss: Callable[..., Any], num_classes: int, ignore_index: int | None = None, on_bad: OnBad = "raise") -> None:
        super().__init__()
        if not callable(loss):
            raise UsageError(f"loss is {loss!r}; it must be a loss, such as torch.nn.CrossEntropyLoss().")
        choice("on_bad", on_bad, get_args(OnBad))
        self.loss = loss
        self.num_classes = whole_number("num_classes", num_classes, least=1)
        self.ignore_index = _skipped_by(loss, None if ignore_index is None else whole_number("ignore_index", ignore_index))
        self.on_bad = on_bad
        self.bad_pixels = 0
        self.bad_masks = 0
        self._step = 0
        self._warned = False
        self._pending: deque[PendingCheck] = deque()
        if self.ignore_index is None and on_bad != "raise":
            raise UsageError(f"on_bad is {on_bad!r}, but no ignore_index is known, so that replaced labels would be learned. Give the id "
                             "that the loss skips, or let bad labels raise.")

    def forward(self, logits: Any, target: torch.Tensor, *args: Any, names: Sequence[object] | torch.Tensor | None = None,
                **kwargs: Any) -> Any:
        """The loss of the logits and the labels.

        Parameters
        ----------
        logits
            The first argument of the loss.
        target
            Labels of shape (N, H, W) or (N, 1, H, W), of any integer type; never modified.
        names
            The names of the samples in the batch, such as paths or indices, one for each; only for messages.
        *args, **kwargs
            Passed on to the loss.

        Raises
        ------
        MaskRejectedError
            When labels of this batch (CPU) or of an earlier one (CUDA) are bad, and `on_bad` is ``"raise"``.
        UsageError
            When the target is not a batch of label masks.
        """
        labels, clean = self._guarded(logits, target, names)
        loss = self.loss(logits, labels, *args, **kwargs)
        if clean is None:
            return loss
        if not isinstance(loss, torch.Tensor):
            raise UsageError(f"The loss returns a {type(loss).__qualname__} and skips no id. Without an ignore_index, only a loss that "
                             "returns a tensor can be guarded on this device.")
        return torch.where(clean, loss, 0)  # nothing is learned from a stand-in

    def check(self) -> None:
        """Wait for what the device has yet to report, at the end of an epoch.

        Raises
        ------
        MaskRejectedError
            When there was a bad label, and `on_bad` is ``"raise"``.
        """
        self._collect(wait=True)

    def extra_repr(self) -> str:
        """The arguments, for `repr`; the loss is a child of its own."""
        loss = "" if isinstance(self.loss, torch.nn.Module) else f"{self.loss!r}, "
        return f"{loss}num_classes={self.num_classes}, ignore_index={self.ignore_index}, on_bad={self.on_bad!r}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pending": deque()}  # a copy does not report what the original has seen

    @torch.compiler.disable  # type: ignore[untyped-decorator, unused-ignore]  # this synchronizes with the host
    def _guarded(self, logits: Any, target: torch.Tensor, names: Any) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Labels that cannot crash the loss; and, where it skips no id, whether none of them was replaced."""
        self._collect(wait=False)
        _check_batch(target, names)
        self._check_channels(logits)
        step, self._step = self._step, self._step + 1
        labels = target.to(torch.int64)
        if not labels.numel():
            return labels, None
        later = reads_later(labels)
        if not later and all_legal(labels, self.num_classes, self.ignore_index):
            return labels, None
        bad = where_bad(labels, self.num_classes, self.ignore_index)
        records = pixel_records(bad, labels)
        self._pending.append(PendingCheck.send(records, step, labels.shape[-1], names))
        if not later:
            self._collect(wait=True)
        stand_in = 0 if self.ignore_index is None else self.ignore_index
        return torch.where(bad, stand_in, labels), (records[:, 0].sum() == 0 if self.ignore_index is None else None)

    def _check_channels(self, logits: Any) -> None:
        """Refuse logits without a channel for every class, which would crash the loss; only torch's own losses are known that well."""
        own = isinstance(self.loss, (torch.nn.CrossEntropyLoss, torch.nn.NLLLoss))
        if own and isinstance(logits, torch.Tensor) and logits.ndim > 1 and logits.shape[1] < self.num_classes:
            raise UsageError(f"num_classes is {self.num_classes}, but the logits have {count(logits.shape[1], 'channel')}.")

    def _collect(self, wait: bool) -> None:
        """Read the reports that have arrived, the oldest first."""
        while self._pending and (wait or self._pending[0].arrived):
            report = self._pending.popleft().read()
            self.bad_masks += len(report.bad)
            self.bad_pixels += sum(mask.pixels for mask in report.bad)
            if report.bad and self.on_bad == "raise":
                raise MaskRejectedError(report.findings(self.num_classes, self.ignore_index), f"The batch of step {report.step}")
            if report.bad and self.on_bad == "count" and not self._warned:
                self._warned = True
                first = report.findings(self.num_classes, self.ignore_index)[0]
                warnings.warn(f"Step {report.step}: {first.message} Such labels are replaced by {self.ignore_index}, which the loss skips; "
                              "from now on they are only counted, in bad_pixels and bad_masks.", stacklevel=2)


def _skipped_by(loss: Callable[..., Any], given: int | None) -> int | None:
    """The id that a loss skips: what it says itself, which must equal what was given; otherwise what was given."""
    try:
        own: Any = loss.ignore_index if hasattr(loss, "ignore_index") else inspect.signature(loss).parameters["ignore_index"].default
    except (KeyError, ValueError, TypeError):  # no such argument, or no signature
        return given
    if own is not None and as_int(own) is None:
        return given
    if given is not None and given != own:
        raise UsageError(f"ignore_index is {given}, but the loss skips {'nothing' if own is None else own}: {given} would crash it. Give "
                         f"the loss ignore_index={given} as well.")
    return None if own is None else int(own)


def _check_batch(target: Any, names: Any) -> None:
    if not isinstance(target, torch.Tensor):
        raise UsageError(f"target is {type(target).__qualname__}; it must be a tensor of labels.")
    if target.is_floating_point() or target.is_complex():
        raise UsageError(f"target is {str(target.dtype).removeprefix('torch.')}; labels are integers.")
    if target.ndim != 3 and not (target.ndim == 4 and target.shape[1] == 1):
        raise UsageError(f"target has the shape {tuple(target.shape)}; it must be (N, H, W) or (N, 1, H, W).")
    if names is not None and len(names) != len(target):
        raise UsageError(f"There are {len(names)} names for {count(len(target), 'mask')}.")
