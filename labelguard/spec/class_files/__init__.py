"""Class lists as the tools of the field write them: `read_classes` takes any of them; one module for each kind of file."""
