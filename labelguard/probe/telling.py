"""Teller: findings from what a probe has seen, worded for the person who reads the report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from labelguard.checks import loss_import_failed, not_mask_dependent, out_of_memory, silent_accept, unstable_failure, zero_signal
from labelguard.finding import Severity
from labelguard.probe.accepted import Taken
from labelguard.probe.batches import ALL_IGNORED, ALONE, EMPTY, TRAINING, Batch
from labelguard.probe.culprit import Culprit
from labelguard.probe.feed import NoFeed, describe
from labelguard.probe.outcome import Outcome, Step
from labelguard.probe.runner import LossRunner
from labelguard.probe.settings import Callee, Settings
from labelguard.probe.source import Masks
from labelguard.probe.verdicts import LossFinding, evidence_of, expected_on_cuda, is_latent, loss_finding, rule_of, what_happened
from labelguard.spec import LabelSpec
from labelguard.words import count, id_ranges, listed

_RARE = 1e-4         # a batch that comes up less than once in ten thousand epochs
_MOST_IN_REPRO = 64
_HOLDS = {EMPTY: "nothing but background", ALL_IGNORED: "nothing but ignored pixels"}


class Teller:
    """Words findings about one loss.

    Parameters
    ----------
    run
        The loss.
    masks, spec, settings, model
        What is probed, and how.
    """

    def __init__(self, run: LossRunner, masks: Masks, spec: LabelSpec, settings: Settings, model: Callee | None) -> None:
        self.run, self.masks, self.spec, self.settings, self.model = run, masks, spec, settings, model

    # What has nothing to do with single masks

    def not_loaded(self, what: str, step: Step) -> LossFinding:
        """Framework, loss or network could not be imported, or importing them killed or hung the worker."""
        subject = {"framework": f"The framework ({self.settings.framework})", "loss": f"The loss {self.run.loss}",
                   "model": f"The network {self.model}"}.get(what, f"The loss {self.run.loss}, or its framework,")
        how = f"{step.error_type}: {step.error}" if step.error_type else what_happened(step)
        python = self.settings.python or "this interpreter"
        return self._finding(loss_import_failed.rule, f"{subject} cannot be imported or made: {how}.", step, evidence=evidence_of(step),
                             fix=f"Check that {python} can import it from the current folder; --python names another interpreter, and "
                                 "--loss-arg gives the arguments.")

    def nothing_goes(self, problem: NoFeed, shape: tuple[int, int]) -> LossFinding:
        """Neutral masks fail, however they are handed over."""
        step = problem.outcome.last
        rule = not_mask_dependent.rule if step.status == "exception" or "nan" in step.status else rule_of(step)
        tried = listed((describe(feed) for feed in problem.tried), 12)
        return self._finding(rule, f"The loss {what_happened(step)}. Neutral masks, which hold every class and nothing else, give this too: it "
                                   "is not about the masks.", step, level="shape", evidence=(f"tried: {tried}", *evidence_of(step)),
                             fix="Check --num-classes, --loss-arg, --target and --activation against how the training code calls the loss.")

    def always(self, step: Step, size: int, shape: tuple[int, int]) -> LossFinding:
        """Neutral masks fail under a regime without doubt; that regime is left out from now on."""
        return self._finding(not_mask_dependent.rule, f"The loss {what_happened(step)}, whatever the masks hold.", step, level="shape",
                             severity=Severity.WARNING, evidence=(f"seen on {size} neutral masks of {shape[0]} x {shape[1]}", *evidence_of(step)),
                             fix="Add an epsilon inside the logarithm or the division, or clip the probabilities: a network that has learned "
                                 "well gets there.")

    def too_large(self, batch: Batch, step: Step, size: int) -> LossFinding:
        """A batch that needs too much memory; `size` is what fits, 0 where nothing does."""
        fits = f"batches of {size} pass, and were probed instead" if size else "a single mask does not fit either"
        return self._finding(out_of_memory.rule, f"The loss {what_happened(step)} on a batch of {count(len(batch.members), 'mask')}: {fits}.",
                             step, batch=self._names(batch), fix=f"Train with --batch-size {size}." if size else "Use smaller masks.")

    # What masks are to blame for

    def refused_ids(self, batch: Batch, culprit: Culprit, ids: set[int]) -> LossFinding:
        """Ids that the loss cannot take: one pixel of them is enough."""
        step = culprit.outcome.last
        present = [label for label in sorted(ids) if label in self.masks.data.ids]
        files = tuple(mask.name for mask in self.masks.contents if not ids.isdisjoint(mask.ids))
        sample = culprit.masks[0]
        first = culprit.pixel[1:] if culprit.pixel else (culprit.box[0], culprit.box[1]) if culprit.box else None
        names = self._names(batch)
        pixels = sum(self.masks.data.ids[label] for label in present)
        where = f" ({names[sample]}, row {first[0]}, column {first[1]})" if first else f" ({names[sample]})"
        enough = "One pixel" if culprit.level == "pixel" else "The region of pixels"
        ignored = [label for label in present if label in self.spec.ignore_index]
        tried = sorted(culprit.ids)
        also = [] if set(tried) == set(present) else [f"{id_ranges(tried)} was tried; {id_ranges(present)} lie on the same side of the classes"]
        fix = f"Tell the loss: --loss-arg ignore_index={ignored[0]}, or what it calls that." if ignored else self._scan()
        return self._finding(
            rule_of(step), f"The loss {what_happened(step)}. {enough} of {id_ranges(tried)} is enough{where}.", step, culprit=culprit, batch=names,
            path=files[0] if len(files) == 1 else None, files=files if len(files) > 1 else (), ids=tuple(present), pixels=pixels, first=first,
            box=culprit.box, sample=sample, evidence=(*culprit.evidence, *also, *evidence_of(step)), fix=fix)

    def culprit(self, batch: Batch, culprit: Culprit, explained: Outcome, twice_passes: bool) -> LossFinding:
        """Any other failure: a mask, several together, a class that is absent, or no mask at all."""
        step = explained.last
        names = self._names(batch)
        blamed = tuple(names[index] for index in culprit.masks)
        rule, severity = rule_of(step), None
        if culprit.level == "unstable":
            failed, ran = culprit.repeats
            rule = unstable_failure.rule
            message = f"The loss {what_happened(step)}, on {failed} of {ran} runs of the very same batch."
        elif culprit.level == "shape":
            rule = not_mask_dependent.rule if step.status not in ("timeout", "death", "exit", "assert") else rule
            message = f"The loss {what_happened(step)}, whatever the masks hold, on {self._size(batch)}."
            if twice_passes:
                message = (f"The loss {what_happened(step)}, on {self._size(batch)}: the batch is too small, and masks in twice the number "
                           "pass.")
        else:
            message = f"The loss {what_happened(step)}, {self._reason(batch, culprit, blamed)}."
        if is_latent(step) or (batch.kind != TRAINING and batch.chance < _RARE):
            severity = Severity.WARNING
        files = blamed or names
        return self._finding(rule, message, step, culprit=culprit, batch=names, severity=severity,
                             path=files[0] if len(files) == 1 else None, files=files if len(files) > 1 else (),
                             sample=culprit.masks[0] if culprit.masks else None, box=culprit.box, first=culprit.pixel[1:] if culprit.pixel else None,
                             evidence=(*culprit.evidence, *self._odds(batch), *evidence_of(step)), fix=self._way_out(batch, culprit, step))

    def count_alike(self, findings: Sequence[LossFinding], step: Step, names: Sequence[str]) -> list[LossFinding]:
        """Take a further failure of a kind that was searched often enough into the last finding of that kind."""
        at = max((i for i, finding in enumerate(findings) if finding.regime == step.regime and finding.code == rule_of(step).code), default=-1)
        if at < 0:
            return [*findings, self._finding(rule_of(step), f"The loss {what_happened(step)}.", step, batch=tuple(names), files=tuple(names))]
        last = findings[at]
        more = "more batches fail in the same way, not searched"
        number = next((int(line.split()[0]) for line in last.evidence if line.endswith(more)), 0)
        evidence = (*[line for line in last.evidence if not line.endswith(more)], f"{number + 1} {more}")
        return [*findings[:at], replace(last, evidence=evidence), *findings[at + 1:]]

    def zero_signal(self, findings: Sequence[LossFinding], batch: Batch, step: Step, dark: Sequence[int]) -> list[LossFinding]:
        """A batch that teaches nothing; batches of the same kind share a finding. `dark`: ids whose pixels would teach something."""
        names = self._names(batch)
        severity = Severity.ERROR if dark else None
        known = next((i for i, finding in enumerate(findings) if finding.code == zero_signal.rule.code and finding.ids == tuple(dark)), None)
        files = tuple(sorted({*(findings[known].concerns if known is not None else ()), *names}))
        why = (f"the foreground is stored as {id_ranges(dark)}, which is left out" if dark else
               f"such as {self._size(batch)}{self._all_hold(batch)}")
        finding = self._finding(zero_signal.rule, f"The gradient is exactly 0, and nothing is learned: {why}.", step, severity=severity,
                                path=files[0] if len(files) == 1 else None, files=files if len(files) > 1 else (), ids=tuple(dark),
                                batch=names, evidence=(*self._odds(batch), f"loss {step.loss:g} on random logits"), fix=self._scan() if dark else "")
        if known is None:
            return [*findings, finding]
        return [*findings[:known], replace(finding, batch=findings[known].batch, message=findings[known].message,
                                           evidence=findings[known].evidence), *findings[known + 1:]]

    def taken(self, group: Sequence[Taken], untried: int) -> LossFinding:
        """Ids that the loss takes without an error."""
        ids = [taken.value for taken in group]
        kind, label, ignored = group[0].kind, group[0].label, group[0].value in self.spec.ignore_index
        step = group[0].outcome.last
        files = tuple(mask.name for mask in self.masks.contents if not set(ids).isdisjoint(mask.ids))
        told = {"class": f"as class {self.spec.name_of(label or 0)}", "no-class": "as no class: every class is pushed down there, or none is",
                "number": "as a bare number that the loss is multiplied with", "ignored": "as nothing: those pixels are left out",
                "unclear": "in a way that could not be made out", "refused": ""}[kind]
        what = "which is declared as ignored, " if ignored else "which is no class, "
        common = {"ids": tuple(ids), "pixels": sum(self.masks.data.ids[i] for i in ids), "path": files[0] if len(files) == 1 else None,
                  "files": files if len(files) > 1 else ()}
        more = [f"{untried:,} more ids that are no class were not tried"] * bool(untried)
        if kind == "refused":
            return self._finding(rule_of(step), f"The loss {what_happened(step)}. One pixel of {id_ranges(ids)} in neutral masks is enough.", step,
                                 evidence=(*group[0].evidence, *more), fix=self._scan(), **common)
        ways_out = f"Tell the loss: --loss-arg ignore_index={ids[0]}, or what it calls that." if ignored else self._scan()
        severity = Severity.WARNING if kind == "unclear" else None
        return self._finding(silent_accept.rule, f"The loss takes {id_ranges(ids)}, {what}without an error, {told}.", step, severity=severity,
                             evidence=(*group[0].evidence, *more), fix=ways_out, **common)

    # Parts of sentences

    def _finding(self, rule: object, message: str, step: Step, culprit: Culprit | None = None, **details: object) -> LossFinding:
        hello = self.run.hello
        on_cpu = hello.get("device", "cpu") == "cpu"
        where = " ".join(str(hello[key]) for key in ("device", "device_name", "framework") if hello.get(key))
        if culprit is not None:
            details |= {"level": culprit.level, "repeats": culprit.repeats}
        batch = details.get("batch")
        repro = self._repro(batch) if isinstance(batch, tuple) else ""
        return loss_finding(rule, message, step, loss=str(self.run.loss), verified_on=where, repro=repro,  # type: ignore[arg-type]
                            expected_on_cuda=expected_on_cuda(step) if on_cpu else "", **details)

    def _names(self, batch: Batch) -> tuple[str, ...]:
        return tuple(self.masks.contents[member].name for member in batch.members)

    def _size(self, batch: Batch) -> str:
        height, width = self.masks.contents[batch.members[0]].shape
        which = "the last batch, " if batch.kind == TRAINING and len(batch.members) < self.settings.batch_size else ""
        return f"{which}{count(len(batch.members), 'mask')} of {height} x {width}"

    def _all_hold(self, batch: Batch) -> str:
        """What the masks of a batch have in common."""
        kinds = {self.masks.contents[member].extreme(self.spec) for member in batch.members}
        ids = {self.masks.contents[member].ids for member in batch.members}
        if len(kinds) == 1 and (kind := kinds.pop()):
            return f" that hold{'s' * (len(batch.members) == 1)} {_HOLDS.get(kind) or f'nothing but class {id_ranges(sorted(set().union(*ids)))}'}"
        return ""

    def _reason(self, batch: Batch, culprit: Culprit, blamed: Sequence[str]) -> str:
        whole = len(blamed) == len(batch.members)
        held = self._all_hold(batch) if whole else ""
        if culprit.level == "absent-class":
            names = listed((self.spec.name_of(label) for label in culprit.absent), 4)
            missing = f"class {names} is" if len(culprit.absent) == 1 else f"classes {names} are"
            return f"as soon as {missing} absent from {listed(blamed, 2)}" if not whole else f"where {missing} absent from the whole batch"
        if culprit.level == "mask-set":
            return f"when {listed(blamed, 3)} come together{held.replace(' that', ', and')}"
        if culprit.level == "batch":
            return f"on {self._size(batch)}; nothing narrower was found"
        if culprit.level in ("pixel", "ids", "region"):
            return f"because of pixels of {id_ranges(culprit.ids)} in {listed(blamed, 2)}"
        return f"on {self._size(batch)}{held}" if whole else f"because of {listed(blamed, 3)}"

    def _odds(self, batch: Batch) -> tuple[str, ...]:
        if batch.kind == TRAINING:
            return ()
        odds = f"about {batch.chance:.1%}" if batch.chance >= 0.001 else f"about 1 in {1 / batch.chance:,.0f}"
        such = "a batch of this mask alone" if batch.kind == ALONE else "a batch of nothing but such masks"
        return (f"{such} is formed by another shuffle; the chance is {odds} an epoch",)

    def _way_out(self, batch: Batch, culprit: Culprit, step: Step) -> str:
        if culprit.level in ("shape", "unstable"):
            return "Drop the last batch (drop_last=True), or choose a batch size that leaves more than one." if len(batch.members) == 1 else ""
        if culprit.level in ("mask", "mask-set") and batch.extreme:
            return "Leave such masks out of training, or let the loss divide by at least 1."
        if culprit.level == "absent-class":
            return "Let the loss skip classes that the batch does not hold, before it divides."
        return ""

    def _scan(self) -> str:
        """The command that names the cause."""
        options = [f"--num-classes {self.spec.num_classes}", *(f"--ignore-index {label}" for label in self.spec.ignore_index)]
        return " ".join(["labelguard scan", shlex.quote(self.masks.data.root), *options])

    def _repro(self, names: tuple[str, ...]) -> str:
        if len(names) > _MOST_IN_REPRO:
            return ""
        root = self.masks.data.root
        paths = [path for path, name in self.masks.files if name in set(names)]
        loss, settings = self.run.loss, self.settings
        options = [f"--loss {shlex.quote(loss.path)}", *(f"--loss-arg {shlex.quote(f'{key}={value!r}')}" for key, value in loss.arguments.items()),
                   f"--num-classes {self.spec.num_classes}", *(f"--ignore-index {label}" for label in self.spec.ignore_index),
                   f"--batch-size {len(names)}", "--in-order"]
        defaults = Settings()
        for option in ("framework", "amp", "device", "target", "activation", "python"):
            if (value := getattr(settings, option)) != getattr(defaults, option):
                options.append(f"--{option} {shlex.quote(str(value))}")
        if self.model is not None:
            options.append(f"--model {shlex.quote(self.model.path)}")
        return " ".join(["labelguard probe", *(shlex.quote(path) for path in paths), *options]) if root and all(paths) else ""
