"""FindingWriter: makes findings of what a probe has seen, in words for the person who reads the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from labelguard.checks.registry import rule_named
from labelguard.checks.rule import Rule
from labelguard.finding import FileList, Fix, Severity
from labelguard.lossprobe.batch_plan import Batch, BatchKind
from labelguard.lossprobe.findings.batch_wording import BatchWording
from labelguard.lossprobe.findings.buffer_mismatch import BufferMismatch
from labelguard.lossprobe.findings.loading import how_to_load
from labelguard.lossprobe.findings.loss_finding import LossFinding, loss_finding, rule_of
from labelguard.lossprobe.findings.repro import repro
from labelguard.lossprobe.findings.skipping import how_to_skip
from labelguard.lossprobe.findings.wording import IS_A_LOSS, evidence_of, expected_on_cuda, is_latent, sentence, what_happened
from labelguard.lossprobe.findings.wrapper import missing_arguments, wrapper, wrapper_file
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.search.absence import Absence
from labelguard.lossprobe.search.cause import Cause
from labelguard.lossprobe.supervisor.input_format import NoInputFormatError, called_with, describe
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, OK, Outcome, Step
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import ACTIVATIONS
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed, path_argument

_RARE = 1e-4         # a batch that comes up less than once in ten thousand epochs
_LATENT = "random logits, as at the start of training, pass; only a network that has learned gets there"
_MOST_BUFFERS = 8    # shown


class FindingWriter:
    """Makes the findings about one loss.

    Parameters
    ----------
    run
        The loss.
    masks, spec, images
        What is probed.
    """

    def __init__(self, run: LossRunner, masks: MaskSource, spec: LabelSpec, images: NetworkImages | None = None) -> None:
        self.run, self.masks, self.spec, self.images, self.settings = run, masks, spec, images, run.settings
        self.batches = BatchWording(masks, spec, run.settings)

    # Failures that no mask is responsible for

    def not_loaded(self, what: str, step: Step) -> LossFinding:
        """Framework, loss or network could not be imported, or importing them killed or hung the worker."""
        subject = {"framework": f"The framework ({self.settings.framework})", "loss": f"The loss {self.run.loss}",
                   "model": f"The network {self.run.model}"}.get(what, f"The loss {self.run.loss}, or its framework,")
        where = f"in {self.settings.python or 'this interpreter'}" if what == "framework" else "or built"
        how = f"cannot be imported {where}: {step.error_type}: {step.error}" if step.error_type else what_happened(step)
        wanted = self.run.model if what == "model" and self.run.model else self.run.loss
        return self.finding(rule_named("loss-import-failed"), f"{subject} {how}.", step, evidence=evidence_of(step),
                             fix=how_to_load(what, wanted, step, self.settings))

    def no_input_format(self, problem: NoInputFormatError) -> LossFinding:
        """Neutral masks fail, however the loss is called."""
        step = problem.outcome.last
        plain = [one for one in problem.tried if one.outputs == "tensor"]
        formats = {after: [one.target for one in plain if one.activation == after] for after in ACTIVATIONS}
        tried = "; ".join(f"--activation {after} with --target {listed(targets)}" for after, targets in formats.items() if targets)
        others = [called_with(one.outputs) for one in problem.tried if one.outputs != "tensor"]
        called = (f"the loss is called with {self.run.handshake.get('called', 'logits (N, C, H, W), target')}; tried: {tried}"
                  + f"; and with {listed(dict.fromkeys(others), 5)}" * bool(others))
        file = wrapper_file(self.run.loss)
        fix = ("Compare --num-classes, --loss-arg, --target and --activation with the line of the training code that calls the "
               f"loss. If it is called in another way there, write a new file, {file}, as printed below.")
        if self.settings.amp == "fp16" and step.status in NOT_FINITE:
            fix = "Try --amp fp32. If that passes, a sum over pixels leaves the range of fp16, which ends at 65,504."
        elif step.status == "timeout":
            fix = f"If it is compiled in its first pass, or slow, give it time: --timeout {6 * self.settings.timeout:g}."
        elif step.status in NOT_FINITE:
            fix = "Correct the loss at the line named above, or say with --activation and --target how training calls it."
        message = f"{sentence(step)}. It does so on neutral masks too: your masks are not the reason."
        code = ""
        if IS_A_LOSS in step.error:
            message = f"{self.run.loss} makes a loss, and lacks arguments: called with logits and target, it {what_happened(step)}."
            fix = f"Give its arguments: {missing_arguments(self.run.handshake)}."
        elif step.status == "exception":
            code = wrapper(self.run.loss, self.run.handshake)
            message = (f"No way of calling the loss was found. With {describe(problem.tried[0], self.run.handshake.get('names', ()))}, it "
                       f"{what_happened(step)}. These were neutral masks: yours are not the reason.")
        return self.finding(self._rule_without_masks(step), message, step, severity=Severity.ERROR, level="shape",
                             evidence=(called, *evidence_of(step)), fix=fix, mentions_neutral_masks=True, wrapper=code,
                             wrapper_file=file if code else "")

    def target_first(self) -> LossFinding:
        """A loss that wants the target first, as those of Keras do: called with logits first, it takes the masks for logits."""
        called, file = describe(self.run.input_format), wrapper_file(self.run.loss)
        return self.finding(rule_named("not-mask-dependent"), "The loss takes the target first, and was probed so: loss(target, logits).",
                             Step("", OK), severity=Severity.NOTE, level="shape", fix=f"Call it as loss(target, logits). Where your "
                             f"training calls criterion(logits, target), write a new file, {file}, as printed below.",
                             evidence=(f"with {called}, the loss is about 0 for a network that is right, and larger for one that is wrong",
                                       "with the logits first, it is not"), wrapper=wrapper(self.run.loss, self.run.handshake, True),
                             wrapper_file=file)

    def hopeless_regime(self, step: Step, size: int, shape: tuple[int, int]) -> LossFinding:
        """Neutral masks fail on certain logits, right or wrong; that regime is not used from now on."""
        return self.finding(rule_named("not-mask-dependent"), f"{sentence(step)}, whatever the masks hold.", step, level="shape",
                             severity=Severity.WARNING, fix="Add an epsilon inside the logarithm or the division, or clip the "
                             "probabilities: a network that has learned well gets there.", mentions_neutral_masks=True,
                             evidence=(f"seen on {count(size, 'neutral mask')} of {shape[0]} x {shape[1]}", *evidence_of(step)))

    def too_large(self, batch: Batch, step: Step, size: int) -> LossFinding:
        """A batch that needs too much memory; `size` is what fits, 0 where nothing does."""
        fits = f"batches of {size} pass, and were probed instead" if size else "a single mask does not fit either"
        masks = count(len(batch.members), "mask")
        return self.finding(rule_of(step), f"{sentence(step)} on a batch of {masks}: {fits}.", step,
                             severity=None if size else Severity.ERROR, batch=self.batches.names(batch),
                             fix=f"Train with --batch-size {size}." if size else "Use smaller masks.")

    def device_mismatch(self, batch: Batch, step: Step, found: Sequence[BufferMismatch]) -> LossFinding:
        """Buffers of the network that differ between the device and the CPU after one training step."""
        names = self.batches.names(batch)
        return self.finding(rule_named("device-mismatch"), "The same training step leaves different running statistics on the GPU and on "
                             f"the CPU, in {listed((one.buffer for one in found), 4)}.", step, batch=names, **files_of(names),
                             evidence=tuple(f"{one.buffer}[{one.index}]: {one.device:g} on the GPU, {one.cpu:g} on the CPU"
                                            for one in found[:_MOST_BUFFERS]),
                             fix="Train and evaluate on the same device, or update the framework; check the layers named above.")

    def carried_over(self, batch: Batch, step: Step) -> LossFinding:
        """A loss that keeps state outside of its buffers: one batch has spoiled it for all later ones."""
        names = self.batches.names(batch)
        return self.finding(rule_named("unstable-failure"), f"The loss {what_happened(step)}, and then on any masks, until its process is "
                             "replaced: it carries something over from batch to batch.", step, level="unstable", batch=names,
                             evidence=("neutral masks fail after this batch, and pass in a new process", *evidence_of(step)),
                             fix="Look for what the loss keeps between its calls, such as a running mean: a batch has spoiled it.",
                             mentions_neutral_masks=True, **files_of(names))

    def ended_between(self, steps: Sequence[Step]) -> LossFinding:
        """Workers that ended when one pass was over and the next one had not begun."""
        step = steps[-1]
        return self.finding(rule_of(step), f"The process of the loss ended between two passes ({step.native or step.status}), "
                             f"{count(len(steps), 'time')}: no mask can be named.", step,
                             severity=Severity.ERROR, evidence=("the same masks were put through a new process", *evidence_of(step)),
                             fix="Look for what the loss leaves running after it returns: threads, timers, signal handlers.")

    # Failures that masks are responsible for

    def refused_ids(self, batch: Batch, cause: Cause, ids: set[int]) -> LossFinding:
        """Ids that the loss does not accept: a single pixel of them is enough."""
        step = cause.outcome.last
        present = sorted(ids & set(self.masks.data.ids))
        tried = sorted(cause.ids)
        names, sample = self.batches.names(batch), cause.masks[0]
        first = cause.pixel[1:] if cause.pixel else cause.box[:2] if cause.box else None
        name = f"{names[sample]}, " if len(self.holding(present)) > 1 else ""
        where = f" ({name}row {first[0]}, column {first[1]})" if first else ""
        enough = "One pixel" if cause.level == "pixel" else "A region"
        also = f"only {id_ranges(tried)} was tried; the others lie on the same side of the classes"
        ignored = [label for label in present if label in self.spec.ignore_index]
        return self.finding(rule_of(step), f"{sentence(step)}. {enough} of {id_ranges(tried)} is enough{where}.", step,
                             severity=Severity.ERROR, cause=cause, batch=names, ids=tuple(present), pixels=self.pixels(present),
                             first=first, box=cause.box, sample=sample, says_where=bool(where),
                             evidence=(*cause.evidence, *[also] * (tried != present), *evidence_of(step)),
                             fix=self.declare(ignored, step) if ignored else self.scan(), **files_of(self.holding(present)))

    def caused(self, batch: Batch, cause: Cause, explained: Outcome, too_small: bool, concerned: Sequence[str] = ()) -> LossFinding:
        """Any other failure: because of a mask, of several together, of a class that is absent, or of the shape of the batch.

        `concerned` are the masks of the set that lack what the masks at fault lack.
        """
        step, names, says = explained.last, self.batches.names(batch), self.batches
        at_fault = tuple(names[index] for index in cause.masks)
        rule = rule_of(step)
        if cause.level == "unstable":
            rule, tail = rule_named("unstable-failure"), f"in {cause.repeats[0]} of {cause.repeats[1]} runs of the very same batch"
        elif too_small:
            rule, tail = rule_named("not-mask-dependent"), f"on {says.size(batch)}: the batch is too small, since twice as many masks pass"
        elif cause.level == "shape":
            rule, tail = self._rule_without_masks(step), f"whatever the masks hold, on {says.size(batch)}"
        else:
            tail = says.reason(batch, cause, at_fault, len(concerned))
        rare = is_latent(step) or (batch.kind != BatchKind.TRAINING and batch.chance < _RARE)
        return self.finding(rule, f"{sentence(step)}, {tail}.", step, severity=Severity.WARNING if rare else None,
                             cause=cause, batch=names, sample=cause.masks[0] if cause.masks else None, box=cause.box,
                             first=cause.pixel[1:] if cause.pixel else None,
                             evidence=(*cause.evidence, *says.odds(batch), *[_LATENT] * is_latent(step), *evidence_of(step)),
                             fix=says.fix(batch, cause), **files_of(concerned or at_fault or names))

    def count_alike(self, findings: Sequence[LossFinding], step: Step, batch: Batch, absence: Absence | None = None) -> list[LossFinding]:
        """Count a further failure of a kind that was searched often enough, or that an absence explains, in the last such finding."""
        names = self.batches.names(batch)
        alike = [i for i, finding in enumerate(findings) if (finding.code, finding.regime) == (rule_of(step).code, step.regime)
                 and (absence is None or finding.level == "absent-class")]
        if not alike:
            return [*findings, self.finding(rule_of(step), f"{sentence(step)}.", step, batch=names, **files_of(names))]
        last = findings[alike[-1]]
        evidence = last.evidence[:-1] if last.repeated else last.evidence
        number = last.repeated + 1
        how = "not searched" if absence is None else "and would pass with these classes"
        more = f"{count(number, 'more batch fails', 'more batches fail')} in the same way, {how}; the last: {listed(names, 3)}"
        files = files_of(tuple(dict.fromkeys([*last.concerns, *names]))) if absence and absence.from_batch else {}
        counted = replace(last, evidence=(*evidence, more), repeated=number, **({"path": None} | files if files else {}))
        return [counted if i == alike[-1] else finding for i, finding in enumerate(findings)]

    def zero_signal(self, findings: Sequence[LossFinding], batch: Batch, step: Step, unseen: Sequence[int]) -> list[LossFinding]:
        """A batch that nothing can be learned from; batches of the same kind share a finding.

        `unseen` are the ids of pixels from which something could be learned, were they stored as a class.
        """
        rule, names, ids = rule_named("zero-signal"), self.batches.names(batch), tuple(unseen)
        for i, finding in enumerate(findings):
            if finding.code == rule.code and finding.ids == ids:
                files = FileList(sorted({*finding.concerns, *names}))
                return [*findings[:i], replace(finding, path=None, files=files), *findings[i + 1:]]
        why = (f"with a class in place of {id_ranges(ids)} there is something to learn" if ids else
               f"such as {self.batches.size(batch)}{self.batches.common(batch)}")
        return [*findings, self.finding(rule, f"The gradient is exactly 0, and nothing is learned: {why}.", step, ids=ids,
                                         severity=Severity.ERROR if ids else None, batch=names, fix=self.scan() if ids else "",
                                         evidence=(*self.batches.odds(batch), f"loss {step.loss:g} on random logits"), **files_of(names))]

    def no_gradient(self, findings: Sequence[LossFinding], step: Step) -> list[LossFinding]:
        """Nothing is learned, whatever the masks hold; this takes the place of what was said of single batches."""
        code = rule_named("zero-signal").code
        return [*(finding for finding in findings if finding.code != code or finding.ids), self.finding(
            rule_named("not-mask-dependent"), "The gradient is exactly 0, whatever the masks hold: nothing is ever learned.", step,
            level="shape", mentions_neutral_masks=True,
            evidence=("no batch gives a gradient, and neutral masks do not either", f"loss {step.loss:g} on random logits"),
            fix="Look for what cuts the loss off from the logits: detach(), no_grad(), argmax, rounding or a comparison, a new tensor made "
                "of values, or a factor of 0.")]

    # Parts of findings

    def finding(self, rule: Rule, message: str, step: Step, cause: Cause | None = None, **details: Any) -> LossFinding:
        """A finding of a rule, with the loss, where it was seen, and how to repeat it; `details` are fields of `LossFinding`."""
        worker = self.run.handshake
        on_cpu = worker.get("device", "cpu") == "cpu"
        where = " ".join(str(worker[key]) for key in ("device", "device_name", "framework") if worker.get(key))
        if cause is not None:
            details |= {"level": cause.level, "repeats": cause.repeats, "mentions_neutral_masks": cause.mentions_neutral_masks}
        if details.get("first") is not None and details.get("sample") is not None:
            details["first_file"] = details["batch"][details["sample"]]
        again = repro(details.get("batch", ()), self.masks, self.spec, self.run, self.images)
        return loss_finding(rule, message, step, loss=str(self.run.loss), verified_on=where, repro=again,
                            expected_on_cuda=expected_on_cuda(step, self.settings) if on_cpu else "", **details)

    def _rule_without_masks(self, step: Step) -> Rule:
        """The rule for a failure that does not depend on the masks."""
        return rule_named("not-mask-dependent") if step.status in ("exception", *NOT_FINITE) else rule_of(step)

    def holding(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The names of the masks that hold any of some ids."""
        return tuple(mask.name for mask in self.masks.contents if not set(ids).isdisjoint(mask.ids))

    def pixels(self, ids: Sequence[int]) -> int:
        """How many pixels of the set hold some ids."""
        return sum(self.masks.data.ids[label] for label in ids)

    def declare(self, ids: Sequence[int], step: Step) -> Fix:
        """What to do where the loss does not skip ignored ids."""
        first, *others = ids
        more = f" So it is with {id_ranges(others)}; a loss that skips a single id needs them remapped to it." if others else ""
        return Fix.advice(how_to_skip(first, self.run.loss, self.run.handshake, step) + more)

    def scan(self) -> Fix:
        """The command that names the cause; for masks that are not files, what to do."""
        if not any(path for path, _ in self.masks.files):
            return Fix.advice("Correct the mask, or declare the id to the loss if it is meant to be ignored.")
        ignored = (argument for label in self.spec.ignore_index for argument in ("--ignore-index", str(label)))
        scan = ("labelguard", "scan", path_argument(self.masks.data.root), "--num-classes", str(self.spec.num_classes), *ignored)
        return Fix.command(*scan, safe=False)  # it finds the cause, and changes nothing


def files_of(names: Sequence[str]) -> dict[str, Any]:
    """One file is the path of a finding, several are its files."""
    return {"path": names[0]} if len(names) == 1 else {"files": tuple(names)}
