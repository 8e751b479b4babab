"""labelguard probe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelguard.cli.options import DEFAULT_SOURCE, resolve_spec, spec_options, write_report

if TYPE_CHECKING:
    from labelguard.lossprobe import ImportPath, Probing


class _InOrder(click.Command):
    """Remembers which loss each --loss-arg comes after: click hands on the values of each option, and not their order."""

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
              help="The loss: a class, a function, or a function without arguments that makes it; also FILE.py:NAME. May be repeated.")
@click.option("--loss-arg", "loss_arguments", multiple=True, metavar="K=V", help="Argument of the loss before it; may be repeated.")
@spec_options
@click.option("--batch-size", type=click.IntRange(min=1), default=8, show_default=True, metavar="N",
              help="Masks in a batch, on one device.")
@click.option("--drop-last", is_flag=True, help="The last, partial batch is dropped.")
@click.option("--in-order", is_flag=True, help="Training does not shuffle: batches are formed in the order of the names.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Shuffles the masks into batches.")
@click.option("--device", type=click.Choice(["auto", "cuda", "cpu"]), default="auto", show_default=True, help="Where the loss runs.")
@click.option("--require-gpu", is_flag=True, help="Without a GPU, end with exit code 3.")
@click.option("--amp", type=click.Choice(["fp32", "fp16", "bf16"]), default="fp32", show_default=True,
              help="Precision that training uses (autocast).")
@click.option("--model", metavar="MODULE:NAME", help="Probe a training step of this network too; needs --images.")
@click.option("--model-arg", "model_arguments", multiple=True, metavar="K=V", help="Argument of the network; may be repeated.")
@click.option("--images", type=click.Path(path_type=Path), metavar="DIR", help="Images for the network, paired with the masks by name.")
@click.option("--framework", type=click.Choice(["torch", "jax", "tensorflow", "paddle", "mindspore", "mxnet"]), default="torch",
              show_default=True, help="What the loss is written in.")
@click.option("--python", metavar="EXE", help="Interpreter that has the framework; by default the one that runs labelguard.")
@click.option("--target", type=click.Choice(["index", "index1", "binary", "onehot", "foreground"]),
              help="How the loss gets masks: ids (N, H, W) or (N, 1, H, W), floats (N, 1, H, W), or one plane for each class, or for each "
                   "but class 0. By default found by trying.")
@click.option("--activation", type=click.Choice(["none", "sigmoid", "softmax"]),
              help="What logits go through before the loss; by default found by trying.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=10.0, show_default=True, metavar="SECONDS",
              help="Time limit of one pass; where passes are slow, 20 times their median.")
@click.option("--max-memory", type=click.FloatRange(min=0.1), metavar="GB",
              help="Memory that the worker may take; by default most of what is free.")
@click.option("--fail-on", type=click.Choice(["error", "warning", "never"]), default="error", show_default=True,
              help="Findings of this severity, or worse, give exit code 1.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the report to a file.")
@click.pass_context
def command(context: click.Context, /, sources: tuple[str, ...], losses: tuple[str, ...], num_classes: int | None,
            ignore_index: tuple[int, ...], classes: Path | None, preset: str | None, in_order: bool, seed: int, model: str | None,
            model_arguments: tuple[str, ...], images: Path | None, fail_on: str, format_: str, output: Path | None,
            loss_arguments: tuple[str, ...], max_memory: float | None, **settings: Any) -> None:
    """Put every mask through the target loss, forward and backward, in a process that may die.

    SRC are masks, or folders of them; ./masks where none is given. They go through in the batches that training will form, and in the
    worst ones that another shuffle can form. Where a batch fails, the report names the file, the pixel and the reason, and a command that
    repeats just that batch. Ids that are no class, and that the loss takes without an error, are found too.

    \b
    labelguard probe ./masks --loss torch.nn:CrossEntropyLoss --loss-arg ignore_index=255 --num-classes 12
    labelguard probe ./masks --loss my_losses.py:build --num-classes 12 --batch-size 4 --device cuda --amp fp16
    labelguard probe ./masks --loss my_losses.py:build --num-classes 12 --model my_model.py:Net --images ./images

    Exit codes: 0 clean, 1 findings at or above --fail-on, 2 wrong usage, 3 could not complete, 130 interrupted.
    """
    from labelguard.lossprobe import ImportPath, Probing, Settings
    from labelguard.lossprobe.supervisor.settings import parse_arguments
    spec, origin = resolve_spec(num_classes, ignore_index, classes, preset)
    probing = Probing(sources or (DEFAULT_SOURCE,), _import_paths(losses, loss_arguments, context.meta["labelguard.after"]), spec,
                      Settings(seed=None if in_order else seed, max_memory=max_memory and max_memory * 1e9, **settings),
                      None if model is None else ImportPath(model, parse_arguments(model_arguments)), images)
    context.exit(drive(probing, fail_on=fail_on, format_=format_, output=output, origin=origin))


def drive(probing: Probing, *, fail_on: str = "error", format_: str = "text", output: Path | None = None, origin: str) -> int:
    """Probe, and print what was found; gives the exit code."""
    from labelguard.cli.progress import watch
    from labelguard.finding import Severity
    from labelguard.report.probe import render
    from labelguard.report.progress import Progress
    interrupted = False
    try:
        watch(Progress(*step) for step in probing)
    except KeyboardInterrupt:
        interrupted = True
    report = probing.result()
    failed = report.fails(None if fail_on == "never" else Severity(fail_on))
    exit_code = 130 if interrupted else 1 if failed else 0
    write_report(render(report, format_, exit_code=exit_code, origin=origin, color=output is None and sys.stdout.isatty()), output)
    return exit_code


def _import_paths(losses: Sequence[str], arguments: Sequence[str], after: Sequence[int]) -> list[ImportPath]:
    """Each loss with the arguments that follow it."""
    from labelguard.lossprobe.supervisor.settings import ImportPath, parse_arguments
    return [ImportPath(loss, parse_arguments(text for text, place in zip(arguments, after, strict=True) if place == number))
            for number, loss in enumerate(losses)]
