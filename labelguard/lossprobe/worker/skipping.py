"""Which argument or attribute of a loss may be the id that it skips, by its name."""

import inspect
import re

_NAME = re.compile(r"(?:^|_)(?:ignored?|skip(?:ped)?|void|unlabell?ed)(?:$|_)|ignoreindex|ignorelabel", re.IGNORECASE)


def skipping(found, loss):
    """What an import path names, and the loss that was made of it, asked for such names.

    ``argument``: of what is called with the arguments; empty where there is none. ``any``: whether it takes arguments that it does not
    name, or does not say which. ``part``, ``attribute`` and ``value``: the loss, or the first part of it, that has such an attribute.
    """
    argument, takes_any = _argument(found)
    part, attribute, value = _attribute(loss)
    return {"argument": argument, "any": takes_any, "part": part, "attribute": attribute, "value": value}


def _argument(found):
    callee = found if inspect.isclass(found) else getattr(found, "forward", found)
    try:
        parameters = list(inspect.signature(callee).parameters.values())
    except (TypeError, ValueError):  # as of functions in C
        return "", True
    named = [one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    fit = [one.name for one in named if _NAME.search(one.name) and not isinstance(one.default, bool)]
    return (fit[0] if fit else ""), any(one.kind is one.VAR_KEYWORD for one in parameters)


def _attribute(loss):
    try:
        parts = list(loss.modules()) if hasattr(loss, "modules") else [loss]
        for part in parts:
            for name, value in getattr(part, "__dict__", {}).items():
                if _NAME.search(name) and isinstance(value, int) and not isinstance(value, bool):
                    return type(part).__name__, name, value
    except Exception:  # whatever a loss makes of being asked
        pass
    return "", "", None
