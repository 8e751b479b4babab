"""From files to masks and facts, and back; one file a format."""
