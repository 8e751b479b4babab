"""The file that a picture is written to: of what exists, only such a picture may be replaced."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from labelguard._version import __version__
from labelguard.errors import IncompleteError, UsageError
from labelguard.files.output_folder import Identity
from labelguard.files.read import read_head
from labelguard.files.whole_file import whole_file, writable_folder
from labelguard.pictures.picture import Picture
from labelguard.text import reason

_SUFFIX = ".png"
_KEYWORD, _START = "labelguard", 37  # of the text chunk that follows the header, and where its type stands


@dataclass(frozen=True)
class PictureFile:
    """Where a picture will be written; `picture_file` makes one, before there is anything to lose.

    Parameters
    ----------
    name
        As the user wrote it.
    place
        The file itself, to which links have been followed once.
    folder
        The identity of its folder: nothing is written once something else has taken its place.
    """

    name: str
    place: str
    folder: Identity

    def write(self, picture: Picture) -> None:
        """Write a picture as a PNG that says of itself what it is.

        Raises
        ------
        IncompleteError
            When it cannot be written, or something else lies there now.
        """
        try:
            with whole_file(self.place, _may_be_replaced, self.folder) as file:
                file.buffer.write(picture.png({_KEYWORD: f"show {__version__}"}))
        except OSError as problem:
            raise IncompleteError(f"The picture cannot be written to '{self.name}': {reason(problem)}.") from None


def picture_file(output: str | os.PathLike[str]) -> PictureFile:
    """Find out where a picture will be written.

    Raises
    ------
    UsageError
        When the name does not end in .png, or something lies there that is no picture of labelguard's.
    IncompleteError
        When there is no such folder, or it cannot be written to.
    """
    name = os.fspath(output)
    place = os.path.realpath(name)
    if os.path.splitext(name)[1].lower() != _SUFFIX or os.path.splitext(place)[1].lower() != _SUFFIX:
        raise UsageError(f"'{name}' does not end in {_SUFFIX}, and the picture is a PNG; choose another name.")
    if not _may_be_replaced(place):
        raise UsageError(f"'{name}' exists, and 'labelguard show' has not written it; remove it or choose another name.")
    return PictureFile(name, place, writable_folder("The picture", name, place))


def _may_be_replaced(place: str) -> bool:
    """Whether nothing is lost if a picture takes this place: nothing lies there, or a picture of ours; never a link."""
    try:
        regular = stat.S_ISREG(os.lstat(place).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return regular and read_head(place)[_START:].startswith(b"tEXt" + _KEYWORD.encode() + b"\0show ")
