"""Losses and networks that the CUDA tests name by their path in this file: each hands the ids to another kernel."""

import torch
from torch import nn
from torch.nn import functional


def focal(logits, target):
    """On ``cross_entropy(reduction="none")``."""
    each = functional.cross_entropy(logits, target, reduction="none")
    return ((1 - torch.exp(-each)) ** 2 * each).mean()


def nll(logits, target):
    return functional.nll_loss(functional.log_softmax(logits, 1), target, reduction="none").mean()


def one_hot(logits, target):
    return _dice(logits, functional.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2))


def scatter(logits, target):
    return _dice(logits, torch.zeros_like(logits).scatter_(1, target[:, None], 1))


def gather(logits, target):
    return -functional.log_softmax(logits, 1).gather(1, target[:, None]).mean()


def index(logits, target):
    return _dice(logits, torch.eye(logits.shape[1], device=logits.device)[target].permute(0, 3, 1, 2))


def embedding(logits, target):
    return _dice(logits, functional.embedding(target, torch.eye(logits.shape[1], device=logits.device)).permute(0, 3, 1, 2))


def _dice(logits, truth):
    shares = logits.softmax(1)
    return 1 - (2 * (shares * truth).sum() + 1) / (shares.sum() + truth.sum() + 1)


def dice(logits, target):
    """Under autocast: what is summed in half precision is up to the device."""
    truth = functional.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2)
    shares = logits.softmax(1)
    return 1 - (2 * (shares * truth).sum((2, 3)) / ((shares + truth).sum((2, 3)) + 1e-3)).mean()


def half_dice(logits, target):
    """In the precision of the logits, whatever autocast would rather do."""
    with torch.autocast(logits.device.type, enabled=False):
        truth = functional.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).to(logits.dtype)
        shares = logits.softmax(1)
        both, size = (shares * truth).sum((2, 3)), shares.sum((2, 3)) + truth.sum((2, 3))
        return 1 - ((2 * both + 1e-3) / (size + 1e-3)).mean()


def absent_class_divides(logits, target):
    """A finite loss over a 0 / 0 of the forward pass, whose gradient is not finite."""
    truth = functional.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2)
    counts = truth.sum((2, 3))
    means = (logits.softmax(1) * truth).sum((2, 3)) / counts
    return torch.where(counts > 0, 1 - means, torch.zeros_like(means)).mean()


def root_of_nothing(logits, target):
    """Finite all the way forward; the derivative of a root at 0 is not."""
    truth = functional.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2)
    return (logits * truth * 0).pow(2).sum(1).sqrt().mean() + functional.cross_entropy(logits, target)


class Steady(nn.Module):
    """A network with running statistics."""

    def __init__(self, classes=12):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1),
                                      nn.BatchNorm2d(16), nn.ReLU())
        self.head = nn.Conv2d(16, classes, 1)

    def forward(self, images):
        return self.head(self.features(images))


class Pooled(Steady):
    """Normalizes what it has pooled to one value for each channel, as image-level branches do."""

    def __init__(self, classes=12):
        super().__init__(classes)
        self.image_level = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 16, 1), nn.BatchNorm2d(16))

    def forward(self, images):
        features = self.features(images)
        return self.head(features + self.image_level(features))
