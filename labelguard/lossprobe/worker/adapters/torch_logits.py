"""The logits that losses of PyTorch are called with, kept from batch to batch."""

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
