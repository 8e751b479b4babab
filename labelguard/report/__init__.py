"""What the commands report, as values that can be printed, written and searched.

::

    base      Report: findings, exit code, and every format      scan, splits   what `labelguard scan` found
    text      parts of the text report                           table          facts by file
    json      parts of the JSON report, and JSON in pieces       html, frame    in a notebook; as a data frame
"""
