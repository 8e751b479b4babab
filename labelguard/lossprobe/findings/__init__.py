"""What a failure is called and how it is told."""
