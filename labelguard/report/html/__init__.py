"""A report as HTML: the small table that a notebook shows."""
