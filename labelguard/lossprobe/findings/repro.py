"""The command that puts a batch through the loss again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from labelguard.spec.labelspec import LabelSpec

_MOST = 64       # files in a command
_SAME_NAME = ("framework", "amp", "device", "target", "activation", "python", "timeout")


def repro(names: Sequence[str], masks: MaskSource, spec: LabelSpec, settings: Settings, loss: ImportPath, model: ImportPath | None,
          images: NetworkImages | None) -> str:
    """A ``labelguard probe`` of one batch.

    Parameters
    ----------
    names
        The masks of the batch.
    masks, spec, settings, loss, model, images
        As they were probed.

    Returns
    -------
    The command; empty where the masks are no files, or too many for one.
    """
    paths = [path for path, name in masks.files if name in set(names)]
    if not paths or len(paths) > _MOST or not all(paths):
        return ""
    options = [*_import_path("loss", loss), f"--num-classes {spec.last + 1}", *(f"--ignore-index {label}" for label in spec.ignore_index),
               f"--batch-size {len(names)}", "--in-order"]
    for option in _SAME_NAME:
        value = getattr(settings, option)
        options += [f"--{option} {shlex.quote(str(value))}"] * (value != getattr(Settings(), option))
    if settings.max_memory is not None:
        options.append(f"--max-memory {settings.max_memory / 1e9:g}")
    if model is not None and images is not None:
        options += [*_import_path("model", model), f"--images {shlex.quote(images.folder)}"]
    return " ".join(["labelguard probe", *map(shlex.quote, paths), *options])


def _import_path(option: str, import_path: ImportPath) -> list[str]:
    """The options that name something to import."""
    arguments = (shlex.quote(f"{key}={value!r}") for key, value in import_path.arguments.items())
    return [f"--{option} {shlex.quote(import_path.path)}", *(f"--{option}-arg {argument}" for argument in arguments)]
