"""Where a command writes that is told nothing else: a folder beside its source."""

from __future__ import annotations

import os
from pathlib import Path

from labelguard.spec.argument_checks import StrPath


def default_out(source: StrPath, word: str) -> str:
    """The folder beside a source: ``masks`` and ``remapped`` make ``masks-remapped``.

    For a file it lies beside the folder of the file, where the next scan of that folder does not read it: ``project/masks/a.png`` makes
    ``project/a-remapped``.
    """
    path = Path(source)
    path = path if path.name not in ("", "..") else Path(os.path.realpath(path))
    if path.is_dir():
        return str(path.with_name(f"{path.name}-{word}"))
    return os.path.normpath(path.parent.parent / f"{path.stem}-{word}" if path.parent.name not in ("", "..") else
                            path.parent / ".." / f"{path.stem}-{word}")
