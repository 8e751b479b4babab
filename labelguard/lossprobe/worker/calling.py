"""How a loss takes its inputs, by its signature; and the loss in what it returns."""

import inspect

_INPUTS = ("input", "inputs", "logit", "logits", "pred", "preds", "prediction", "predictions", "output", "outputs", "score", "scores",
           "y_pred", "y_hat", "x")
_TARGETS = ("target", "targets", "label", "labels", "mask", "masks", "gt", "gts", "ground_truth", "truth", "y_true", "y")
_TOTALS = ("loss", "total_loss", "loss_total", "total")


def free_parameters(function, arguments=()):
    """The parameters that can be given by name, or in their place, apart from `arguments`; none where there is no signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) and one.name not in arguments]


def looks_like_a_loss(parameters):
    """Whether there is one for the predictions, and one for the target."""
    names = [one.name.lower() for one in parameters]
    return not set(names).isdisjoint(_INPUTS) and not set(names).isdisjoint(_TARGETS)


def names_of(loss, target_first=False):
    """The names of the two inputs where the loss takes them by name only; None for one that it takes in its place."""
    parameters = free_parameters(getattr(loss, "forward", loss))
    in_place = [one for one in parameters if one.kind is not one.KEYWORD_ONLY]
    by_name = {one.name.lower(): one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    roles = (_TARGETS, _INPUTS) if target_first else (_INPUTS, _TARGETS)
    found = [next((by_name[name] for name in role if name in by_name), None) for role in roles]
    if len(in_place) >= 2 or not by_name:
        return None, None
    if len(in_place) == 1:
        taken = in_place[0].name.lower()
        return (found[0], None) if taken in roles[1] and found[0] else (None, found[1])
    return tuple(found)


def call(loss, names, first, second):
    """The loss of two inputs, by their names where there are any."""
    inputs = ((names[0], first), (names[1], second))
    return loss(*[value for name, value in inputs if name is None], **{name: value for name, value in inputs if name is not None})


def parameters_of(loss):
    """The parameters that a call of the loss has to give: name, and whether it is taken by name only."""
    return [(one.name, one.kind is one.KEYWORD_ONLY) for one in free_parameters(getattr(loss, "forward", loss)) if one.default is one.empty]


def loss_in(returned, is_loss):
    """The loss in what a loss returned, and which part that is, in words; None where there is none.

    Of a dictionary that is its ``loss``, otherwise, as in torchvision's detectors, the sum of its losses. Of a tuple or a list it is the
    only loss, or the first where that is the sum of the others, or else the sum. `is_loss` tells a number that one can go backward from.
    """
    attribute = getattr(returned, "loss", None)
    if isinstance(returned, dict):
        total = next((key for key in _TOTALS if is_loss(returned.get(key))), None)
        if total is not None:
            return returned[total], "its '{}'".format(total)
        parts = {str(key): value for key, value in returned.items() if is_loss(value)}
    elif isinstance(returned, (tuple, list)):
        parts = {"number {}".format(i + 1): value for i, value in enumerate(returned) if is_loss(value)}
        first, *rest = map(_number, parts.values()) if parts else (0.0,)
        if rest and abs(first - sum(rest)) <= 1e-5 * abs(first):
            return next(iter(parts.values())), "the first, which is the sum of the others"
    else:
        return (attribute, "its .loss") if is_loss(attribute) else None
    if not parts:
        return None
    return sum(parts.values()), ("the sum of " if len(parts) > 1 else "its ") + " and ".join(parts)


def _number(value):
    return float(value.detach() if hasattr(value, "detach") else value)


def no_loss(returned):
    """The error for what no training step can go backward from."""
    if callable(returned) and not hasattr(returned, "shape"):
        name = getattr(returned, "__name__", type(returned).__name__)
        return TypeError("the loss gave {}, which is a loss itself, and no tensor".format(name))
    if isinstance(returned, (dict, tuple, list)):
        return TypeError("the loss gave a {} without a number to take a gradient of".format(type(returned).__name__))
    return TypeError("the loss gave {}, no tensor to take a gradient of".format(
        repr(returned) if returned is None or isinstance(returned, (int, float)) else "a " + type(returned).__name__))
