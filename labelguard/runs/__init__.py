"""Work over a folder of masks. Each command is a plan that is made first, and work that tells its progress and gives a report.

::

    options, plan             what is scanned, and how            write_plan             what is rewritten, where to, and how
    scan, compare_splits      one set; several                    rewrite, rewrite_mask  a set through a stage; the work on one file
    examine_mask, _image      the work on one file                remap, resize, run     the three commands that rewrite
    pool, results             workers, and what they hand back    init                   a labelguard.toml, written down
"""
