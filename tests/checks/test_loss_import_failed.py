from __future__ import annotations

from tests.checks.conftest import Probed, at_99


def test_a_loss_that_cannot_be_imported_is_told_with_the_error(probed: Probed) -> None:
    finding, = probed("raise ImportError('no module of that kind')")
    assert finding.code == "LG511" and "no module of that kind" in finding.message


def test_an_import_error_in_a_pass_is_an_exception(probed: Probed) -> None:
    assert {finding.code for finding in probed(at_99("import a_module_that_is_not_there"))} == {"LG503"}
