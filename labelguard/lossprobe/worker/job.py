"""One requested pass: the masks, as arrays, and what the logits are to say."""

import numpy as np


class Job:
    """One requested pass.

    Attributes: `labels` (N, H, W) int64; `images` (N, H, W, channels) or None; `regime`; `target`, `activation`, `outputs` and
    `target_first`, how the loss is called; `probe_pixel`, a pixel as (sample, row, column) or None; `classes`; `channels` of the logits;
    `statistics`, whether those of the network are wanted; `plain`, whether every pixel's own channel is its id.
    """

    def __init__(self, header, payload):
        masks = np.frombuffer(payload, header["dtype"], int(np.prod(header["shape"])))
        self.labels = masks.reshape(header["shape"]).astype(np.int64)
        self.images = None
        if header.get("image_shape"):
            self.images = np.frombuffer(payload, np.uint8, offset=masks.nbytes).reshape(header["image_shape"])
        self.regime, self.classes = "", header["classes"]
        self.target, self.activation, self.outputs = header["target"], header["activation"], header.get("outputs", "tensor")
        self.target_first = header.get("target_first", False)
        self.channels = {"binary": 1, "foreground": self.classes - 1}.get(self.target, self.classes)
        self.probe_pixel = header.get("probe_pixel")
        self.statistics = header.get("statistics", False)
        self.plain = self.target in ("index", "index1", "onehot") and self.labels.size > 0 and bool(
            self.labels.min() >= 0 and self.labels.max() < self.classes)

    def target_array(self):
        """The target as a numpy array: ids int64, or planes float32, none of which an id belongs to that is not a class."""
        first = 1 if self.target == "foreground" else 0
        if self.target in ("index", "index1"):  # a copy, since a loss may write into its target
            return (self.labels if self.target == "index" else self.labels[:, None]).copy()
        if self.target == "binary":
            return self.labels[:, None].astype(np.float32)
        return (self.labels[:, None] == np.arange(first, self.classes)[:, None, None]).astype(np.float32)

    def winners(self):
        """The channel that wins at each pixel in the certain regimes, (N, H, W); -1 where none does.

        At a pixel whose id is not a class, channel 0 wins.
        """
        wrong = self.regime == "wrong"
        if self.target == "binary":
            return np.where((self.labels > 0) ^ wrong, 0, -1)
        classes = np.where((self.labels >= 0) & (self.labels < self.classes), self.labels, 0)
        if wrong:
            classes = (classes + 1) % self.classes
        return classes - 1 if self.target == "foreground" else classes
