"""The one place where any exception of a decoder becomes a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from labelguard.errors import UnreadableMaskError

# Raised where a field has the wrong kind or size; their texts speak of Python, not of the file.
_NOT_ABOUT_THE_FILE = (TypeError, IndexError, KeyError, AttributeError, AssertionError, OverflowError, ArithmeticError, RecursionError)


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Turn every fault of a decoder into `UnreadableMaskError`.

    Decoders raise nearly everything on damaged input (OSError, SyntaxError, struct.error, IndexError, OverflowError, ...),
    so nothing narrower than Exception holds; KeyboardInterrupt and SystemExit pass.

    Parameters
    ----------
    what
        What is being read, as the sentence begins: ``"the GIF pixels"``.

    Raises
    ------
    UnreadableMaskError
        In place of any other exception.
    """
    try:
        yield
    except UnreadableMaskError:
        raise
    except MemoryError as error:
        raise UnreadableMaskError(f"{what} need more memory than there is") from error
    except _NOT_ABOUT_THE_FILE as error:
        raise UnreadableMaskError(f"{what} cannot be decoded: the header is damaged, or contradicts itself") from error
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise UnreadableMaskError(f"{what} cannot be decoded ({said})") from error


def ends_early(missing: int) -> UnreadableMaskError:
    """The fault of a file that stops `missing` bytes before the end that it announces."""
    return UnreadableMaskError(f"ends {missing:,} byte{'' if missing == 1 else 's'} early")
