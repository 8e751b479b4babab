"""The list of mutations fits the code, and thresholds are found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations import ROOT, Mutation, mutations, thresholds


@pytest.mark.parametrize("mutation", mutations(), ids=lambda mutation: mutation.name)
def test_what_a_mutation_replaces_is_there_once_and_so_are_its_tests(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.old) == 1
    assert mutation.old != mutation.new and all((ROOT / tests).exists() for tests in mutation.tests)


def test_every_number_in_capitals_is_tried_a_little_higher_and_a_little_lower() -> None:
    found = list(thresholds(ROOT / "labelguard" / "facts" / "inference.py"))
    assert {each.new for each in found if "_FEW_FILES" in each.name} == {"_FEW_FILES = 19", "_FEW_FILES = 21"}
    assert all((ROOT / tests).exists() for each in found for tests in each.tests)


@pytest.mark.slow
def test_a_folder_is_taken_file_by_file() -> None:
    files = {each.file for each in thresholds(ROOT / "labelguard" / "checks")}
    assert len(files) > 20 and all(Path(file).parent == Path("labelguard/checks") for file in files)
