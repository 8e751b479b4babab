"""How kernels are compiled, and what stands in where numba cannot be imported."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from labelguard.text import reason

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
    """Compile a part of a kernel that neither makes arrays nor gives any back: called by compiled code only.

    It counts no references: whoever calls it holds the arrays. With the counts, which are atomic, each slice of an array costs as much as
    the work on 64 bytes of it, and the kernels take twice as long. It is inlined, for an array is handed over as seven words.
    """
    return function if numba is None else _compile(function, _nrt=False, forceinline=True)


def maker(function: F) -> F:
    """Compile a part of a kernel that makes arrays or gives some back: called by compiled code only."""
    return function if numba is None else _compile(function)


def _compile(function: F, **options: bool) -> Any:
    try:
        compiled = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # the machine code is compiled anew in each process
        _not_kept("neither the package's folder nor the user's cache can be written to")
        return numba.njit(nogil=True, **options)(function)
    if (cache := getattr(compiled, "_cache", None)) is not None:
        cache.save_overload = _forgiving(cache.save_overload)
    return compiled


def _forgiving(save: Callable[..., None]) -> Callable[..., None]:
    """A full disk is no reason for a compiled kernel not to run."""
    def save_or_say(*given: Any) -> None:
        try:
            save(*given)
        except OSError as problem:
            _not_kept(reason(problem))
    return save_or_say


def _not_kept(why: str) -> None:
    global _why_not_kept
    _why_not_kept = _why_not_kept or why


_why_not_kept = ""


def why_not_kept() -> str:
    """Why compiled kernels are not kept on disk for the next process, as a part of a sentence; empty where they are."""
    return _why_not_kept


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
