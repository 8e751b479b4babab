"""What an import path names becomes a loss or a network."""

import importlib
import importlib.util
import inspect
import os
import sys


def load(path):
    """What an import path names: ``MODULE:NAME`` or ``FILE.py:NAME``."""
    where, _, name = path.rpartition(":")
    if where.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
        module = module_from(where, os.path.splitext(os.path.basename(where))[0])
    else:
        module = importlib.import_module(where)
    for part in name.split("."):
        module = getattr(module, part)
    return module


def module_from(path, name):
    """Import a file under a name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not os.path.exists(path):
        raise ImportError("there is no file '{}'".format(path))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(found, arguments):
    """Build what was imported: a class is called, and so is a function that needs no more than the arguments; otherwise they are kept.

    A function of ``*inputs``, as a decorator may leave it, counts as the loss itself.
    """
    if inspect.isclass(found) or _is_factory(found, arguments):
        return found(**arguments)
    if not callable(found):
        raise TypeError("'{}' cannot be called".format(type(found).__name__))
    return (lambda *inputs: found(*inputs, **arguments)) if arguments else found


def _is_factory(found, arguments):
    """Whether a function can be called with nothing but its arguments."""
    if not inspect.isfunction(found):
        return False
    signature = inspect.signature(found)
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        return False
    try:
        signature.bind(**arguments)
    except TypeError:
        return False
    return True
