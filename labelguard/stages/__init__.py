"""Stages check and change masks: the same objects in the command line, in a pipeline file and in a data loader."""

from __future__ import annotations

from labelguard.stages.colors_to_ids import ColorsToIds
from labelguard.stages.reject_empty import RejectEmpty
from labelguard.stages.remap import Remap
from labelguard.stages.resize import Resize
from labelguard.stages.stage import Pipeline, Stage
from labelguard.stages.validate import Validate

__all__ = ["ColorsToIds", "Pipeline", "RejectEmpty", "Remap", "Resize", "Stage", "Validate"]
