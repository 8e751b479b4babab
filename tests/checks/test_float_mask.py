"""LG006: floating-point numbers."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import float_mask as check
from labelguard.finding import Finding, Severity
from tests.checks.scenes import facts_on_disk, mask, on_mask


def said_of(values: list[list[float]], dtype: str = "float32") -> list[Finding]:
    return on_mask(check, facts_on_disk(np.array(values, dtype)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_whole_numbers_of_a_float_type_are_a_note(dtype: str) -> None:
    finding, = said_of([[0, 1], [255, 7]], dtype)
    assert finding.severity is Severity.NOTE
    assert finding.message.startswith(f"Stored as {dtype}, though every value is a whole number")


def test_fractions_are_an_error_with_a_place() -> None:
    finding, = said_of([[0, 1, 1], [1, 0.5, 2.25]])
    assert finding.severity is Severity.ERROR
    assert finding.message == "Stored as float32 with values that are not ids: 2 fractions."
    assert (finding.pixels, finding.first) == (2, (1, 1))
    assert finding.evidence == ("values lie between 0 and 2.25",)
    assert str(finding.fix).startswith("Export this mask again")


def test_values_close_to_whole_numbers_are_a_warning_and_can_be_rounded() -> None:
    finding, = said_of([[0, 1.0001], [6.9999, 2]])
    assert finding.severity is Severity.WARNING
    assert str(finding.fix).startswith("Round the values")
    assert "all lie within 0.001 of a whole number" in finding.evidence


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_an_error(value: float) -> None:
    finding, = said_of([[0, 1], [value, value]])
    assert finding.severity is Severity.ERROR
    assert finding.message.endswith("2 NaN or infinite.")
    assert (finding.pixels, finding.first) == (2, (1, 0))


def test_nan_beside_values_that_could_be_rounded_is_still_an_error() -> None:
    finding, = said_of([[0, 1.0001], [np.nan, 2]])
    assert finding.severity is Severity.ERROR
    assert finding.message.endswith("1 fraction and 1 NaN or infinite.")


def test_colors_of_a_float_type_are_not_called_whole_numbers() -> None:
    image = np.random.default_rng(0).random((4, 4, 3)).astype("float32")
    assert not any("every value is a whole number" in finding.message for finding in on_mask(check, facts_on_disk(image)))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "int64", "bool"])
def test_it_leaves_integers_alone(dtype: str) -> None:
    assert on_mask(check, facts_on_disk(mask("0 1 / 1 0", dtype))) == []
