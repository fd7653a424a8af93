"""`kb models list|pull|add|use|verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session

if TYPE_CHECKING:
    from kb_app.container import Container
    from kb_app.wire import ModelListV1

models_app = typer.Typer(help="Speech models: list, get, choose, check.", no_args_is_help=True)
UseOption = Annotated[
    bool, typer.Option("--use/--no-use", help="Transcribe with this model from now on.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(models_app, name="models")


@models_app.command("list")
def list_models(json_output: JsonOption = False) -> None:
    """List models that are here and models that can be pulled."""
    from kb_app.models import list_models as get_models

    _show(get_models(_container()), json_output)


@models_app.command()
def pull(
    name: Annotated[str, typer.Argument(help="Name of a published model.")],
    use: UseOption = True,
    json_output: JsonOption = False,
) -> None:
    """Fetch a published model; an interrupted download is resumed."""
    from kb_app.models import pull_model
    from kb_cli.progress import byte_progress, cancel_on_interrupt

    with cancel_on_interrupt() as cancel, byte_progress(f"model {name}") as progress:
        report = pull_model(_container(), name, use=use, progress=progress, cancel=cancel)
    _show(report, json_output)


@models_app.command()
def add(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A model file of the engine in use; for faster-whisper its folder."
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="Its name here; default: from the file name.")
    ] = None,
    use: UseOption = True,
    json_output: JsonOption = False,
) -> None:
    """Take a model file of your own."""
    from kb_app.models import add_model

    _show(add_model(_container(), file, name=name, use=use), json_output)


@models_app.command("use")
def use_model(
    name: Annotated[str, typer.Argument(help="Name of a model that is here.")],
    json_output: JsonOption = False,
) -> None:
    """Transcribe with a model from now on; `kb status` shows what that makes stale."""
    from kb_app.models import use_model as choose

    _show(choose(_container(), name), json_output)


@models_app.command()
def verify(
    name: Annotated[str | None, typer.Argument(help="One model; default: all.")] = None,
    json_output: JsonOption = False,
) -> None:
    """Read model files again and compare their digests."""
    from kb_app.models import verify_models
    from kb_app.wire import DoctorReportV1

    findings = verify_models(_container(), name)
    report = DoctorReportV1(healthy=all(each.ok for each in findings), findings=findings)
    if json_output:
        session.print_json(report)
    elif not report.findings:
        print("no model file here yet")
    else:
        from kb_cli.render import render_findings

        render_findings(report.findings)
    if not report.healthy:
        raise typer.Exit(ExitCode.UNHEALTHY)


def _container() -> Container:
    from kb_app.container import Container

    return Container(session.settings())


def _show(report: ModelListV1, json_output: bool) -> None:
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_models

    render_models(report)
