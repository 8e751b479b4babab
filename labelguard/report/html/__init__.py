"""A report as a page for a browser, in one file that needs nothing else; and the small table that a notebook shows.

::

    page        the whole page, and what bounds it    cards, entries      the findings of each check, and what is said of files
    mask_set    a set of masks, or one split          tables              classes, formats, batches and crops
    templating  the templates, and what escapes       gallery, exhibit    which files are shown, and what is seen of one
    budget      what fits into a page                 mended              what becomes of the ids of a file
    notebook    the table in a notebook
"""
