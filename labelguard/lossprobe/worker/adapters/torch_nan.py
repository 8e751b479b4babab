"""The operation of PyTorch that first produced a value that is not finite, and the user's line that called it."""

import traceback

import torch
from labelguard_failures import users_line
from torch.utils._python_dispatch import TorchDispatchMode

_WRITTEN_ON_PURPOSE = ("fill", "full", "where", "scalar_tensor", "empty", "zeros", "ones", "copy", "clone", "lift", "detach")


def is_finite(tensor):
    """Whether a tensor with at least one element has neither NaN nor infinity."""
    low, high = torch.aminmax(tensor.detach())  # one pass without a temporary; NaN comes through
    return bool(torch.isfinite(low) & torch.isfinite(high))


class NanTracer(TorchDispatchMode):
    """Remembers the first operation whose inputs were finite and whose output is not.

    Operations that write a given value, such as the -inf of a mask, are not suspected.
    """

    operation = source = ""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        output = func(*args, **(kwargs or {}))
        if not self.operation and not any(word in func.__name__ for word in _WRITTEN_ON_PURPOSE):
            outputs = output if isinstance(output, (tuple, list)) else (output,)
            if not all(map(self._fine, outputs)) and all(map(self._fine, [*args, *(kwargs or {}).values()])):
                self.operation, self.source = str(func), self._line()
        return output

    @staticmethod
    def _fine(value):
        values = value if isinstance(value, (tuple, list)) else (value,)
        return all(is_finite(v) for v in values if isinstance(v, torch.Tensor) and v.is_floating_point() and v.numel())

    @staticmethod
    def _line():
        """The user's line: on the stack while going forward, in the notes of the node while going backward."""
        node = torch._C._current_autograd_node() if hasattr(torch._C, "_current_autograd_node") else None
        frames = []
        for text in (node.metadata.get("traceback_") or []) if node is not None else []:
            lines = [line.strip() for line in text.strip().splitlines()]
            path, number = lines[0].split('"')[1], int(lines[0].split("line ")[1].split(",")[0])
            frames.append(traceback.FrameSummary(path, number, "", line=lines[1] if len(lines) > 1 else ""))
        return users_line(frames) or users_line(traceback.extract_stack())
