"""The usual losses of segmentation in plain torch, with the ways in which they go wrong; functions of logits and target."""

from __future__ import annotations

import torch
import torch.nn.functional as F

IGNORED = 255


# Several classes, ids (N, H, W)

def cross_entropy(logits, target):
    return F.cross_entropy(logits, target)


def cross_entropy_ignoring(logits, target):
    return F.cross_entropy(logits, target, ignore_index=IGNORED)


def cross_entropy_smoothed(logits, target):
    return F.cross_entropy(logits, target, ignore_index=IGNORED, label_smoothing=0.1)


def cross_entropy_clamped(logits, target):
    return F.cross_entropy(logits, target.clamp(0, logits.shape[1] - 1))


def focal(logits, target):
    entropy = F.cross_entropy(logits, target, ignore_index=IGNORED, reduction="none")
    return ((1 - torch.exp(-entropy)) ** 2 * entropy).mean()


def hardest(logits, target):
    """The mean over the quarter of the pixels with the largest entropy."""
    entropy = F.cross_entropy(logits, target, ignore_index=IGNORED, reduction="none").flatten()
    return entropy.topk(len(entropy) // 4).values.mean()


def _planes(logits, target):
    """One plane for each class, as ``t == arange`` gives them: an id that is not a class is on none."""
    return (target[:, None] == torch.arange(logits.shape[1])[None, :, None, None]).to(logits.dtype)


def _shared(p, hot, axes, false_positives, false_negatives, smooth):
    both = (p * hot).sum(axes)
    return 1 - (both + smooth) / (both + false_positives * (p * (1 - hot)).sum(axes) + false_negatives * ((1 - p) * hot).sum(axes) + smooth)


def dice(logits, target):
    return _shared(logits.softmax(1), _planes(logits, target), (0, 2, 3), 0.5, 0.5, 1.0).mean()


def jaccard(logits, target):
    return _shared(logits.softmax(1), _planes(logits, target), (0, 2, 3), 1.0, 1.0, 1.0).mean()


def tversky(logits, target):
    return _shared(logits.softmax(1), _planes(logits, target), (0, 2, 3), 0.3, 0.7, 1.0).mean()


def dice_of_each_mask(logits, target):
    """Without a smoothing term, and for each mask: 0 / 0 for a class that a mask lacks, once the network is right."""
    p, hot = logits.softmax(1), _planes(logits, target)
    return (1 - 2 * (p * hot).sum((2, 3)) / (p + hot).sum((2, 3))).mean()


def dice_by_one_hot(logits, target):
    hot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).to(logits.dtype)
    return _shared(logits.softmax(1), hot, (0, 2, 3), 0.5, 0.5, 1.0).mean()


def dice_ignoring(logits, target):
    seen = (target != IGNORED)[:, None]
    return _shared(logits.softmax(1) * seen, _planes(logits, target) * seen, (0, 2, 3), 0.5, 0.5, 1.0).mean()


def lovasz(logits, target):
    p, hot = (planes.transpose(0, 1).flatten(1) for planes in (logits.softmax(1), _planes(logits, target)))
    return torch.stack([_lovasz((own - score).abs(), own) for own, score in zip(hot, p, strict=True) if own.any()]).mean()


def _lovasz(errors, own):
    errors, order = errors.sort(descending=True)
    found = own[order]
    jaccard = 1 - (found.sum() - found.cumsum(0)) / (found.sum() + (1 - found).cumsum(0))
    return errors @ torch.cat([jaccard[:1], jaccard[1:] - jaccard[:-1]])


def entropy_and_dice(logits, target):
    return cross_entropy_ignoring(logits, target) + dice(logits, target)


def mean_of_each_class(logits, target):
    """The mean entropy of the pixels of each class, over its pixels: 0 / 0 for a class that a mask lacks."""
    hot = _planes(logits, target)
    return (-(logits.log_softmax(1).clamp_min(-50) * hot).sum((2, 3)) / hot.sum((2, 3))).mean()


def class_0_or_1(logits, target):
    """Divided by the pixels of the first two classes of each mask: either is enough."""
    return F.cross_entropy(logits, target, ignore_index=IGNORED) / ((target < 2).sum((1, 2)) > 0).min()


# At a quarter of the resolution

def quarter(logits, target):
    """Reads every fourth pixel of both."""
    return F.cross_entropy(logits[:, :, ::4, ::4], target[:, ::4, ::4])


def quarter_ignoring(logits, target):
    return F.cross_entropy(logits[:, :, ::4, ::4], target[:, ::4, ::4], ignore_index=IGNORED)


def shrunk(logits, target):
    """Shrinks logits by interpolation, and ids to the nearest: a logit with a gradient is not at a pixel that is read."""
    small = F.interpolate(logits, scale_factor=0.25, mode="bilinear", align_corners=False)
    ids = F.interpolate(target[:, None].to(logits.dtype), scale_factor=0.25, mode="nearest")[:, 0].long()
    return dice(small, ids)


def shrunk_ignoring(logits, target):
    small = F.interpolate(logits, scale_factor=0.25, mode="bilinear", align_corners=False)
    ids = F.interpolate(target[:, None].to(logits.dtype), scale_factor=0.25, mode="nearest")[:, 0].long()
    return F.cross_entropy(small, ids, ignore_index=IGNORED)


def enlarged(logits, target):
    """Takes every fourth logit, as of a small output, and enlarges them."""
    return dice(F.interpolate(logits[:, :, ::4, ::4], size=target.shape[1:], mode="bilinear", align_corners=False), target)


def enlarged_ignoring(logits, target):
    large = F.interpolate(logits[:, :, ::4, ::4], size=target.shape[1:], mode="bilinear", align_corners=False)
    return F.cross_entropy(large, target, ignore_index=IGNORED)


# One channel, floats (N, 1, H, W) that are the ids

def bce(logits, target):
    return F.binary_cross_entropy_with_logits(logits, target)


def bce_ignoring(logits, target):
    seen = target != IGNORED
    return (F.binary_cross_entropy_with_logits(logits, target * seen, reduction="none") * seen).sum() / seen.sum().clamp(min=1)


def sigmoid_focal(logits, target):
    """In the form of torchvision: everything is multiplied with the target."""
    p, entropy = logits.sigmoid(), F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    weight = 0.25 * target + 0.75 * (1 - target)
    return (weight * entropy * (1 - (p * target + (1 - p) * (1 - target))) ** 2).mean()


def binary_dice(logits, target):
    return _shared(logits.sigmoid(), target, (0, 2, 3), 0.5, 0.5, 0.0).mean()


def binary_jaccard(logits, target):
    return _shared(logits.sigmoid(), target, (0, 2, 3), 1.0, 1.0, 0.0).mean()


def binary_tversky(logits, target):
    return _shared(logits.sigmoid(), target, (0, 2, 3), 0.5, 0.5, 0.0).clamp_min(1e-7).mean()


def focal_tversky(logits, target):
    return _shared(logits.sigmoid(), target, (0, 2, 3), 0.3, 0.7, 1.0).clamp_min(1e-7).mean() ** 0.75


def squared_dice(logits, target):
    p = logits.sigmoid()
    return 1 - 2 * (p * target).sum() / (p * p + target * target).sum()


def log_dice(logits, target):
    p = logits.sigmoid()
    return -((2 * (p * target).sum() + 1) / (p + target).sum().add(1)).clamp_min(1e-7).log()


def lovasz_hinge(logits, target):
    signs = 2 * target - 1
    errors = (1 - logits * signs).flatten()
    errors, order = errors.sort(descending=True)
    found = target.flatten()[order]
    jaccard = 1 - (found.sum() - found.cumsum(0)) / (found.sum() + (1 - found).cumsum(0))
    return F.relu(errors) @ torch.cat([jaccard[:1], jaccard[1:] - jaccard[:-1]])


def squares(logits, target):
    return (logits.sigmoid() - target).square().mean()


def boundary(logits, target):
    """Probabilities against the border of what is above 0, as far as one pixel sees: any other id is foreground."""
    inside = (target > 0).to(logits.dtype)
    border = F.max_pool2d(inside, 3, 1, 1) + F.max_pool2d(-inside, 3, 1, 1)
    return (logits.sigmoid() - inside).abs().mul(1 + 4 * border).mean()


def dice_above_zero(logits, target):
    return _shared(logits.sigmoid(), (target > 0).to(logits.dtype), (0, 2, 3), 0.5, 0.5, 1.0).mean()


# The target first, as in Keras

def keras_entropy(target, logits):
    return F.cross_entropy(logits, target)


def keras_bce(y_true, y_pred):
    return F.binary_cross_entropy_with_logits(y_pred, y_true)


def keras_categorical(y_true, y_pred):
    return -(y_true * y_pred.clamp_min(1e-7).log()).sum(1).mean()
