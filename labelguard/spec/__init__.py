"""What ids mean: the declared LabelSpec, and public label spaces."""
