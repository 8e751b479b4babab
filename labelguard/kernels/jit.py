"""How kernels are compiled, and what stands in where numba cannot be imported."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

numba: Any
try:
    import numba
except ImportError as problem:  # not installed, or this numpy is newer than numba allows
    numba = None
    warnings.warn(f"numba cannot be imported ({problem}), so labelguard runs its plain numpy kernels: same results, "
                  "many times slower. 'pip install numba' brings the speed back.", RuntimeWarning, stacklevel=1)

COMPILED = numba is not None

F = TypeVar("F", bound=Callable[..., Any])


def inner(function: F) -> F:
    """Compile a part of a kernel: called by compiled code only."""
    return function if numba is None else _compile(function)


def _compile(function: F) -> Any:
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # nowhere to keep the machine code: compile it anew in each process
        return numba.njit(nogil=True)(function)


def twin(definition: Callable[..., Any]) -> Callable[[F], F]:
    """Compile a kernel, or put its plain `definition` in its place where numba is missing.

    Both take the same arguments and give equal results on every input; the tests hold one against the other. Compiled
    kernels release the interpreter lock and are kept on disk between runs.
    """

    def choose(function: F) -> F:
        if numba is None:
            return definition  # type: ignore[return-value]
        return _compile(function)  # type: ignore[no-any-return]

    return choose
