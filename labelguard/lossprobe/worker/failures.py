"""Exceptions as the fields of a step: what it is, what it says, and the line that it comes from."""

import linecache
import os
import sys
import traceback

_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_FRAMEWORKS = ("torch", "jax", "jaxlib", "tensorflow", "keras", "paddle", "mxnet", "mindspore", "numpy", "python")
_CAP = 500           # characters of an error's text
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate", "resource_exhausted",
                  "oom when allocating", "allocate memory failed")
# What a device says that is lost to the process; and what it may say too while it goes on, such as that a shape is not supported.
_LOST_DEVICE = ("device-side assert", "cudaerrorassert", "hiperrorassert", "illegal memory access", "misaligned address",
                "unspecified launch failure", "illegal instruction was encountered")
_DEVICE_ERROR = ("cuda error", "cudaerror", "cuda_error", "hip error", "hiperror", "cublas_status", "cudnn_status", "miopenstatus")


def failure(error, adapter=None):
    """The fields of a step that ended with an exception; `adapter` is asked about its device."""
    text = _text_of(error)
    name = type(error).__name__
    if _is_out_of_memory(error, text.lower()):
        status = "out-of-memory"
    elif isinstance(error, SystemExit):
        status, text = "exit", "the loss ended the process: sys.exit({})".format(error.code)
    elif _has_lost_device(text.lower(), adapter):
        status = "assert"
    else:
        status = "exception"
    return {"status": status, "error_type": name, "error": text if len(text) <= _CAP else text[:_CAP] + " ...",
            "source": _syntax_line(error) or users_line(traceback.extract_tb(error.__traceback__))}


def _syntax_line(error):
    """The line that cannot be read as Python; no frame has it."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno and not str(error.filename).startswith("<"):
        return "{}:{}: {}".format(error.filename, error.lineno, (error.text or "").strip())
    return ""


def _text_of(error):
    """What an exception says, also where its own `__str__` fails."""
    try:
        return str(error)
    except BaseException as problem:
        return "its text cannot be had, since __str__ raises {}".format(type(problem).__name__)


def _is_out_of_memory(error, text):
    """Whether an allocation failed: by the kind of the error, or by the words of one that only its text tells apart."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    frameworks = isinstance(error, (RuntimeError, OSError, SystemError)) or type(error).__module__ != "builtins"
    return frameworks and any(words in text for words in _OUT_OF_MEMORY)


def _has_lost_device(text, adapter):
    """Whether an error has cost the device; words alone show nothing where there is none, or where it still answers."""
    if adapter is None or adapter.description.get("device", "cpu") == "cpu":
        return False
    return any(words in text for words in _LOST_DEVICE) or (
        any(words in text for words in _DEVICE_ERROR) and hasattr(adapter, "is_lost") and adapter.is_lost())


def users_line(frames):
    """The deepest line of the user's, as ``file:line: code``; where there is none, that of a library, named after it.

    The framework's own lines are nobody's to change, and are left out, as are those of this program.
    """
    found = ""
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("labelguard_")]
    own = {os.path.dirname(os.path.abspath(path)) for path in (__file__, *(getattr(module, "__file__", None) or "" for module in ours))}
    for frame in reversed(frames):
        path = os.path.abspath(frame.filename)
        library = _library(path)
        if os.path.dirname(path) in own or frame.filename.startswith("<") or library in _FRAMEWORKS:
            continue
        line = "{}:{}: {}".format(frame.filename, frame.lineno, (frame.line or linecache.getline(frame.filename, frame.lineno)).strip())
        if not library:
            return line
        found = found or "{} (in {})".format(line, library)
    return found


def _library(path):
    """The installed package that a file belongs to; empty for a file of the user's."""
    for folder in ("site-packages", "dist-packages"):
        _, found, rest = path.rpartition("/{}/".format(folder))
        if found:
            return rest.partition("/")[0].partition(".")[0]
    return "python" if path.startswith(_STANDARD) else ""
