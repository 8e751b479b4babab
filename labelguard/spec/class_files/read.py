"""read_classes: the classes that a file of any tool names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from labelguard.errors import SpecError
from labelguard.spec.argument_checks import checked_path
from labelguard.spec.class_files.class_list import ClassList, NotClassesError
from labelguard.spec.class_files.code import read_code
from labelguard.spec.class_files.structure import read_structure
from labelguard.spec.class_files.text import read_csv, read_text
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import reason

_LARGEST = 32 << 20  # bytes; COCO's files of validation sets have 20 MB, those of training sets half a gigabyte
_FORMS = ("one name on each line, labelme's labels.txt, CVAT's labelmap.txt, a CSV with a column 'name', a JSON list, COCO's categories, "
          "id2label, nnU-Net's dataset.json, Ultralytics' data.yaml, or mmsegmentation's METAINFO")


def read_classes(path: str | os.PathLike[str]) -> LabelSpec:
    """Read class names, and their ids and colors where the file has them.

    Parameters
    ----------
    path
        A text with one name on each line, labelme's labels.txt, CVAT's labelmap.txt or labels in JSON, Roboflow's ``_classes.csv`` and
        other tables, a JSON list, COCO's categories, Hugging Face's ``id2label``, nnU-Net's dataset.json, Ultralytics' data.yaml, or a
        Python file with mmsegmentation's ``METAINFO``, which is read and not run.

    Returns
    -------
    LabelSpec
        With as many classes as the highest id says. Ids without a name are called ``unused-ID``, a 0 that alone has none is background.
        Colors are kept where every class has one.

    Raises
    ------
    SpecError
        When the file cannot be read, or a line or key of it is not a class; nothing is taken for a class name that may not be one.
    UsageError
        When `path` is not a path.

    Examples
    --------
    >>> report = labelguard.scan("masks", spec=labelguard.read_classes("labelmap.txt"))  # doctest: +SKIP
    """
    path = os.fspath(checked_path("path", path))
    with naming(path, "classes", f" Known are {_FORMS}."):
        return classes_in(path, text_of(path)).spec()


@contextmanager
def naming(path: str, what: str, known: str = "") -> Iterator[None]:
    """Let what is wrong with a file be said with its name.

    Parameters
    ----------
    path
        The file.
    what
        What it is read as: also the name of the argument.
    known
        Which files can be read as that, said where this one holds something else.

    Raises
    ------
    SpecError
        In place of whatever reading raises.
    """
    try:
        yield
    except (OSError, UnicodeDecodeError, NotClassesError) as problem:
        why = "it is not a text in UTF-8; save it as UTF-8" if isinstance(problem, UnicodeDecodeError) else reason(problem)
        more = known if isinstance(problem, NotClassesError) else ""
        raise SpecError(f"{path} cannot be read as {what}: {why}.{more}", argument=what) from None
    except (RecursionError, MemoryError):
        raise SpecError(f"{path} cannot be read as {what}: it is nested too deeply.", argument=what) from None


def text_of(path: str) -> str:
    """The content of a file of classes."""
    if not os.path.isfile(path) and os.path.exists(path):
        raise NotClassesError("it is not a file")
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise NotClassesError(f"it has more than {_LARGEST >> 20} MiB; keep the part that names the classes in a file of its own")
    return data.decode("utf-8-sig")


def classes_in(path: str, text: str) -> ClassList:
    """What the content of a file says of classes."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".json":
        return read_structure(json_of(text))
    if suffix in (".yaml", ".yml"):
        return read_structure(_yaml(text))
    if suffix == ".py":
        return read_code(text)
    return read_csv(text) if suffix in (".csv", ".tsv") else read_text(text)


def json_of(text: str) -> Any:
    """What a JSON file holds."""
    try:
        return json.loads(text, object_pairs_hook=_mapping)
    except ValueError as problem:
        raise NotClassesError(f"it is not JSON: {problem}") from None


def _mapping(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """What a mapping says; of two values for one key, parsers keep the last, and the ids of the other would be lost unseen."""
    values: dict[Any, Any] = {}
    for key, value in pairs:
        if key in values and values[key] != value:
            raise NotClassesError(f"the key '{key}' stands twice in one mapping, with different values; keep one of them")
        values[key] = value
    return values


def _yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
        """A safe loader that hears of keys that stand twice."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
            _mapping((key.value, value.value) for key, value in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<")
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError) as problem:
        raise NotClassesError("it is not YAML: " + " ".join(str(problem).split())) from None
