"""What a failure is called, how it is put into words, and what a loss does without failing."""
