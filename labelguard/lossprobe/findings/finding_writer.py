"""Teller: findings from what a probe has seen, worded for the person who reads the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from labelguard.checks import (
    device_mismatch,
    loss_import_failed,
    not_mask_dependent,
    out_of_memory,
    silent_accept,
    unstable_failure,
    zero_signal,
)
from labelguard.checks.rule import Rule
from labelguard.finding import FileList, Fix, Severity
from labelguard.lossprobe.batch_plan import ALL_IGNORED, ALONE, EMPTY, TRAINING, Batch
from labelguard.lossprobe.findings.buffer_mismatch import BufferMismatch
from labelguard.lossprobe.findings.interpretation import Interpretation
from labelguard.lossprobe.findings.loss_finding import (
    LossFinding,
    evidence_of,
    expected_on_cuda,
    is_latent,
    loss_finding,
    rule_of,
    sentence,
    what_happened,
)
from labelguard.lossprobe.findings.repro import repro
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.search.cause import Cause
from labelguard.lossprobe.supervisor.input_format import NoInputFormatError
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, Outcome, Step
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import ACTIVATIONS, ImportPath, Settings
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, percent

_RARE = 1e-4         # a batch that comes up less than once in ten thousand epochs
_LATENT = "random logits pass, as they are when training begins: it takes a network that has learned"
_MOST_SHOWN = 8      # buffers
_MORE = "in the same way, not searched; the last of them: "
_HOLDS = {EMPTY: "nothing but background", ALL_IGNORED: "nothing but ignored pixels"}
_TAKEN = {"no-class": "such a pixel counts as no class at all", "unclear": "what it makes of it could not be found out",
          "number": "it calculates with the id as a number", "ignored": "it leaves those pixels out"}


class FindingWriter:
    """Words findings about one loss.

    Parameters
    ----------
    run
        The loss.
    masks, spec, settings, model, images
        What is probed, and how.
    """

    def __init__(self, run: LossRunner, masks: MaskSource, spec: LabelSpec, settings: Settings, model: ImportPath | None = None,
                 images: NetworkImages | None = None) -> None:
        self.run, self.masks, self.spec, self.settings, self.model, self.images = run, masks, spec, settings, model, images

    # What has nothing to do with single masks

    def not_loaded(self, what: str, step: Step) -> LossFinding:
        """Framework, loss or network could not be imported, or importing them killed or hung the worker."""
        subject = {"framework": f"The framework ({self.settings.framework})", "loss": f"The loss {self.run.loss}",
                   "model": f"The network {self.model}"}.get(what, f"The loss {self.run.loss}, or its framework,")
        how = f"cannot be imported or made: {step.error_type}: {step.error}" if step.error_type else what_happened(step)
        python = self.settings.python or "this interpreter"
        return self._finding(loss_import_failed.rule, f"{subject} {how}.", step, evidence=evidence_of(step),
                             fix=f"Check that {python} can import it from the current folder; --python names another interpreter, and "
                                 "--loss-arg gives the arguments.")

    def nothing_goes(self, problem: NoInputFormatError) -> LossFinding:
        """Neutral masks fail, however they are handed over."""
        step = problem.outcome.last
        rule = not_mask_dependent.rule if step.status in ("exception", *NOT_FINITE) else rule_of(step)
        tried = "; ".join(f"--activation {after} with --target {listed(one.target for one in formats)}" for after, formats in
                          ((after, [one for one in problem.tried if one.activation == after]) for after in ACTIVATIONS) if formats)
        message = f"{sentence(step)}. It does so on neutral masks too: your masks are not the reason."
        called = f"the loss is called with {self.run.handshake.get('called', 'logits (N, C, H, W), target')}; tried: {tried}"
        fix = ("Hold --num-classes, --loss-arg, --target and --activation against the line of the training code that calls the loss, or "
               "wrap it in a FILE.py:build that takes what is tried here.")
        if self.settings.amp == "fp16" and step.status in NOT_FINITE:
            fix = "Try --amp fp32. If that passes, a sum over pixels leaves the range of fp16, which ends at 65,504."
        elif step.status in NOT_FINITE:
            fix = "Mend the loss at the line that is named, or say with --activation and --target what training gives it."
        return self._finding(rule, message, step, severity=Severity.ERROR, level="shape", evidence=(called, *evidence_of(step)), fix=fix)

    def always(self, step: Step, size: int, shape: tuple[int, int]) -> LossFinding:
        """Neutral masks fail under a regime without doubt; that regime is left out from now on."""
        return self._finding(not_mask_dependent.rule, f"{sentence(step)}, whatever the masks hold.", step, level="shape",
                             severity=Severity.WARNING, fix="Add an epsilon inside the logarithm or the division, or clip the "
                             "probabilities: a network that has learned well gets there.",
                             evidence=(f"seen on {count(size, 'neutral mask')} of {shape[0]} x {shape[1]}", *evidence_of(step)))

    def too_large(self, batch: Batch, step: Step, size: int) -> LossFinding:
        """A batch that needs too much memory; `size` is what fits, 0 where nothing does."""
        fits = f"batches of {size} pass, and were probed instead" if size else "a single mask does not fit either"
        masks = count(len(batch.members), "mask")
        return self._finding(out_of_memory.rule, f"{sentence(step)} on a batch of {masks}: {fits}.", step,
                             severity=None if size else Severity.ERROR, batch=self._names(batch),
                             fix=f"Train with --batch-size {size}." if size else "Use smaller masks.")

    def device_mismatch(self, batch: Batch, step: Step, found: Sequence[BufferMismatch]) -> LossFinding:
        """Buffers of the network that one training step leaves otherwise on the device than on the CPU."""
        names = self._names(batch)
        return self._finding(device_mismatch.rule, "The same training step leaves other running statistics on the GPU than on the CPU, in "
                             f"{listed((one.buffer for one in found), 4)}.", step, batch=names, **_files(names),
                             evidence=tuple(f"{one.buffer}[{one.index}]: {one.device:g} on the GPU, {one.cpu:g} on the CPU"
                                            for one in found[:_MOST_SHOWN]),
                             fix="Train and evaluate on the same device, or update the framework; see to the layers that are named.")

    # What masks are to blame for

    def refused_ids(self, batch: Batch, cause: Cause, ids: set[int]) -> LossFinding:
        """Ids that the loss cannot take: one pixel of them is enough."""
        step = cause.outcome.last
        present = sorted(ids & set(self.masks.data.ids))
        tried = sorted(cause.ids)
        names, sample = self._names(batch), cause.masks[0]
        first = cause.pixel[1:] if cause.pixel else cause.box[:2] if cause.box else None
        name = f"{names[sample]}, " if len(self._holding(present)) > 1 else ""
        where = f" ({name}row {first[0]}, column {first[1]})" if first else ""
        enough = "One pixel" if cause.level == "pixel" else "A region"
        also = f"only {id_ranges(tried)} was tried; the others lie on the same side of the classes"
        ignored = [label for label in present if label in self.spec.ignore_index]
        return self._finding(rule_of(step), f"{sentence(step)}. {enough} of {id_ranges(tried)} is enough{where}.", step,
                             severity=Severity.ERROR, cause=cause, batch=names, ids=tuple(present), pixels=self._pixels(present),
                             first=first, box=cause.box, sample=sample, says_where=bool(where),
                             evidence=(*cause.evidence, *[also] * (tried != present), *evidence_of(step)),
                             fix=self._tell(ignored[0]) if ignored else self._scan(), **_files(self._holding(present)))

    def cause(self, batch: Batch, cause: Cause, explained: Outcome, too_small: bool) -> LossFinding:
        """Any other failure: a mask, several together, a class that is absent, or no mask at all."""
        step, names = explained.last, self._names(batch)
        blamed = tuple(names[index] for index in cause.masks)
        rule = rule_of(step)
        if cause.level == "unstable":
            rule, tail = unstable_failure.rule, f"on {cause.repeats[0]} of {cause.repeats[1]} runs of the very same batch"
        elif too_small:
            rule, tail = not_mask_dependent.rule, f"on {self._size(batch)}: the batch is too small, since twice as many masks pass"
        elif cause.level == "shape":
            rule = not_mask_dependent.rule if step.status in ("exception", *NOT_FINITE) else rule
            tail = f"whatever the masks hold, on {self._size(batch)}"
        else:
            tail = self._reason(batch, cause, blamed)
        rare = is_latent(step) or (batch.kind != TRAINING and batch.chance < _RARE)
        return self._finding(rule, f"{sentence(step)}, {tail}.", step, severity=Severity.WARNING if rare else None,
                             cause=cause, batch=names, sample=cause.masks[0] if cause.masks else None, box=cause.box,
                             first=cause.pixel[1:] if cause.pixel else None,
                             evidence=(*cause.evidence, *self._odds(batch), *[_LATENT] * is_latent(step), *evidence_of(step)),
                             fix=self._way_out(batch, cause), **_files(blamed or names))

    def carried_over(self, batch: Batch, step: Step) -> LossFinding:
        """A loss that keeps something from batch to batch, where the probe cannot put it back: one batch has spoilt it for all others."""
        names = self._names(batch)
        return self._finding(unstable_failure.rule, f"The loss {what_happened(step)}, and so it does on any masks from then on, until its "
                             "process is replaced: it carries something over from batch to batch.", step, level="unstable", batch=names,
                             evidence=("neutral masks fail after this batch, and pass in a new process", *evidence_of(step)),
                             fix="Look for what the loss keeps between its calls, such as a running mean: a batch has spoilt it.",
                             **_files(names))

    def count_alike(self, findings: Sequence[LossFinding], step: Step, batch: Batch) -> list[LossFinding]:
        """Count a further failure of a kind that was searched often enough, in the last finding of that kind."""
        alike = [i for i, finding in enumerate(findings) if (finding.code, finding.regime) == (rule_of(step).code, step.regime)]
        if not alike:
            names = self._names(batch)
            return [*findings, self._finding(rule_of(step), f"{sentence(step)}.", step, batch=names, **_files(names))]
        last = findings[alike[-1]]
        number = 1 + next((int(line.split()[0]) for line in last.evidence if _MORE in line), 0)
        more = f"{number} more {'batch fails' if number == 1 else 'batches fail'} {_MORE}{listed(self._names(batch), 3)}"
        evidence = (*[line for line in last.evidence if _MORE not in line], more)
        return [replace(last, evidence=evidence) if i == alike[-1] else finding for i, finding in enumerate(findings)]

    def zero_signal(self, findings: Sequence[LossFinding], batch: Batch, step: Step, dark: Sequence[int]) -> list[LossFinding]:
        """A batch that teaches nothing; batches of the same kind share a finding. `dark`: ids whose pixels would teach something."""
        names, ids = self._names(batch), tuple(dark)
        for i, finding in enumerate(findings):
            if finding.code == zero_signal.rule.code and finding.ids == ids:
                files = FileList(sorted({*finding.concerns, *names}))
                return [*findings[:i], replace(finding, path=None, files=files), *findings[i + 1:]]
        why = (f"the foreground is stored as {id_ranges(ids)}, which is left out" if ids else
               f"such as {self._size(batch)}{self._common(batch)}")
        return [*findings, self._finding(zero_signal.rule, f"The gradient is exactly 0, and nothing is learned: {why}.", step, ids=ids,
                                         severity=Severity.ERROR if ids else None, batch=names, fix=self._scan() if ids else Fix(),
                                         evidence=(*self._odds(batch), f"loss {step.loss:g} on random logits"), **_files(names))]

    def taken(self, group: Sequence[Interpretation], untried: int) -> LossFinding:
        """Ids that the loss takes without an error, or, in neutral masks at least, with one."""
        ids = [taken.value for taken in group]
        kind, step = group[0].kind, group[0].outcome.last
        ignored = ids[0] in self.spec.ignore_index
        evidence = (*group[0].evidence, *[f"{untried:,} more ids that are no class were not tried"] * bool(untried))
        if kind == "refused":
            rule, message = rule_of(step), f"{sentence(step)}. One pixel of {id_ranges(ids)} in neutral masks is enough."
        else:
            as_what = f"it trains such a pixel as class {self.spec.name_of(group[0].label or 0)}" if kind == "class" else _TAKEN[kind]
            what = "declared as ignored, and the loss does not ignore it" if ignored else "no class, and the loss raises no error"
            rule, message = silent_accept.rule, f"{id_ranges(ids)} {'is' if len(ids) == 1 else 'are'} {what}: {as_what}."
        severity = Severity.WARNING if kind == "unclear" else None
        fix = self._tell(ids[0]) if ignored else self._scan()
        if kind == "ignored":
            fix = Fix.advice(f"If it is void, say so here too: --ignore-index {ids[0]}. If it is not: ", self._scan())
        return self._finding(rule, message, step, severity=severity, evidence=evidence, ids=tuple(ids), pixels=self._pixels(ids),
                             fix=fix, **_files(self._holding(ids)))

    # Parts of findings

    def _finding(self, rule: Rule, message: str, step: Step, cause: Cause | None = None, **details: Any) -> LossFinding:
        handshake = self.run.handshake
        on_cpu = handshake.get("device", "cpu") == "cpu"
        where = " ".join(str(handshake[key]) for key in ("device", "device_name", "framework") if handshake.get(key))
        if cause is not None:
            details |= {"level": cause.level, "repeats": cause.repeats}
        return loss_finding(rule, message, step, loss=str(self.run.loss), verified_on=where, repro=self._again(details.get("batch", ())),
                            expected_on_cuda=expected_on_cuda(step, self.settings) if on_cpu else "", **details)

    def _names(self, batch: Batch) -> tuple[str, ...]:
        return tuple(self.masks.contents[member].name for member in batch.members)

    def _holding(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(mask.name for mask in self.masks.contents if not set(ids).isdisjoint(mask.ids))

    def _pixels(self, ids: Sequence[int]) -> int:
        return sum(self.masks.data.ids[label] for label in ids)

    def _size(self, batch: Batch) -> str:
        height, width = self.masks.contents[batch.members[0]].shape
        which = "the last batch, " if batch.kind == TRAINING and len(batch.members) < self.settings.batch_size else ""
        return f"{which}{count(len(batch.members), 'mask')} of {height} x {width}"

    def _common(self, batch: Batch) -> str:
        """What the masks of a batch have in common, as a relative clause."""
        contents = [self.masks.contents[member] for member in batch.members]
        kinds = {mask.extreme(self.spec) for mask in contents}
        if len(kinds) > 1 or not (kind := kinds.pop()):
            return ""
        held = _HOLDS.get(kind) or f"nothing but class {id_ranges(sorted({label for mask in contents for label in mask.ids}))}"
        return f" that hold{'s' * (len(contents) == 1)} {held}"

    def _reason(self, batch: Batch, cause: Cause, blamed: Sequence[str]) -> str:
        whole = len(blamed) == len(batch.members)
        if cause.level == "absent-class":
            names = listed((self.spec.name_of(label) for label in cause.absent), 4)
            missing = f"class {names} is" if len(cause.absent) == 1 else f"classes {names} are"
            return f"where {missing} absent from the whole batch" if whole else f"as soon as {missing} absent from {listed(blamed, 2)}"
        if cause.level == "mask-set" and not (whole and self._common(batch)):
            return f"when {listed(blamed, 3)} come together"
        if cause.level == "batch":
            return f"on {self._size(batch)}; nothing narrower was found"
        if cause.level in ("pixel", "ids", "region"):
            return f"because of pixels of {id_ranges(cause.ids)} in {listed(blamed, 2)}"
        return f"on {self._size(batch)}{self._common(batch)}" if whole else f"because of {listed(blamed, 3)}"

    def _odds(self, batch: Batch) -> tuple[str, ...]:
        if batch.kind == TRAINING:
            return ()
        epochs = (f"about 1 in {1 / batch.chance:,.0f} epochs has" if batch.chance < 0.001 else "every epoch has" if batch.chance >= 1 else
                  f"about {percent(batch.chance, 1)} of all shuffled epochs have")
        return (f"{epochs} a batch of {'this mask alone' if batch.kind == ALONE else 'nothing but such masks'}",)

    def _way_out(self, batch: Batch, cause: Cause) -> str:
        if cause.level == "shape" and len(batch.members) == 1:
            return "Drop the last batch (drop_last=True), or choose a batch size that leaves more than one."
        blamed = [self.masks.contents[batch.members[index]] for index in cause.masks]
        if cause.level in ("mask", "mask-set") and all(mask.extreme(self.spec) for mask in blamed):
            return "Leave such masks out of training, or let the loss divide by at least 1."
        if cause.level == "absent-class":
            return "Let the loss skip classes that the batch does not hold, before it divides."
        return ""

    def _tell(self, label: int) -> Fix:
        return Fix.advice(f"Tell the loss: --loss-arg ignore_index={label}, or what it calls that.")

    def _again(self, names: Sequence[str]) -> str:
        return repro(names, self.masks, self.spec, self.settings, self.run.loss, self.model, self.images)

    def _scan(self) -> Fix:
        """The command that names the cause; of masks that are no files, what to do."""
        if not any(path for path, _ in self.masks.files):
            return Fix.advice("Mend the mask, or declare the id to the loss, if that is what it stands for.")
        ignored = (argument for label in self.spec.ignore_index for argument in ("--ignore-index", str(label)))
        scan = ("labelguard", "scan", self.masks.data.root, "--num-classes", str(self.spec.num_classes), *ignored)
        return Fix.command(*scan, safe=False)  # it finds the cause, and changes nothing


def _files(names: Sequence[str]) -> dict[str, Any]:
    """One file is the path of a finding, several are its files."""
    return {"path": names[0]} if len(names) == 1 else {"files": tuple(names)}
