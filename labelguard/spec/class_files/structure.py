"""Class lists in JSON and YAML: lists of names, COCO's categories, Hugging Face's id2label, nnU-Net's dataset.json, Ultralytics' data.yaml.

Sources of the formats: COCO's data format (``categories``: id, name; panoptic adds color), Hugging Face's model configuration
(``id2label``; ``id2color``, ``colors`` or ``palette`` beside it gives colors), nnU-Net's documentation on dataset.json (version 1
``{"0": "background"}``, version 2 ``{"background": 0, "ignore": 3}``, regions as lists), Ultralytics' documentation on data.yaml
(``names``, ``nc``), CVAT's label constructor (name, color, attributes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from labelguard.spec.class_files.class_list import ClassList, NotClassesError, color_of, id_of

_KNOWN = "a list of names, or a mapping with 'names', 'id2label', 'labels' or 'categories'"


def read_structure(value: Any) -> ClassList:
    """Classes from what a JSON or YAML file holds.

    Raises
    ------
    NotClassesError
        When it is none of the known forms.
    """
    if isinstance(value, list):
        return _from_list(value)
    if not isinstance(value, dict) or not value:
        raise NotClassesError(f"it holds no classes; known are {_KNOWN}")
    for key, reader in (("categories", _from_list), ("id2label", _from_ids), ("labels", _labels), ("names", _names)):
        if isinstance(value.get(key), (list, dict)) and value[key]:
            found = reader(value[key])
            _agree(value, found)
            return _colored(found, value)
    return _from_ids(value)


def _agree(value: Mapping[str, Any], found: ClassList) -> None:
    stated = value.get("nc")
    if stated is not None and stated != len(found.names):
        raise NotClassesError(f"'nc' is {stated!r}, but there are {len(found.names)} names")


def _colored(found: ClassList, value: Mapping[str, Any]) -> ClassList:
    """The classes with the colors that stand beside them, in the order of the ids or by id; their own come first."""
    beside = next((value[key] for key in ("id2color", "colors", "palette") if value.get(key)), None)
    if not isinstance(beside, (list, dict)) or found.colors:
        return found
    if isinstance(beside, list) and len(beside) != len(found.names):
        raise NotClassesError(f"there are {len(found.names)} names and {len(beside)} colors")
    pairs = beside.items() if isinstance(beside, dict) else zip(sorted(found.names), beside, strict=True)
    return replace(found, colors={id_of(label): color_of(color) for label, color in pairs})


def _from_list(items: Sequence[Any]) -> ClassList:
    """Names in order, or entries with a name each, and an id, a color or both."""
    if isinstance(items, Mapping):
        return _from_ids(items)
    if not all(isinstance(item, dict) for item in items):
        return ClassList.in_order(items)
    for number, item in enumerate(items, 1):
        if not isinstance(item.get("name"), str):
            raise NotClassesError(f"entry {number} has no 'name'")
    names, colors = [item["name"] for item in items], [item["color"] for item in items if item.get("color")]
    if any("id" not in item or "attributes" in item for item in items):  # ids beside attributes are keys of CVAT's database
        return ClassList.in_order(names, colors if len(colors) == len(items) else (), "entry")
    return ClassList.by_id([(item["id"], item["name"]) for item in items],
                           {id_of(item["id"]): color_of(item["color"]) for item in items if item.get("color")})


def _names(names: Any) -> ClassList:
    return _from_list(names) if isinstance(names, list) else _from_ids(names)


def _labels(labels: Any) -> ClassList:
    """nnU-Net's labels, either way round; the label called ignore is no class."""
    if not isinstance(labels, dict):
        return _from_list(labels)
    if any(isinstance(value, list) for value in labels.values()):
        name = next(name for name, value in labels.items() if isinstance(value, list))
        raise NotClassesError(f"'{name}' is a region of several ids; regions overlap and have no ids of their own: list the ids by name")
    found = _from_ids(labels)
    ignored = tuple(label for label, name in found.names.items() if name == "ignore")
    return ClassList({label: name for label, name in found.names.items() if label not in ignored}, ignored=ignored)


def _from_ids(value: Any) -> ClassList:
    """Ids and names, either way round."""
    if not isinstance(value, dict):
        raise NotClassesError(f"{str(value)[:60]!r} stands where ids and names should")
    if all(isinstance(name, str) for name in value.values()) and not all(isinstance(key, str) and not _is_id(key) for key in value):
        return ClassList.by_id(value.items())
    if value and all(isinstance(key, str) and isinstance(label, int) and not isinstance(label, bool) for key, label in value.items()):
        return ClassList.by_id((label, name) for name, label in value.items())
    raise NotClassesError(f"the key '{str(next(iter(value)))[:60]}' says nothing of classes; known are {_KNOWN}")


def _is_id(key: str) -> bool:
    return key.strip().lstrip("-").isdecimal()
