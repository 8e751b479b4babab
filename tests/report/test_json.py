from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.report.json import _LONGEST, chunks

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
                      lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES, st.sampled_from([None, 2]))
def test_the_pieces_are_what_the_standard_library_writes(value: Any, indent: int | None) -> None:
    assert "".join(chunks(value, indent)) == json.dumps(value, indent=indent)


@pytest.mark.parametrize("keys", [_LONGEST, _LONGEST + 1])
def test_a_large_object_is_written_piece_by_piece(keys: int) -> None:
    value = {f"{key}.png": [key] for key in range(keys)}
    pieces = [*chunks(value, 2)]
    assert "".join(pieces) == json.dumps(value, indent=2) and (len(pieces) > keys) == (keys > _LONGEST)


def test_iterables_are_lists() -> None:
    assert "".join(chunks({"a": (n for n in range(3)), "b": (1, 2), "c": iter(())})) == '{"a": [0, 1, 2], "b": [1, 2], "c": []}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        "".join(chunks([value]))
