"""One file a check. To add one, drop a file in here, with its test and its page: nothing lists them.

A check declares a `rule` and decorates one function, or several: `@rule.on_mask` sees the facts of each mask, `@rule.on_dataset`
those of the whole set, `@rule.on_splits` those of each split. All see facts only, never pixels, and yield what `rule.finding(...)` makes.
"""
