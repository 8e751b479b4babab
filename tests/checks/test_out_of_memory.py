from __future__ import annotations

from tests.checks.conftest import Probed, at_99
from tests.drawn import bands


def test_a_batch_that_does_not_fit_is_a_warning_and_no_mask_is_blamed(probed: Probed) -> None:
    source = ("def loss(logits, target):\n    if len(target) > 2: raise MemoryError('Unable to allocate 9 TiB')\n"
              "    return cross_entropy(logits, target)")
    finding, = probed(source, {f"{name}.png": bands(0, 1, 2) for name in "abcd"}, batch_size=4)
    assert (finding.code, finding.severity, str(finding.fix)) == ("LG510", "warning", "Train with --batch-size 2.")


def test_another_error_is_none(probed: Probed) -> None:
    assert {finding.code for finding in probed(at_99("raise RuntimeError('too large')"))} == {"LG503"}
