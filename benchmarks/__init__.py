"""Side by side with what a user would run instead; one file a question."""
