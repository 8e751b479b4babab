"""Which image belongs to which mask: by name, then by content."""
