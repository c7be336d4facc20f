"""What is tested here depends on the kernel: see association_rig.py."""

from association_rig import TRANSPORTS

# Nothing is skipped on a kernel without SCTP: what only SCTP can show is not collected there, and
# tests/kernel_sctp/run_in_uml.sh collects it on one that has it.
collect_ignore_glob = [] if "sctp" in TRANSPORTS else ["test_sctp_*.py"]
