"""Exceptions as the fields of a step: what it is, what it says, and the line that it comes from."""

import linecache
import os
import traceback

_CAP = 500           # characters of an error's text
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate", "resource_exhausted",
                  "oom when allocating", "allocate memory failed")
_LOST_DEVICE = ("device-side assert", "cuda error", "cudaerror", "illegal memory access", "hip error", "cublas_status", "cudnn_status")


def failure(error):
    """The fields of a step that ended with an exception."""
    text = str(error)
    name = type(error).__name__
    if isinstance(error, MemoryError) or name == "OutOfMemoryError" or any(words in text.lower() for words in _OUT_OF_MEMORY):
        status = "out-of-memory"
    elif isinstance(error, SystemExit):
        status, text = "exit", "the loss ended the process: sys.exit({})".format(error.code)
    elif any(words in text.lower() for words in _LOST_DEVICE):
        status = "assert"
    else:
        status = "exception"
    return {"status": status, "error_type": name, "error": text if len(text) <= _CAP else text[:_CAP] + " ...",
            "source": users_line(traceback.extract_tb(error.__traceback__))}


def users_line(frames):
    """The deepest line that belongs neither to this program nor to a library, as ``file:line: code``."""
    own = os.path.dirname(os.path.abspath(__file__))
    libraries = ("site-packages", "dist-packages", os.path.dirname(os.__file__))
    for frame in reversed(frames):
        path = frame.filename
        if os.path.abspath(path).startswith(own) or path.startswith("<") or any(part in path for part in libraries):
            continue
        return "{}:{}: {}".format(path, frame.lineno, (frame.line or linecache.getline(path, frame.lineno)).strip())
    return ""
