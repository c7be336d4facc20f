"""regstorm doctor: what this machine can do."""

import os
import platform
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.console import Console

from regstorm.cli.exit_codes import INTERNAL_ERROR
from regstorm.drivers.sctp import kernel_has_sctp

LEAST_PYTHON = (3, 11)
FILES_NEEDED = 1024
"""A gNB takes two descriptors, a run at 1:100 has about a dozen gNBs."""


class Finding(NamedTuple):
    """What was found and what it means. `fine` None: worth knowing, needed for nothing that is asked by default."""

    fine: bool | None
    text: str


def doctor() -> None:
    """Says what this machine can do: Python, cores, file limit, SCTP, tshark, chromium.

    Example: regstorm doctor
    """
    import typer

    console = Console()
    findings = list(examine())
    for fine, text in findings:
        mark = {True: "ok  ", False: "BAD ", None: "note"}[fine]
        console.print(f"{mark} {text}", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(INTERNAL_ERROR if any(finding.fine is False for finding in findings) else 0)


def examine(which: Callable[[str], str | None] = shutil.which) -> Iterator[Finding]:
    """One finding for each thing that matters."""
    version = platform.python_version()
    enough = sys.version_info[:2] >= LEAST_PYTHON
    yield Finding(enough, f"Python {version}: {'enough' if enough else 'expected 3.11 or later'}")
    cores = os.cpu_count() or 1
    yield Finding(True, f"{cores} cores: compare runs {cores} storms at a time")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = files >= FILES_NEEDED
    yield Finding(enough, f"{files} open files: " + ("enough" if enough else f"expected {FILES_NEEDED} (ulimit -n)"))
    sctp = kernel_has_sctp()
    says = (
        "real cores can be reached over SCTP"
        if sctp
        else "real cores need it (modprobe sctp), the bundled one does not"
    )
    yield Finding(True if sctp else None, f"SCTP in the kernel: {'yes' if sctp else 'no'}: {says}")
    for program, package, use in (
        ("tshark", "tshark", "dissects captures in the tests"),
        ("chromium", "chromium", "looks at report pages in the tests"),
    ):
        there = which(program) is not None
        yield Finding(True if there else None, f"{program}: {'yes' if there else f'no (package {package})'}: {use}")
