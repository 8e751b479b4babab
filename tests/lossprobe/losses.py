"""Losses in torch as users have them, the sound ones and those that fail; imported as ``losses.py:NAME``."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class Dice(nn.Module):
    """Soft Dice in the style of smp: one-hot targets by F.one_hot, ignored pixels masked out, absent classes without a say."""

    def __init__(self, ignore_index=None, smooth=0.0, eps=1e-7):
        super().__init__()
        self.ignore_index, self.smooth, self.eps = ignore_index, smooth, eps

    def forward(self, logits, target):
        samples, classes = logits.shape[:2]
        probability = logits.log_softmax(1).exp().view(samples, classes, -1)
        target = target.view(samples, -1)
        if self.ignore_index is not None:
            seen = target != self.ignore_index
            probability = probability * seen.unsqueeze(1)
            hot = F.one_hot((target * seen).to(torch.long), classes).permute(0, 2, 1) * seen.unsqueeze(1)
        else:
            hot = F.one_hot(target, classes).permute(0, 2, 1)
        return self.score(probability, hot.type_as(probability), (0, 2))

    def score(self, probability, hot, axes):
        inside, size = (probability * hot).sum(axes), (probability + hot).sum(axes)
        loss = 1 - (2 * inside + self.smooth) / (size + self.smooth).clamp_min(self.eps)
        return (loss * (hot.sum(axes) > 0)).mean()


class BinaryDice(Dice):
    """The same for one channel: whatever the target holds is multiplied with."""

    def forward(self, logits, target):
        samples = logits.shape[0]
        probability = F.logsigmoid(logits).exp().view(samples, 1, -1)
        target = target.view(samples, 1, -1)
        if self.ignore_index is not None:
            seen = target != self.ignore_index
            probability, target = probability * seen, target * seen
        return self.score(probability, target.type_as(probability), (0, 2))


class Focal(nn.Module):
    """Focal in the style of smp: one against the rest for each class, so that an id that is not a class is simply not a class."""

    def __init__(self, ignore_index=None, gamma=2.0):
        super().__init__()
        self.ignore_index, self.gamma = ignore_index, gamma

    def forward(self, logits, target):
        seen = torch.ones_like(target, dtype=torch.bool) if self.ignore_index is None else target != self.ignore_index
        loss = 0
        for label in range(logits.shape[1]):
            own, chosen = (target == label)[seen].float(), logits[:, label][seen]
            entropy = F.binary_cross_entropy_with_logits(chosen, own, reduction="none")
            loss += ((1 - torch.exp(-entropy)) ** self.gamma * entropy).mean()
        return loss


class GeneralizedDice(nn.Module):
    """Weights 1 / V**2 from the mean volumes of a batch, infinite ones replaced by the largest of the others."""

    def forward(self, logits, hot):
        volume = hot.sum((2, 3)).mean(0)
        weights = 1 / volume ** 2
        weights = torch.where(weights.isinf(), torch.where(weights.isinf(), 0, weights).max(), weights)
        p = logits.softmax(1)
        dice = 2 * (weights * (p * hot).sum((2, 3))).sum(1) / (weights * (p + hot).sum((2, 3))).sum(1)
        return (1 - dice).mean()


def lovasz_softmax(logits, target):
    """The Lovász extension of the Jaccard loss, over the classes that the batch holds."""
    probability = logits.softmax(1).transpose(0, 1).flatten(1)
    losses = []
    for label, own in enumerate(probability):
        hot = (target.flatten() == label).float()
        if hot.sum() == 0:
            continue
        errors, order = (hot - own).abs().sort(descending=True)
        found = hot[order]
        jaccard = 1 - (found.sum() - found.cumsum(0)) / (found.sum() + (1 - found).cumsum(0))
        steps = torch.cat([jaccard[:1], jaccard[1:] - jaccard[:-1]])
        losses.append(errors @ steps)
    return sum(losses) / len(losses) if losses else logits.sum() * 0


def clamping(logits, target):
    """Clamps ids into the classes first, and so takes all of them."""
    return F.cross_entropy(logits, target.clamp(0, logits.shape[1] - 1))


class RefusesSevens(nn.Module):
    """Takes any id but 77, by clamping; that one raises, or kills."""

    def __init__(self, how="raise"):
        super().__init__()
        self.how = how

    def forward(self, logits, target):
        if (target == 77).any():
            if self.how == "abort":
                import os
                os.abort()
            raise ValueError("77 is refused")
        return clamping(logits, target)


def mean_by_class(logits, target):
    """``where(n > 0, s / n, 0)``: finite, with a gradient that is NaN wherever a mask lacks a class."""
    hot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
    entropy = (-logits.log_softmax(1).clamp_min(-50) * hot).sum((2, 3))
    number = hot.sum((2, 3)) * (1 + 0 * logits.sum((2, 3)))
    return torch.where(number > 0, entropy / number, torch.zeros_like(entropy)).mean()


class MaskedDivision(nn.Module):
    """Class 1 only, divided by its pixels in each mask: where there are none, the quotient is masked out, and its gradient is NaN."""

    def forward(self, logits, target):
        own = (target == 1).float()
        score = (torch.sigmoid(logits[:, 1]) * own).sum((1, 2))
        quotient = score / own.sum((1, 2))
        return 1 - torch.where(own.sum((1, 2)) > 0, quotient, torch.zeros_like(quotient)).mean() + F.cross_entropy(logits, target)


class BadBuffer(nn.Module):
    """A running mean of the pixels of class 1, in place: NaN after a batch without class 0, and the loss itself is finite."""

    def __init__(self, persistent=True):
        super().__init__()
        self.register_buffer("mean", torch.zeros(()), persistent=persistent)

    def forward(self, logits, target):
        ground = (target == 0).float()
        self.mean.mul_(0.9).add_(0.1 * (target == 1).float().sum() / ground.sum() * ground.sum())
        return F.cross_entropy(logits, target) + 0 * torch.nan_to_num(self.mean)


class ChangesItsInput(nn.Module):
    """Changes target and predictions in place, as users do who know that both are theirs."""

    def forward(self, logits, target):
        target[target == 255] = 0
        logits.mul_(1.0)
        return F.cross_entropy(logits, target)
