"""What an import path names becomes a loss or a network."""

import difflib
import functools
import importlib
import importlib.util
import inspect
import os
import sys

from labelguard_calling import free_parameters, looks_like_a_loss


def load(path):
    """What an import path names: ``MODULE:NAME`` or ``FILE.py:NAME``."""
    where, _, name = path.rpartition(":")
    if where.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
        module = module_from(where, os.path.splitext(os.path.basename(where))[0])
    else:
        module = importlib.import_module(where)
    for part in name.split("."):
        module = _part(module, part)
    return module


def _part(whole, name):
    """An attribute; the error for one that is missing ends with the one whose name is most like it."""
    try:
        return getattr(whole, name)
    except AttributeError as error:
        near = difflib.get_close_matches(name, [str(other) for other in dir(whole)], 1)
        if not near:
            raise
        raise AttributeError("{}; it has '{}'".format(error, near[0])) from None


def module_from(path, name):
    """Import a file under a name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not os.path.exists(path):
        raise ImportError("there is no file '{}'".format(path))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(found, arguments):
    """Build what was imported: a class is called, and so is a function that gives a loss and needs no more than the arguments.

    A function of ``*inputs``, as a decorator may leave it, counts as the loss itself.
    """
    if inspect.isclass(found):
        return found(**arguments)
    if not callable(found):
        raise TypeError("'{}' cannot be called".format(type(found).__name__))
    if _may_be_a_factory(found, arguments):
        several = len(free_parameters(found, arguments)) > 1  # it may still be a loss, all of whose inputs may be left out
        try:
            made = found(**arguments)
        except (TypeError, AttributeError):  # as of None
            if not several:
                raise
            made = None
        if callable(made):
            return made
        if not several:
            raise TypeError("'{}' can be called without logits and target, so it was called to get the loss, and gave {!r}, which cannot "
                            "be called".format(found.__name__, made))
    return functools.partial(found, **arguments) if arguments else found


def _may_be_a_factory(found, arguments):
    """Whether a function can be called with nothing but its arguments, and does not look like a loss."""
    if not inspect.isfunction(found) or looks_like_a_loss(free_parameters(found, arguments)):
        return False
    signature = inspect.signature(found)
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        return False
    try:
        signature.bind(**arguments)
    except TypeError:
        return False
    return True
