"""The probe: the target loss swallows every mask, in a process that may die.

::

    probing      masks and losses, to a report          source           where the masks come from
    lossprobe    one loss, batch by batch               batches          the batches that training forms, and the worst ones
    runner       batches through a worker               process, stderr  the worker's process, its line, its end
    feed         how a loss wants to be called          worker, adapters the worker itself: stands alone, imports nothing from here
    search       from a failed batch to the pixel       narrow, reduce, suspects, trial, neutral, culprit
    silent       ids that are taken without an error    accepted         as what one id is taken
    mismatch     a network's statistics, GPU and CPU    images       the images that belong to the masks
    telling      findings in words                      verdicts         what a failure is called

Needs only the standard library, numpy and Pillow, since it has to run where the loss runs; the supervisor never imports a framework.
"""

from labelguard.probe.probing import ProbeReport as ProbeReport
from labelguard.probe.probing import Probing as Probing
from labelguard.probe.probing import probe as probe
from labelguard.probe.settings import Callee as Callee
from labelguard.probe.settings import Settings as Settings
