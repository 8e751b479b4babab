"""Networks that tests of the probe name by their path in this file."""

from torch import nn


class Steady(nn.Module):
    """A network with running statistics."""

    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Conv2d(8, classes, 1)

    def forward(self, images):
        return self.head(self.features(images))


class Dropping(Steady):
    """Never twice the same: what reaches its statistics is dropped at random."""

    def __init__(self, classes=4):
        super().__init__(classes)
        self.features = nn.Sequential(nn.Dropout2d(0.5), self.features)
