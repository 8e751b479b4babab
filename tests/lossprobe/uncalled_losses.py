"""Losses in numpy that are called in another way than with logits and target, or are not called at all; imported by the worker only."""

from __future__ import annotations

from crashes import cross_entropy


def wants_more(logits, target, num_masks):
    return cross_entropy(logits, target * num_masks)


def builds(weight, gamma):
    return lambda logits, target: cross_entropy(logits, target)


def all_optional(logits=None, target=None):
    return cross_entropy(logits, target)


def all_optional_but_oddly_named(one=None, other=None):
    return cross_entropy(one, other)


class ByName:
    """Takes its inputs by name only."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, *, prediction, ground_truth):
        value, gradient = cross_entropy(prediction, ground_truth)
        return self.scale * value, self.scale * gradient
