"""The command line: which commands there are, and how whatever goes wrong ends (exit_codes).

Wrong input is one line on stderr and 2; an error of our own is one line and 1, with its traceback under --debug.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from regstorm.cli import amplification, compare, core, doctor, report, scenarios, strategies, sweep, trace
from regstorm.cli import plan as plan_command
from regstorm.cli import run as run_command
from regstorm.cli.exit_codes import BAD_INPUT, INTERNAL_ERROR, INTERRUPTED, PASSED
from regstorm.records.files import BadFile

DEBUG = "--debug"

app = typer.Typer(
    name="regstorm",
    help="Registration storms: how long until everybody is back, and which overload control gets them back soonest.",
    epilog="Example: regstorm compare outage_return --strategies self_protection,precise,tiered",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command()(compare.compare)
app.command()(run_command.run)
app.command()(plan_command.plan)
app.command()(amplification.amplification)
app.command()(sweep.sweep)
app.command()(core.core)
app.command()(report.report)
app.command()(trace.trace)
app.command()(strategies.strategies)
app.command()(scenarios.scenarios)
app.command()(doctor.doctor)


@app.callback(invoke_without_command=True)
def _without_a_command(
    context: typer.Context,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show the traceback of an internal error.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str]) -> int:
    """Runs one command; returns the exit code."""
    try:
        return app(args=list(arguments), prog_name="regstorm", standalone_mode=False) or PASSED
    except BadFile as error:
        return _complain(str(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    except Exception as error:
        said = getattr(error, "format_message", None)  # what typer raises for a wrong option
        if said is not None:
            return _complain(said(), BAD_INPUT)
        if DEBUG in arguments:
            traceback.print_exc()
        return _complain(
            f"internal error: {type(error).__name__}: {error} (regstorm {DEBUG} shows where)", INTERNAL_ERROR
        )


def _complain(text: str, code: int) -> int:
    print(f"regstorm: {' '.join(text.split())}", file=sys.stderr)
    return code


def run() -> None:
    """Entry point of the `regstorm` command."""
    code = main(sys.argv[1:])
    if code == INTERRUPTED:  # somebody waits, and taking the interpreter down takes its time
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
