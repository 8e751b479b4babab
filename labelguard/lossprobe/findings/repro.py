"""The command that puts a batch through the loss again."""

from __future__ import annotations

import os
from collections.abc import Sequence

from labelguard.files.image_folder import ImageFolder
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import path_argument, shell_command

_MOST_FILES = 64       # in a command
_SAME_NAME = ("framework", "amp", "device", "target", "activation", "python", "timeout")  # of the option and the setting


def repro(names: Sequence[str], masks: MaskSource, spec: LabelSpec, run: LossRunner, images: NetworkImages | None) -> str:
    """A ``labelguard probe`` command for one batch.

    Parameters
    ----------
    names
        The masks of the batch.
    masks, spec, run, images
        As they were probed.

    Returns
    -------
    str
        The command; empty where the masks are not files, or too many for a command.
    """
    paths = [path for path, name in masks.files if name in set(names)]
    if not paths or len(paths) > _MOST_FILES or not all(paths):
        return ""
    options = [*_import_path("loss", run.loss), "--num-classes", str(spec.last + 1)]
    for label in spec.ignore_index:
        options += ["--ignore-index", str(label)]
    options += ["--batch-size", str(len(names)), "--in-order"]
    for option in _SAME_NAME:
        value = getattr(run.settings, option)
        options += [f"--{option}", str(value)] * (value != getattr(Settings(), option))
    if run.settings.max_memory is not None:
        options += ["--max-memory", f"{run.settings.max_memory / 1e9:g}"]
    if run.model is not None and images is not None:
        options += [*_import_path("model", run.model), "--images", path_argument(_folder_of(images.folder, names))]
    return shell_command(["labelguard", "probe", *map(path_argument, paths), *options])


def _folder_of(images: ImageFolder, names: Sequence[str]) -> str:
    """The folder of the images of some masks where they share one: masks that do would not pair with names from further up."""
    folders = {os.path.dirname(images.of_mask[name][0]) for name in names}
    return folders.pop() or "." if len(folders) == 1 else images.root


def _import_path(option: str, wanted: ImportPath) -> list[str]:
    """The arguments that name something to import."""
    words = [f"--{option}", wanted.path]
    for key, value in wanted.arguments.items():
        words += [f"--{option}-arg", f"{key}={value!r}"]
    return words
