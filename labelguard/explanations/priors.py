"""Priors: how many bits it takes to name each explanation before anything is seen, in one table, each with the reason for its number.

One bit more is half as likely. None of them is counted; they are orders of magnitude, set by judgement: how often the cause comes up in
the reports that this project began with, and how many like it there are to choose from. Some were moved until drawn sets and a few real
ones came out right, so those sets do not confirm them. How much a verdict changes when they are moved has not been measured.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple


class Prior(NamedTuple):
    """Bits, and why so many."""

    bits: float
    why: str


FAULT = 4.0                 # one set in 16 has some fault of its ids, and one in 16 of those another one besides
NEXT_PART = 2.0             # for each further part of a set with a fate of its own
UNKNOWN_ID = 8.0               # an id that nothing explains, besides the bits of its type that say which
UNUSED = 8.0                # for a class that no file holds for reasons of its own: one class in 256
BORDER_ONLY = 3.0           # for an id of a class or an object that lies along borders and fills no area: a pole, one in eight
NOTHING_TO_LEARN = 6.0      # for a set in which no file holds a second class
SIZES = 0.5                 # of the bits of sizes: the area and the frame of an id say half the same, and so do files of one scene
IN_STEPS = 7.0              # for classes that each come only with those before them: organs along a body, grades of one thing
ALIKE = 7.0                 # for classes of which none is larger than another
NO_VOID = 1.0               # a declared void label that no file holds: 255 is what frameworks ignore unless they are told otherwise

PRIORS = {
    "as declared": Prior(0.5, "what most sets are"),
    "other scenes": Prior(1, "folders and sizes mostly stand for sources, and these differ"),
    "binary 255": Prior(2, "the export that most drawing tools offer for two classes"),
    "binary 65535": Prior(4, "the same in 16 bits, which fewer tools write"),
    "binary middle": Prior(7, "127, 128 and 254 instead of 255: halved, or shifted"),
    "binary other": Prior(12, "4 bits, and 8 that name the value"),
    "binary beside others": Prior(6, "more where other files have another number, and nobody says that there are two classes"),
    "binary miscounted": Prior(4, "more where more than two classes are declared: a number that belongs to other masks"),
    "binary inverted": Prior(9, "0 for the object; most viewers show it on black"),
    "void 255": Prior(4, "the void label of Pascal VOC, Cityscapes and most tools; people forget to declare it"),
    "void 65535": Prior(5, "the same in 16 bits"),
    "void negative": Prior(4, "-1, or torch's -100, in signed files"),
    "void 254": Prior(14, "no convention known; a shifted 255 is likelier"),
    "void other": Prior(12, "4 bits, and 8 that name the value"),
    "void for background": Prior(9, "the same where it holds the background too, which is ignored on purpose"),
    "void besides": Prior(3, "more for a second void label where one is declared"),
    "void undeclared": Prior(6, "more for a void label that nobody declared, besides another fault"),
    "void unsaid": Prior(2, "the same where nothing at all is declared"),
    "void went along": Prior(1.5, "more where a shift up took the void label along, beyond the top of the type"),
    "void stays": Prior(1.5, "more where a shift spared the void label"),
    "last stays": Prior(4, "more where a shift spared the highest id, a void label that nobody declared"),
    "shift down": Prior(5, "`label -= 1` on unsigned integers: reduce_zero_label, classes counted from 1"),
    "shift down further": Prior(2.5, "more for each further step; nearly all shifts are by one"),
    "shift up": Prior(5, "classes counted from 1, as in many exports"),
    "shift up further": Prior(3, "more for each further step"),
    "void first": Prior(8, "0 for what is not labeled and classes from 1: ADE20K, labelme with __ignore__"),
    "minus one": Prior(6, "-1 written over the background, which torch and sklearn use for 'no class'"),
    "more classes": Prior(7, "the background is not counted in the declared number; mostly that number is right"),
    "more classes further": Prior(4, "more for each doubling of their number: a declaration is rarely far from the truth"),
    "more classes named": Prior(4, "more where the classes have names: a number is miscounted, a list is seldom one short"),
    "more classes without 0": Prior(3, "more where 0 is never seen: a background that was not counted is there"),
    "sentinel known": Prior(6, "-100, torch's default ignore_index, cut to the type"),
    "sentinel nodata": Prior(7, "-9999, the usual nodata value of rasters"),
    "sentinel other": Prior(8, "other negative numbers that people use for nothing"),
    "zero reduced": Prior(4.5, "reduce_zero_label=True copied from the settings for ADE20K, or a -1 that wrapped into the void label"),
    "reduced twice": Prior(8, "once in a script and once in a loader"),
    "filled": Prior(10, "a loop that moves one id after the other in the array that it reads, or files of which nothing is labeled"),
    "clipped": Prior(9, "np.clip or a minimum with a class count that is too low"),
    "repeated": Prior(8, "a script that converts in place, run a second time"),
    "reversed": Prior(14, "the order of the classes turned around"),
    "factor": Prior(7, "ids multiplied so that a viewer shows them"),
    "factor too large": Prior(4, "more where the last declared classes would have left the type: nobody saw them spread"),
    "factor clipped": Prior(9, "the same with a factor that leaves the type, and saturating arithmetic, as in OpenCV"),
    "factor overflow": Prior(10, "the same with a factor that leaves the type"),
    "factor 255": Prior(8, "`label * 255`, written for two classes; in 8 bits it is -label"),
    "levels": Prior(7, "ids spread evenly over the type by a viewer or a normalization"),
    "levels too close": Prior(6, "more for so many classes that their levels cannot be told apart by eye"),
    "levels on a line": Prior(16, "more where they are spread from some place in some steps: 8 bits each for the two"),
    "inverted": Prior(9, "255 - id, by a negative or by WhiteIsZero read wrongly"),
    "in order": Prior(8, "codes without regularity, in the order of the classes"),
    "codes in part": Prior(8, "more where only some files are said to have codes: a file with one id that is no class has a slip, mostly"),
    "one code": Prior(10, "a level, a multiple or a color, where all classes but one are absent: any number is one of these"),
    "chosen codes": Prior(4, "ids with gaps on purpose, where nothing is declared; besides, which ones"),
    "chosen steps": Prior(12, "the same in steps of one size, as land cover codes are; most multiples of a number were multiplied"),
    "smoothed": Prior(6, "a resize that interpolates, or a JPEG on the way"),
    "numbered": Prior(6, "masks of objects in place of masks of classes"),
    "numbered without 0": Prior(6, "more where 0 is never seen: objects mostly stand on a background"),
    "numbered by class": Prior(3, "more where the first numbers are of another kind than the last, as where one class is counted first"),
    "afresh": Prior(5, "a list of names for each file, as labelme's script for single files makes it"),
    "stretched": Prior(8, "a viewer's or matplotlib's scaling of each file by itself"),
    "palette Pillow": Prior(7.5, "convert('L') on a palette or color file"),
    "palette OpenCV": Prior(9.5, "imread in grey mode, or cvtColor"),
    "palette exchanged": Prior(10.5, "OpenCV's BGR taken for RGB before that"),
    "palette for others": Prior(7, "more where a public palette colors another number of classes"),
    "palette continued": Prior(2, "the same where it goes on by a rule, as that of Pascal VOC does, and is used for any classes"),
    "palette channel": Prior(10, "`mask[..., 0]` of a color file, or another of its channels"),
    "space official": Prior(5, "raw label ids of a public set where its training ids are declared"),
    "mostly void": Prior(8, "more where an id that is said to be void covers most of the pixels: few sets label so little"),
    "space wrong preset": Prior(5, "training ids of a public set where its raw label ids are declared"),
    "first classes": Prior(8, "a list of which only the beginning is in use"),
    "space other": Prior(6, "another public numbering, which one to be named besides"),
    "instances": Prior(6, "class * 1000 + number: Cityscapes and its kin"),
    "instances cut": Prior(3, "more where they were cut to 8 bits, as `astype(uint8)` and many viewers do"),
    "instances clipped": Prior(5, "more where they were cut at 255: few clip, and most casts take the remainder"),
}


def prior(name: str) -> float:
    """The bits of an entry."""
    return PRIORS[name].bits


def number_of_classes(number: int, declared: bool) -> float:
    """The bits for a number of classes that nobody declared: twice its logarithm, a code for any whole number (Elias 1975, gamma code)."""
    return 0.0 if declared else 2 * log2(number) + 1
