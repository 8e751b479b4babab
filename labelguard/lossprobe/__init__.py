"""The probe: the target loss swallows every mask, in a process that may die.

::

    probing      masks and losses, to a report          source, images   where the masks and their images come from
    lossprobe    one loss, batch by batch               batches          the batches that training forms, and the worst ones
    blame        what makes a batch fail                mismatch         whether GPU and CPU leave the same statistics
    runner       batches through a worker               process, stderr  the worker's process, its line, its end
    feed         how a loss wants to be called          worker, adapters the worker itself: stands alone, imports nothing from here
    search       from a failed batch to the pixel       narrow, reduce, suspects, trial, neutral, culprit
    silent       ids that are taken without an error    accepted         as what one id is taken
    telling      findings in words                      verdicts, repro  what a failure is called; the command that repeats it
    stage        the probe as a stage

Needs only the standard library, numpy and Pillow, since it has to run where the loss runs; the supervisor never imports a framework.
"""

from labelguard.lossprobe.probing import ProbeReport as ProbeReport
from labelguard.lossprobe.probing import Probing as Probing
from labelguard.lossprobe.probing import probe as probe
from labelguard.lossprobe.supervisor.settings import ImportPath as ImportPath
from labelguard.lossprobe.supervisor.settings import Settings as Settings
