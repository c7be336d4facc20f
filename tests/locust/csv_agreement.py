"""Locust's own CSV files against timeline.csv of the same storm."""

from locust_runs import locusts_counts, timeline_totals

from regstorm.measures.ue_counts import FAMILIES, SESSIONS, cause_suffix


def assert_locust_and_timeline_agree(out):
    """Attempts that ended, and failures by cause, of every procedure that timeline.csv has."""
    attempts, causes = locusts_counts(out / "locust")
    totals = timeline_totals(out)
    sessions = [name for name in attempts if name.startswith("PDU session")]
    compared = 0
    for family, names in [*((family, [name]) for name, family in FAMILIES.items()), (SESSIONS, sessions)]:
        ended = sum(attempts.get(name, (0, 0))[0] for name in names)
        failed = sum(attempts.get(name, (0, 0))[1] for name in names)
        assert ended == totals[family.successes] + totals[family.failures], names
        assert failed == totals[family.failures], names
        by_cause = {}
        for (name, cause), count in causes.items():
            if name in names:
                column = f"{family.failures}.{cause_suffix(cause)}"
                by_cause[column] = by_cause.get(column, 0) + count
        assert by_cause == {
            name: total for name, total in totals.items() if name.startswith(f"{family.failures}.") and total
        }
        compared += ended
    assert compared > 300
