from __future__ import annotations

import pytest

from tests.checks.conftest import Probed, at_99


def test_an_assertion_that_a_kernel_prints_is_a_device_assert(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN_GPU", "1")  # a CPU in the part of a GPU
    finding, = (f for f in probed("loss = reports('old')") if f.code == "LG501")
    assert (finding.path, finding.first, finding.ids) == ("odd.png", (7, 8), (99,)) and "t >= 0 && t < n_classes" in finding.native


def test_the_same_words_on_a_cpu_are_none(probed: Probed) -> None:
    assert "LG501" not in {finding.code for finding in probed("loss = reports('old')")}


def test_the_word_alone_is_none(probed: Probed) -> None:
    source = at_99("print('Assertion: all is well', flush=True)")
    assert "LG501" not in {finding.code for finding in probed(source)}
