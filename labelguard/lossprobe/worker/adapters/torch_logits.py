"""The logits that losses of PyTorch are called with, kept from batch to batch; and the forms in which losses want them."""

import contextlib

import torch


class Logits:
    """Makes logits for jobs.

    Parameters
    ----------
    device, dtype
        Where they are needed, and in which precision.
    """

    def __init__(self, device, dtype):
        self.device, self.dtype = device, dtype
        self.random, self.certain, self.following = {}, {}, None

    @contextlib.contextmanager
    def of(self, job):
        """Logits (N, channels, H, W) of the job's regime, kept from batch to batch: making them costs more than most losses."""
        count, height, width = job.labels.shape
        shape = (count, job.channels, height, width)
        if job.regime == "random":
            if shape not in self.random:
                generator = torch.Generator().manual_seed(0)
                self.random = {shape: torch.randn(shape, generator=generator).to(self.device, self.dtype).requires_grad_()}
            logits = self.random[shape]
            version = logits._version
            try:
                yield logits
            finally:
                if logits._version != version:  # the loss has written into them behind the back of autograd
                    self.random = {}
            return
        if shape not in self.certain:
            self.certain = {shape: torch.full(shape, -1000.0, device=self.device, dtype=self.dtype).requires_grad_()}
        logits = self.certain[shape]
        winners, sign = self._winners(job)
        with torch.no_grad():
            logits.scatter_(1, winners, sign)
        version = logits._version
        try:
            yield logits
        finally:
            if logits._version != version:
                self.certain = {}
            with contextlib.suppress(RuntimeError), torch.no_grad():
                logits.fill_(-1000.0)

    def _winners(self, job):
        """The channel that wins at each pixel, (N, 1, H, W), and what its logit becomes there: -1000 where none wins."""
        if not job.plain:
            winners = torch.from_numpy(job.winners()).to(self.device)[:, None]
            return winners.clamp(min=0), torch.where(winners < 0, -1000.0, 1000.0).to(self.dtype)
        winners = torch.from_numpy(job.labels).to(self.device)[:, None]
        if job.regime == "wrong":
            if self.following is None or self.following.shape != winners.shape:
                self.following = torch.empty_like(winners)  # kept: fresh memory costs more than the sum
            winners = torch.add(winners, 1, out=self.following)
            winners.masked_fill_(winners == job.classes, 0)
        return winners, torch.tensor(1000.0, device=self.device, dtype=self.dtype).expand(winners.shape)  # faster than a bare number


class NamedOutputs(dict):
    """What networks of torchvision return, whose entries can be had as attributes too."""

    def __getattr__(self, name):
        if name in ("out", "logits"):
            return self["out"]
        raise AttributeError(name)


_ACTIVATIONS = {"none": lambda logits: logits, "sigmoid": torch.sigmoid, "softmax": lambda logits: torch.softmax(logits, 1),
                "log-softmax": lambda logits: torch.log_softmax(logits, 1)}
_OUTPUTS = {"list": lambda planes: [planes, planes], "dict": lambda planes: NamedOutputs(out=planes, aux=planes),
            "quarter": lambda planes: torch.nn.functional.avg_pool2d(planes, 4, ceil_mode=True)}


def predictions(logits, job):
    """What the job's loss is called with."""
    planes = _ACTIVATIONS[job.activation](logits)
    if job.outputs == "pixels":
        return as_pixels(planes, job.target)
    return _OUTPUTS[job.outputs](planes) if job.outputs in _OUTPUTS else planes


def as_pixels(planes, target):
    """Masks and logits pixel by pixel: ids (N * H * W), planes (N * H * W, C), and for one channel (N, H * W)."""
    if target == "binary":
        return planes.flatten(1)
    return planes.flatten() if planes.ndim == 3 else planes.movedim(1, -1).flatten(0, 2)
