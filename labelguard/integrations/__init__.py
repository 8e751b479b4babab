"""Doors into other people's loaders; import the one you need, it brings its framework along."""
