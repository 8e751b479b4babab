"""Masks as pictures: arrays and what their ids mean come in, pixels of (H, W, 3) uint8 and files of them go out.

- `class_colors`: the color of each id. `ClassColors(spec).of(255)`.
- `mask_picture`: a mask in these colors, over its image, with some ids outlined.
- `close_up`: the pixels around one place as cells with their ids in them.
- `before_after`: the same mask under the ids before and after a table.
- `legend`: what the colors mean, as rows, or drawn.
- `picture`: what all of them give: `Picture.pixels`, `.alt`, `.png()`, `.smallest()`, `.data_uri()`.
"""
