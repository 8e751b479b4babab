"""GuardedLoss: a bad label never reaches the loss, and is reported without waiting for the device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import torch

from labelguard.errors import UsageError
from labelguard.integrations.torch.batch_labels import BatchLabels, pixel_records, reads_later
from labelguard.integrations.torch.ledger import Ledger
from labelguard.integrations.torch.loss_signature import find_arguments, names_of_arguments, skipped_by
from labelguard.integrations.torch.report import PendingCheck
from labelguard.spec.argument_checks import choice, whole_number
from labelguard.stages.interop import exchange
from labelguard.text import count

OnBad = Literal["raise", "ignore", "count"]


class GuardedLoss(torch.nn.Module):  # type: ignore[misc, unused-ignore]  # without PyTorch at hand, Module is Any
    """A segmentation loss that no label can crash.

    Every call checks the labels on their device. Labels that are neither a class nor ignored are replaced by the ignore id before the loss
    sees them, and reported afterwards. Legal masks reach the loss unchanged: value and gradients stay the same to the bit.

    Parameters
    ----------
    loss
        A module or a function whose first two arguments are the logits and the labels.
    num_classes
        Classes have the ids 0 to ``num_classes - 1``.
    ignore_index
        The id that the loss skips. None: what the loss itself says, by an attribute or by the default of an argument of this name, such
        as -100 for ``CrossEntropyLoss()``. A loss with neither is taken to skip nothing; where a loss inside of it skips an id, a warning
        says so.
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

    Where nothing is left to learn from, because the loss skips nothing or every label was replaced by what it skips, the loss of the batch
    becomes 0, and so does its gradient: NaN that arises inside the loss ends there. Parameters that belong to the loss itself are not
    covered.

    Integers reach the loss as int64, floats as they are. The module has no parameters and buffers of its own, each process of a
    distributed run counts for itself, and `train` and `eval` change nothing. Under `torch.compile` the loss and the model are compiled, and
    the check of the labels is not. It cannot be captured in a CUDA graph. Under `torch.nn.DataParallel` all replicas count together; every
    part of a batch is a step of its own.

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
        if isinstance(loss, type):
            raise UsageError(f"loss is the class {loss.__qualname__}; give an instance: {loss.__qualname__}().")
        choice("on_bad", on_bad, get_args(OnBad))
        self.loss = loss
        self.num_classes = whole_number("num_classes", num_classes, least=1)
        self.ignore_index = skipped_by(loss, None if ignore_index is None else whole_number("ignore_index", ignore_index))
        self.on_bad = on_bad
        self._names = names_of_arguments(loss)
        self._ledger = Ledger(self.num_classes, on_bad)  # replicas of a DataParallel are shallow copies, and share it
        if self.ignore_index is None and on_bad != "raise":
            raise UsageError(f"on_bad is {on_bad!r}, but no ignore_index is known, so that replaced labels would be learned. Give the id "
                             "that the loss skips, or let bad labels raise.")

    @property
    def bad_pixels(self) -> int:
        """How many labels were replaced, as far as the device has reported."""
        return self._ledger.bad_pixels

    @property
    def bad_masks(self) -> int:
        """In how many masks."""
        return self._ledger.bad_masks

    def forward(self, *args: Any, names: Sequence[object] | torch.Tensor | None = None, **kwargs: Any) -> Any:
        """The loss of the logits and the labels.

        Parameters
        ----------
        *args, **kwargs
            What the loss takes: the logits, the labels and whatever follows. Logits and labels may also be given by the names that the
            loss has for them, or as ``logits=`` and ``target=``.

            Labels are ids of shape (N, H, W) or (N, 1, H, W), or of volumes, (N, D, H, W) or (N, 1, D, H, W); or a plane for each class,
            with the shape of the logits. They may be integers of any type, or floats with whole values; planes of floats may hold shares
            from 0 to 1. They are never modified.
        names
            The names of the samples in the batch, such as paths or indices, one for each; only for messages.

        Raises
        ------
        MaskRejectedError
            When labels of this batch (CPU) or of an earlier one (CUDA) are bad, and `on_bad` is ``"raise"``.
        UsageError
            When the target is not a batch of labels.
        """
        given, learn = self._guarded(args, kwargs, names)
        loss = self.loss(*(value for place, value in given.items() if isinstance(place, int)),
                         **{place: value for place, value in given.items() if isinstance(place, str)})
        return loss if learn is None else _zero_unless(learn, loss, self.ignore_index is None)

    def check(self) -> None:
        """Wait for what the device has yet to report, at the end of an epoch.

        Raises
        ------
        MaskRejectedError
            When there was a bad label, and `on_bad` is ``"raise"``.
        """
        self._ledger.collect(wait=True)

    def extra_repr(self) -> str:
        """The arguments, for `repr`; the loss is a child of its own."""
        loss = "" if isinstance(self.loss, torch.nn.Module) else f"{self.loss!r}, "
        return f"{loss}num_classes={self.num_classes}, ignore_index={self.ignore_index}, on_bad={self.on_bad!r}"

    @torch.compiler.disable  # type: ignore[untyped-decorator, unused-ignore]  # this synchronizes with the host
    def _guarded(self, args: tuple[Any, ...], kwargs: dict[str, Any], names: Any) -> tuple[dict[int | str, Any], torch.Tensor | None]:
        """What the loss is given, with labels that cannot crash it; and whether they leave something to learn from, None where that is
        certain."""
        self._ledger.collect(wait=False)
        given, (logits, target) = find_arguments(self._names, args, kwargs)
        self._check_logits(given[logits])
        labels = BatchLabels.of(given[target], given[logits], self.num_classes, self.ignore_index)
        if labels.planes and _is_cross_entropy(self.loss):  # which skips ids only
            labels = replace(labels, ignore_index=None)
        if names is not None and len(names) != len(labels.values):
            raise UsageError(
                f"There {'is' if len(names) == 1 else 'are'} {count(len(names), 'name')} for {count(len(labels.values), 'mask')}.")
        step = self._ledger.next_step()
        later = reads_later(labels.values)
        if not labels.values.numel() or (not later and labels.is_legal()):
            return {**given, target: labels.values}, None
        bad = labels.where_bad()
        records = pixel_records(bad, labels.values)
        self._ledger.add(PendingCheck.send(records, labels, step, names))
        if not later:
            self._ledger.collect(wait=True)
        labels = labels.without(bad)
        learn = labels.leaves_something(records)
        return {place: _gated(learn, value) for place, value in {**given, target: labels.values}.items()}, learn

    def _check_logits(self, logits: Any) -> None:
        """Refuse labels in their place, and logits without a channel for every class, where torch's own losses are known to crash."""
        if not isinstance(logits, torch.Tensor):
            return
        if not (logits.is_floating_point() or logits.is_complex()):
            raise UsageError(f"logits is {str(logits.dtype).removeprefix('torch.')}: the logits come first, the labels second. Wrap a loss "
                             "with another order: GuardedLoss(lambda logits, labels: loss(labels, logits), ...).")
        if _is_cross_entropy(self.loss) and logits.ndim > 1 and logits.shape[1] < self.num_classes:
            raise UsageError(f"num_classes is {self.num_classes}, but the logits have {count(logits.shape[1], 'channel')}.")


def _is_cross_entropy(loss: object) -> bool:
    """Whether it is one of the losses that torch has for ids, each of which is known well."""
    functions = (torch.nn.functional.cross_entropy, torch.nn.functional.nll_loss)
    return isinstance(loss, (torch.nn.CrossEntropyLoss, torch.nn.NLLLoss)) or getattr(loss, "func", loss) in functions


def _gated(learn: torch.Tensor, value: Any) -> Any:
    """What a loss is given, with the same values, and a gradient that becomes 0 unless there is to learn, even where it would be NaN.

    To multiply the loss by 0 is not enough: within it, 0 times infinity is NaN again.
    """
    def gate(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.requires_grad:
            return tensor
        view = tensor.view_as(tensor)  # a copy would cost more, and a hook belongs on no tensor of the caller's
        view.register_hook(lambda gradient: torch.where(learn.to(gradient.device), gradient, 0))
        return view

    return _changed(value, gate)


def _zero_unless(learn: torch.Tensor, loss: Any, needed: bool) -> Any:
    """What a loss returns, or zeros.

    Raises
    ------
    UsageError
        Where that is `needed`, and the loss returns no tensor.
    """
    if needed and not isinstance(loss, (torch.Tensor, Mapping, tuple, list)):
        raise UsageError(f"The loss returns a {type(loss).__qualname__} and skips no id. Without an ignore_index, only a loss that "
                         "returns tensors can be guarded on this device.")
    return _changed(loss, lambda tensor: torch.where(learn.to(tensor.device), tensor, 0))


def _changed(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """A tensor changed; in dictionaries, tuples and lists, each that they hold."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, Mapping):
        return exchange(value, {key: _changed(part, change) for key, part in value.items()})
    if isinstance(value, (tuple, list)):
        return exchange(value, {place: _changed(part, change) for place, part in enumerate(value)})
    return value
