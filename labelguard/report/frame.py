"""Rows as a pandas data frame, where pandas is installed: labelguard itself does without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pandas.DataFrame:
    """A data frame of some columns of some rows.

    Raises
    ------
    ImportError
        When pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("A data frame needs pandas, which is not installed: pip install pandas. "
                          "to_dict() gives the same values without it.") from None
    return pandas.DataFrame(list(rows), columns=list(columns))
