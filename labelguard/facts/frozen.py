"""FrozenDict and FrozenArray: a dict and an array that cannot be changed, for facts that many read."""

from __future__ import annotations

from array import array
from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A dict that refuses to be changed; it is as fast to read as any dict, and picklable, which `types.MappingProxyType` is not."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("these facts are frozen; make a dict of them to change it")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


class FrozenArray(array):  # type: ignore[type-arg]
    """An array of numbers that refuses to be changed; it takes as little memory as any `array.array`."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("these facts are frozen; make a list of them to change it")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = byteswap = extend = frombytes = fromfile = fromlist = fromunicode = insert = pop = remove = reverse = _refuse

    def __reduce_ex__(self, _protocol: Any) -> tuple[Any, ...]:
        return FrozenArray, (self.typecode, self.tobytes())
