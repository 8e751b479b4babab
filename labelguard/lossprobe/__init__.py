"""The probe: every mask goes through the target loss, forward and backward, in a process that may die.

::

    probing        masks and losses, to a report              one_loss         one loss, batch by batch
    report         what was found: ProbeReport                loss_summary     what was done for one loss
    mask_source    masks in files or in memory                network_images   the images that go with them
    batch_plan     training batches, and the worst ones       stage            the probe as a stage
    supervisor/    settings; how a loss is called (input_format); batches through a worker (runner); its process
    search/        why a batch fails: candidates, ddmin, shrink, with an oracle; localize decides what to search
    findings/      what a failure means: loss_finding, wording, the finding_writer; ids accepted in silence
    worker/        the process itself: stands alone under Python 3.8, with one adapter for each framework

It has to run where the loss runs, so it needs only the standard library, numpy, Pillow and click, and never imports a framework itself.
"""

from labelguard.lossprobe.probing import Probing as Probing
from labelguard.lossprobe.probing import probe as probe
from labelguard.lossprobe.report import ProbeReport as ProbeReport
from labelguard.lossprobe.supervisor.settings import ImportPath as ImportPath
from labelguard.lossprobe.supervisor.settings import Settings as Settings
