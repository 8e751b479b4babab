"""labelguard probe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelguard.cli.help import Command
from labelguard.cli.options import DEFAULT_SOURCE, planned_reports, report_options, resolve_spec, spec_options
from labelguard.cli.printing import print_report

if TYPE_CHECKING:
    from labelguard.lossprobe import ImportPath, Probing
    from labelguard.report.base import Format


class _InOrder(Command):
    """Remembers which loss each --loss-arg follows: click passes on the values of each option, but not their order."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        seen = 0
        after: list[int] = []
        for word in args:
            name = word.partition("=")[0]
            seen += name == "--loss"
            if name == "--loss-arg":
                after.append(max(seen - 1, 0))
        context.meta["labelguard.after"] = after
        return super().parse_args(context, args)


@click.command(name="probe", short_help="Put every mask through the target loss.", cls=_InOrder)
@click.argument("sources", nargs=-1, metavar="[SRC]...")
@click.option("--loss", "losses", multiple=True, required=True, metavar="MODULE:NAME",
              help="The loss: a class, a function, or a function without arguments that returns it; also FILE.py:NAME (repeatable).")
@click.option("--loss-arg", "loss_arguments", multiple=True, metavar="K=V", help="Argument of the preceding loss (repeatable).")
@spec_options
@click.option("--batch-size", type=click.IntRange(min=1), default=8, show_default=True, metavar="N",
              help="Masks in a batch, on one device.")
@click.option("--drop-last", is_flag=True, help="Training drops the last, partial batch.")
@click.option("--in-order", is_flag=True, help="Training does not shuffle: form batches in the order of the names.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the shuffle that forms the batches.")
@click.option("--device", type=click.Choice(["auto", "cuda", "cpu"]), default="auto", show_default=True, help="Where the loss runs.")
@click.option("--require-gpu", is_flag=True, help="End with exit code 3 if there is no GPU.")
@click.option("--amp", type=click.Choice(["fp32", "fp16", "bf16"]), default="fp32", show_default=True,
              help="Precision that training uses (autocast).")
@click.option("--model", metavar="MODULE:NAME", help="Probe training steps of this network; needs --images.")
@click.option("--model-arg", "model_arguments", multiple=True, metavar="K=V", help="Argument of the network (repeatable).")
@click.option("--images", type=click.Path(path_type=Path), metavar="DIR", help="Images for the network, paired with the masks by name.")
@click.option("--framework", type=click.Choice(["torch", "jax", "tensorflow", "paddle", "mindspore", "mxnet"]), default="torch",
              show_default=True, help="The framework that the loss is written in.")
@click.option("--python", metavar="EXE", help="Interpreter that has the framework; by default the one that runs labelguard.")
@click.option("--target", type=click.Choice(["index", "index1", "binary", "onehot", "foreground"]),
              help="The form in which the loss gets masks: ids (N, H, W) or (N, 1, H, W), floats (N, 1, H, W), or one plane for each "
                   "class, or for each class except 0. By default found by trying.")
@click.option("--activation", type=click.Choice(["none", "sigmoid", "softmax", "log-softmax"]),
              help="What is applied to the logits before the loss; by default found by trying.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=10.0, show_default=True, metavar="SECONDS",
              help="Time limit of one pass; where passes are slow, 20 times their median. The first ones may take six times as long.")
@click.option("--max-memory", type=click.FloatRange(min=0.1), metavar="GB",
              help="Memory that the worker may use; by default most of what is free.")
@click.option("--fail-on", type=click.Choice(["error", "warning", "never"]), default="error", show_default=True,
              help="Findings of this severity, or worse, give exit code 1.")
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True,
              help="Format of the report that is printed; github annotates the files of a pull request, then prints the text.")
@report_options
@click.pass_context
def command(context: click.Context, /, sources: tuple[str, ...], losses: tuple[str, ...], num_classes: int | None,
            ignore_index: tuple[int, ...], classes: Path | None, preset: str | None, in_order: bool, seed: int, model: str | None,
            model_arguments: tuple[str, ...], images: Path | None, fail_on: str, format_: Format, output: Path | None,
            reports: tuple[str, ...], loss_arguments: tuple[str, ...], max_memory: float | None, **settings: Any) -> None:
    """Put every mask through the target loss, forward and backward, in a process that may die.

    SRC are masks, or folders of masks; ./masks if none is given. They go through in the batches that training will form, and in the
    worst ones that another shuffle can form. Where a batch fails, the report names the file, the pixel and the reason, and prints a
    command that repeats just that batch. Ids that are not a class and that the loss accepts without an error are found too.

    \b
    labelguard probe ./masks --loss torch.nn:CrossEntropyLoss --loss-arg ignore_index=255 --num-classes 12
    labelguard probe ./masks --loss my_losses.py:build --num-classes 12 --batch-size 4 --device cuda --amp fp16
    labelguard probe ./masks --loss my_losses.py:build --num-classes 12 --model my_model.py:Net --images ./images

    Exit codes: 0 no findings at or above --fail-on; 1 findings; 2 wrong usage; 3 could not complete; 130 interrupted.
    """
    from labelguard.lossprobe import ImportPath, Probing, Settings
    from labelguard.lossprobe.supervisor.launcher import Launcher
    from labelguard.lossprobe.supervisor.settings import parse_arguments
    spec, origin = resolve_spec(num_classes, ignore_index, classes, preset)
    probing = Probing(sources or (DEFAULT_SOURCE,), _import_paths(losses, loss_arguments, context.meta["labelguard.after"]), spec,
                      Settings(seed=None if in_order else seed, max_memory=max_memory and max_memory * 1e9, **settings),
                      None if model is None else ImportPath(model, parse_arguments(model_arguments)), images, origin,
                      context.find_object(Launcher) or Launcher())
    context.exit(drive_probe(probing, fail_on, format_, output, reports))


def drive_probe(probing: Probing, fail_on: str = "error", format_: Format = "text", output: Path | None = None,
                reports: Sequence[str] = ()) -> int:
    """Probe, print the report and return the exit code."""
    from labelguard.cli.progress import watch_to_its_end
    from labelguard.finding import Severity
    file, files = planned_reports(output, reports, format_)
    watch_to_its_end(probing)
    report = probing.result()
    limit = None if fail_on == "never" else Severity(fail_on)
    print_report(report, format_, file, limit, files)
    return report.exit_code(limit)


def _import_paths(losses: Sequence[str], arguments: Sequence[str], after: Sequence[int]) -> list[ImportPath]:
    """Each loss with the arguments that follow it."""
    from labelguard.lossprobe.supervisor.settings import ImportPath, parse_arguments
    return [ImportPath(loss, parse_arguments(text for text, place in zip(arguments, after, strict=True) if place == number))
            for number, loss in enumerate(losses)]
