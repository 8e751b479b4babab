"""What thin adapters share: a framework that is given arrays, and gives back a loss and its gradient as arrays.

A thin adapter is a class `Adapter(Arrays)` with `loss_and_gradient`; it takes this file from its own folder. Like worker.py it needs
no more than Python 3.8, numpy and its framework.
"""

import numpy as np
from labelguard_calling import call, loss_in, names_of, no_loss

_MOST_PIXELS = 4     # that are named


class Arrays:
    """The part of a thin adapter that all of them have.

    A subclass describes itself in `description` (`framework`; `device`; `called`, what the loss is called with), sets `CHANNELS_LAST`
    where losses want (N, H, W, C) and `TARGET_FIRST` where the target comes first, and has
    ``loss_and_gradient(logits, target, activation, phase)``: the loss as an array, and the gradient of its sum with respect to the logits
    as one, or None. The phase ``backward`` is its own to announce, once the loss is there.
    """

    CHANNELS_LAST = TARGET_FIRST = False

    def __init__(self, settings):
        if settings["amp"] != "fp32":
            raise NotImplementedError("half precision is probed with torch only")
        self.random = {}
        self.names, self.returned = (None, None), ""  # of the inputs, where it wants them by name; the part that is the loss

    def argument(self, _key, value):
        """A keyword argument of the loss, as the framework wants it."""
        return value

    def use(self, loss, model):
        """Take the loss; thin adapters know no networks."""
        if model is not None:
            raise NotImplementedError("networks are probed with torch only")
        self.loss = loss
        self.names = names_of(loss, self.TARGET_FIRST)

    def called(self, kind, *inputs):
        """What the loss gives for a batch, or the loss in it: a `kind`, or else no framework could go backward from it."""
        returned = call(self.loss, self.names, *inputs)
        if isinstance(returned, kind):
            return returned
        found = loss_in(returned, lambda value: isinstance(value, kind) and np.size(value) == 1)
        if found is None:
            raise no_loss(returned)
        loss, self.returned = found
        return loss

    def step(self, job, phase):
        """Put one job through the loss; the fields of a step."""
        phase("target")
        target = self._arranged(job.target_array())
        phase("logits")
        logits = self._arranged(self._logits(job))
        phase("forward")
        loss, gradient = self.loss_and_gradient(logits, target, job.activation, phase)
        phase("loss")
        result = judge_loss(np.asarray(loss))
        phase("gradient")
        if gradient is not None and self.CHANNELS_LAST:
            gradient = np.moveaxis(gradient, -1, 1)
        judge_gradient(result, gradient, job.probe_pixel)
        result["returned"] = self.returned
        return result

    def explain(self, job, phase):
        """Thin adapters cannot say which operation went wrong."""
        return self.step(job, phase)

    def _arranged(self, planes):
        return np.ascontiguousarray(np.moveaxis(planes, 1, -1)) if self.CHANNELS_LAST and planes.ndim == 4 else planes

    def _logits(self, job):
        count, height, width = job.labels.shape
        shape = (count, job.channels, height, width)
        if job.regime == "random":
            if shape not in self.random:
                self.random = {shape: np.random.RandomState(0).standard_normal(shape).astype(np.float32)}
            return self.random[shape]
        return np.where(job.winners()[:, None] == np.arange(job.channels)[:, None, None], 1000, -1000).astype(np.float32)


def judge_loss(loss):
    """The fields of a step that the loss gives: an array of any shape."""
    if loss.dtype == object or loss.size == 0:
        raise TypeError("the loss gave {}, which no training step can use".format(
            "an empty array of shape {}".format(loss.shape) if loss.size == 0 else type(loss.item()).__name__))
    loss = loss.astype(np.float64)
    finite = bool(np.isfinite(loss).all())
    return {"status": "ok" if finite else "nan-loss", "loss": float(loss.sum())}


def judge_gradient(result, gradient, probe_pixel):
    """Add the fields that the gradient gives, an array (N, channels, H, W)."""
    if gradient is None:
        return
    gradient = gradient.astype(np.float32, copy=False)
    bad = ~np.isfinite(gradient).all(axis=1)
    result["gradient"] = float(np.abs(gradient).max()) if not bad.any() else float("nan")
    if probe_pixel:
        at = gradient[probe_pixel[0], :, probe_pixel[1], probe_pixel[2]].astype(np.float64)
        result["pixel"] = {"largest": float(np.abs(at).max()), "total": float(at.sum()), "lowest": int(at.argmin())}
        result["nearest"] = nearest_with_gradient(gradient.any(axis=1), probe_pixel)
    if bad.any():
        result["bad"], result["bad_pixels"] = [int(i) for i in np.argwhere(bad)[0]], int(bad.sum())
        if result["status"] == "ok":
            result["status"] = "nan-gradient"


def nearest_with_gradient(moved, probe_pixel):
    """A few pixels that moved, (N, H, W), as lists (sample, row, column): the nearest to a pixel first, its own mask before others."""
    places = np.argwhere(moved)
    away = np.abs(places - np.array(probe_pixel)) @ np.array([sum(moved.shape), 1, 1])
    return places[np.argsort(away, kind="stable")[:_MOST_PIXELS]].tolist()
