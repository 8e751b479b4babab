"""What may have happened to the ids of a set: one file a family of explanations, and the place that weighs them all on one scale."""
