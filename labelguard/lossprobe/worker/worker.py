"""The process that may die: it puts batches through the user's loss and says what is under way before each step.

It stands alone: run as a script by any interpreter from Python 3.8 on, it needs the standard library, numpy and one framework, and imports
nothing of labelguard. What differs between frameworks is in the file that `adapter` in the first message names; CONTRIBUTING.md says what
that file has to do.

Messages go both ways over two file descriptors of their own, since a loss may print: two sizes (little-endian, 32 bits), a JSON header of
the first size, raw bytes of the second. The first message is `init`, answered by `handshake` or `fatal`; then each `run` is answered by
a `phase` before each phase, a `step` after each regime, and `done`.
"""

import faulthandler
import importlib
import importlib.util
import inspect
import json
import linecache
import os
import signal
import struct
import sys
import threading
import time
import traceback

import numpy as np

_SIZES = struct.Struct("<II")
_CAP = 500           # characters of an error's text
_BEYOND_RECOVERY = 17
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate", "resource_exhausted",
                  "oom when allocating", "allocate memory failed")
# What a device says that is lost to the process; and what it may say too while it goes on, such as that a shape is not supported.
_LOST_DEVICE = ("device-side assert", "cudaerrorassert", "hiperrorassert", "illegal memory access", "misaligned address",
                "unspecified launch failure", "illegal instruction was encountered")
_DEVICE_ERROR = ("cuda error", "cudaerror", "cuda_error", "hip error", "hiperror", "cublas_status", "cudnn_status", "miopenstatus")


class Siblings:
    """Lets adapters import the files of their folder: ``labelguard_arrays`` is ``arrays.py``."""

    PREFIX = "labelguard_"

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, _path=None, _target=None):
        """The spec of such a file; None for any other module."""
        if not name.startswith(self.PREFIX):
            return None
        file = os.path.join(self._folder, name[len(self.PREFIX):] + ".py")
        return importlib.util.spec_from_file_location(name, file) if os.path.exists(file) else None


class Channel:
    """The messages to and from the supervisor. Everything else that writes to standard output goes to standard error."""

    def __init__(self):
        self._in, self._out = os.fdopen(os.dup(0), "rb"), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)

    def send(self, op, **header):
        """Send a message without raw bytes."""
        text = json.dumps(dict(header, op=op)).encode()
        rest = _SIZES.pack(len(text), 0) + text
        while rest:
            rest = rest[os.write(self._out, rest):]

    def receive(self):
        """The next message and its raw bytes; None at the end."""
        sizes = self._in.read(_SIZES.size)
        if len(sizes) < _SIZES.size:
            return None
        header, payload = _SIZES.unpack(sizes)
        return json.loads(self._in.read(header).decode()), self._in.read(payload)


class Job:
    """One requested pass.

    Attributes: `labels` (N, H, W) int64; `images` (N, H, W, channels) or None; `regime`; `target` and `activation`, how the loss is
    called; `probe_pixel`, a pixel as (sample, row, column) or None; `classes`; `channels` of the logits; `statistics`, whether those of the
    network are wanted; `plain`, whether every pixel's own channel is its id.
    """

    def __init__(self, header, payload):
        masks = np.frombuffer(payload, header["dtype"], int(np.prod(header["shape"])))
        self.labels = masks.reshape(header["shape"]).astype(np.int64)
        self.images = None
        if header.get("image_shape"):
            self.images = np.frombuffer(payload, np.uint8, offset=masks.nbytes).reshape(header["image_shape"])
        self.regime, self.classes = "", header["classes"]
        self.target, self.activation = header["target"], header["activation"]
        self.channels = {"binary": 1, "foreground": self.classes - 1}.get(self.target, self.classes)
        self.probe_pixel = header.get("probe_pixel")
        self.statistics = header.get("statistics", False)
        self.plain = self.target in ("index", "index1", "onehot") and self.labels.size > 0 and bool(
            self.labels.min() >= 0 and self.labels.max() < self.classes)

    def target_array(self):
        """The target as a numpy array: ids int64, or planes float32, none of which an id belongs to that is not a class."""
        first = 1 if self.target == "foreground" else 0
        if self.target in ("index", "index1"):  # a copy, since a loss may write into its target
            return (self.labels if self.target == "index" else self.labels[:, None]).copy()
        if self.target == "binary":
            return self.labels[:, None].astype(np.float32)
        return (self.labels[:, None] == np.arange(first, self.classes)[:, None, None]).astype(np.float32)

    def winners(self):
        """The channel that wins at each pixel in the certain regimes, (N, H, W); -1 where none does.

        At a pixel whose id is not a class, channel 0 wins.
        """
        wrong = self.regime == "wrong"
        if self.target == "binary":
            return np.where((self.labels > 0) ^ wrong, 0, -1)
        classes = np.where((self.labels >= 0) & (self.labels < self.classes), self.labels, 0)
        if wrong:
            classes = (classes + 1) % self.classes
        return classes - 1 if self.target == "foreground" else classes


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


def failure(error, adapter=None):
    """The fields of a step that ended with an exception; `adapter` is asked about its device."""
    text = str(error)
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
            "source": users_line(traceback.extract_tb(error.__traceback__))}


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
    """The deepest line that belongs neither to this program nor to a library, as ``file:line: code``."""
    own = os.path.dirname(os.path.abspath(__file__))
    libraries = ("site-packages", "dist-packages", os.path.dirname(os.__file__))
    for frame in reversed(frames):
        path = frame.filename
        if os.path.abspath(path).startswith(own) or path.startswith("<") or any(part in path for part in libraries):
            continue
        return "{}:{}: {}".format(path, frame.lineno, (frame.line or linecache.getline(path, frame.lineno)).strip())
    return ""


class Worker:
    """Answers messages until there are none."""

    def __init__(self, channel):
        self.channel = channel

    def start(self, init):
        """Import framework, loss and network; whether that succeeded."""
        sys.path[:0] = init["sys_path"]
        faulthandler.dump_traceback_later(init["limit"] * 0.9)
        doing = "framework"
        try:
            sys.meta_path.append(Siblings(os.path.dirname(init["adapter"])))
            self.adapter = module_from(init["adapter"], "labelguard_adapter").Adapter(init)
            parts = []
            for doing in ("loss", "model"):
                wanted = init.get(doing)
                arguments = {key: self.adapter.argument(key, value) for key, value in (wanted or {}).get("arguments", {}).items()}
                parts.append(build(load(wanted["path"]), arguments) if wanted else None)
            self.adapter.use(*parts)
        except BaseException as error:
            self.channel.send("fatal", what=doing, **failure(error))
            return False
        faulthandler.cancel_dump_traceback_later()
        self.channel.send("handshake", pid=os.getpid(), python=".".join(map(str, sys.version_info[:3])), numpy=np.__version__,
                          **self.adapter.description)
        return True

    def run(self, header, payload):
        """Answer one `run`."""
        job = Job(header, payload)
        for regime in header["regimes"]:
            job.regime = regime
            faulthandler.dump_traceback_later(header["limit"] * 0.9)
            began, under_way = time.perf_counter(), [""]

            def phase(name, regime=regime, under_way=under_way):
                under_way[0] = name
                self.channel.send("phase", regime=regime, phase=name)

            try:
                result = (self.adapter.explain if header.get("explain") else self.adapter.step)(job, phase)
            except BaseException as error:
                result = failure(error, self.adapter)
            faulthandler.cancel_dump_traceback_later()
            self.channel.send("step", regime=regime, phase=under_way[0], seconds=time.perf_counter() - began, **result)
            if result["status"] == "assert":
                os._exit(_BEYOND_RECOVERY)  # the device is lost to this process, and destructors would hang or abort
            if result["status"] != "ok":
                break
        self.channel.send("done")


def end_with_parent(parent):
    """Leave as soon as the supervisor is gone, whatever is under way, and end the processes that the loss has started."""
    while os.getppid() == parent:
        time.sleep(1)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def main():
    """Work until the supervisor closes the pipe."""
    del sys.path[0]  # this file's folder, whose names are not the user's
    channel = Channel()
    faulthandler.enable()
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    worker = Worker(channel)
    header, _ = channel.receive()
    if not worker.start(header):
        return
    while True:
        message = channel.receive()
        if message is None:
            return
        worker.run(*message)


if __name__ == "__main__":
    main()
