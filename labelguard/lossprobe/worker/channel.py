"""The messages to and from the supervisor.

They go both ways over two file descriptors of their own, since a loss may print: two sizes (little-endian, 32 bits), a JSON header of the
first size, raw bytes of the second. The first message is `init`. What the worker sends begins with the key that `init` brings, so that
nothing else that comes down the line is taken for a message: `started`, then `handshake` or `fatal`; then each `run` is answered by a
`phase` before each phase, a `step` after each regime, and `done`.

What is needed here is bound before the loss is imported: a loss may replace what is in a module, such as `json.dumps`.
"""

import os
from fcntl import F_DUPFD_CLOEXEC, fcntl
from json import JSONEncoder, loads
from os import _exit, getpid, write
from struct import Struct

_encode = JSONEncoder().encode
_SIZES = Struct("<II")
_OUT_OF_THE_WAY = 700   # descriptors from here on: none that code would close or write to by mistake


class Channel:
    """The line. Everything else that writes to standard output goes to standard error.

    `errors` is a descriptor of standard error that stays when a loss replaces or closes `sys.stderr`.
    """

    def __init__(self):
        self._in, self._out, self.errors = os.fdopen(_moved(0), "rb"), _moved(1), _moved(2)
        self._worker, self._key = getpid(), b""
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)

    def begin(self):
        """The first message; it is answered with the number of this process."""
        init, _ = self.receive()
        self._key = bytes.fromhex(init["key"])
        self.send("started", pid=self._worker)
        return init

    def send(self, op, **header):
        """Send a message without raw bytes."""
        if getpid() != self._worker:
            _exit(0)  # the loss has forked, and this is the copy
        text = _encode(dict(header, op=op)).encode()
        rest = self._key + _SIZES.pack(len(text), 0) + text
        while rest:
            rest = rest[write(self._out, rest):]

    def receive(self):
        """The next message and its raw bytes; None at the end."""
        sizes = self._in.read(_SIZES.size)
        if len(sizes) < _SIZES.size:
            return None
        header, payload = _SIZES.unpack(sizes)
        return loads(self._in.read(header).decode()), self._in.read(payload)


def _moved(descriptor):
    """A copy that no program inherits, out of the way where the system allows as many."""
    try:
        return fcntl(descriptor, F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
    except OSError:
        return os.dup(descriptor)
