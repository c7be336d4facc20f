"""The process that plays one storm."""

import subprocess
import sys

WHAT_A_SIMULATED_STORM_NEEDS = """
import sys
from regstorm.cli import run_directories, storm_process
from regstorm.simulator import run
print(*sorted({"pandas", "numpy", "locust", "gevent"} & set(sys.modules)))
"""


def test_a_process_that_simulates_a_storm_does_without_tables_and_greenlets():
    found = subprocess.run(
        [sys.executable, "-c", WHAT_A_SIMULATED_STORM_NEEDS], check=True, capture_output=True, text=True
    )
    assert found.stdout.split() == []  # pandas alone is 50 MB of the 300 that a storm of full size may take
