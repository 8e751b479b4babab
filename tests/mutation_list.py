"""The mutations that once survived, in today's words; see `tests.mutations`."""

from __future__ import annotations

from tests.mutations import Mutation

ALIGNMENT = ("tests/pairing/alignment/test_fit_scores.py", "tests/pairing/alignment/test_judge.py", "tests/pairing/alignment/test_scan.py")
RESUME = ("tests/runs/test_resume.py",)

MUTATIONS = (
    Mutation("equal sets of ids are kept several times", "labelguard/facts/builder.py",
             "ids = self._seen_ids.setdefault(facts.present, facts.present)", "ids = facts.present", ("tests/facts",),
             "the facts are equal, and only take more memory"),
    Mutation("of one folder for masks and images, the other side is taken", "labelguard/files/image_folder.py",
             "if both and len(images) < len(masks):", "if both and len(images) <= len(masks):", ("tests/runs/test_images.py",),
             "where both sides name equally many files they name the same folder, which is refused whichever side is left empty"),
    Mutation("a digest forgets the shape", "labelguard/facts/digest.py",
             "repr((values.shape, values.dtype.str))", "repr(values.dtype.str)", ("tests/facts/test_digest.py",)),
    Mutation("a margin of 60 pixels", "labelguard/facts/image.py",
             "_MARGIN, _MARGIN_SHARE = 6, 0.05", "_MARGIN, _MARGIN_SHARE = 60, 0.05", ("tests/facts/test_image.py",)),
    Mutation("accounting never complains", "labelguard/runs/rewrite_mask.py",
             "    if dict(expected) != after.counts:", "    if False:", ("tests/runs/test_rewrite_mask.py",)),
    Mutation("resume does not look at the source", "labelguard/runs/rewrite_mask.py",
             "known.source_digest == source_digest and ", "", RESUME),
    Mutation("resume does not look at the written file", "labelguard/runs/rewrite_mask.py",
             " and digest_in_receipt(self.out.read(target)) == known.digest", "", RESUME),
    Mutation("a torn line of the journal ends the run", "labelguard/files/journal.py",
             "except (ValueError, RecursionError):", "except RecursionError:", ("tests/files/test_journal.py", *RESUME)),
    Mutation("the journal does not wait for the disk", "labelguard/files/journal.py",
             "            os.sync()  #", "            pass  #", ("tests/files/test_journal.py",)),
    Mutation("a stage gives back the memory of its caller", "labelguard/stages/interop.py",
             " and not np.may_share_memory(new, given)", "", ("tests/stages/test_battery.py",)),
    Mutation("wrapped ids may end deeper", "labelguard/checks/_unexpected_ids.py",
             "_DEEPEST = 3 ", "_DEEPEST = 4 ", ("tests/checks/test_unexpected_ids.py",)),
    Mutation("ten files are sure", "labelguard/facts/inference.py",
             "_FEW_FILES = 20", "_FEW_FILES = 10", ("tests/facts/test_inference.py",)),
    Mutation("many readings are tried for free", "labelguard/pairing/alignment/fit_scores.py", "inv_cdf(chance / tried)", "inv_cdf(chance)",
             ALIGNMENT),
    Mutation("pairs that resemble each other count in full", "labelguard/pairing/alignment/fit_scores.py",
             "float(n / (1 + (n - 1) * between))", "float(n)", ALIGNMENT),
    Mutation("folders are compared loosely for one pair more", "labelguard/pairing/by_name.py",
             "in_folders[0] > 2 * best[0]", "in_folders[0] > best[0]", ("tests/pairing/test_by_name.py",)),
    Mutation("colors stay where the class count differs", "labelguard/spec/declarations.py",
             "colors=base.colors if fits else ()", "colors=base.colors", ("tests/spec",)),
    Mutation("corners are believed of one box", "labelguard/files/coco.py", "max(2, _REACH_OUT", "max(1, _REACH_OUT",
             ("tests/facts/test_boxes.py",)),
    Mutation("floats beyond 2**63 are ids", "labelguard/files/samples.py", "2.0 ** 63", "2.0 ** 64", ("tests/files/test_samples.py",)),
    Mutation("height and width are exchanged in how much has to agree", "labelguard/facts/fingerprint.py",
             "log2(height) + ((left > 0) + (right < width)) * log2(width)", "log2(width) + ((left > 0) + (right < width)) * log2(height)",
             ("tests/facts/test_fingerprint.py",)),
)
