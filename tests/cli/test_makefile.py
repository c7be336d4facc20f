"""make on a fresh machine: what is missing is one line with the package that brings it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from regstorm.cli.sources import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs the package make")


def make_demo(tmp_path: Path, python: str) -> str:
    ended = subprocess.run(
        ["make", "--no-print-directory", "-C", str(ROOT), "demo", f"VENV={tmp_path / 'venv'}", f"PYTHON={python}"],
        capture_output=True,
        text=True,
    )
    assert ended.returncode != 0
    assert not (tmp_path / "venv").exists()
    return ended.stdout


def test_without_a_python_that_is_new_enough_make_names_the_package(tmp_path):
    assert make_demo(tmp_path, "") == "Python 3.11 or later is missing: apt-get install python3 (or python3.11)\n"


def test_without_the_venv_module_make_names_the_package(tmp_path):
    without_venv = tmp_path / "python3"
    without_venv.write_text("#!/bin/sh\nexit 1\n")
    without_venv.chmod(0o755)

    assert make_demo(tmp_path, str(without_venv)) == "Python's venv module is missing: apt-get install python3-venv\n"
