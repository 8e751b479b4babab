"""What the commands report, as values that can be printed, written and searched.

::

    base      Report: findings, exit code, and every format      scan, splits   what `labelguard scan` found
    text      parts of the text report                           rewrite        what a remap, resize or pipeline did
    json      parts of the JSON report, and JSON in pieces       changes        parts of that: where each id went
    table     facts by file                                      html, frame    in a notebook; as a data frame
    gate      what is accepted, or known to a baseline           gated          reports whose findings went through it
    written   by the end of its name, what writes a report      report_file    where it may lie
    sarif, junit, tables, parquet, github                        one file a format for others
    saved     a JSON report, read back                           difference     what came and went between two
    progress  how far work has come                             exit_codes     what the process ends with
"""
