"""Probe: whether the target loss takes the masks, found out in a process that may die."""
