"""`locust --otel` with parked users: what Locust exports of a storm is what its own CSV says.

Locust makes spans for requests of the HTTP library `requests` alone; a UE's attempts are in its metrics.
"""

import pytest
from locust_runs import locusts_counts, run_locust, small_storm
from otlp_sink import otlp_sink

pytestmark = pytest.mark.slow


def test_attempts_are_exported_by_name_and_failures_by_family_of_causes(tmp_path, monkeypatch):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra locust[otel]")
    with otlp_sink() as sink:
        for name, value in {
            "OTEL_TRACES_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "none",
            "OTEL_METRICS_EXPORTER": "otlp",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_ENDPOINT": sink.address,
            "OTEL_METRIC_EXPORT_INTERVAL": "1000",
        }.items():
            monkeypatch.setenv(name, value)
        csv = ["--csv", str(tmp_path / "locust")]
        ended = run_locust("--headless", "--only-summary", "--otel", *csv, *small_storm(tmp_path))

    assert ended.returncode in (0, 3), ended.stdout
    attempts, _ = locusts_counts(tmp_path / "locust")
    exported = {}
    for (name, error), (count, _) in sink.histogram.items():
        of_name = exported.setdefault(name, [0, 0])
        of_name[0] += count
        of_name[1] += count if error else 0
    assert {name: tuple(counts) for name, counts in exported.items()} == {
        name: counts for name, counts in attempts.items() if name != "Aggregated"
    }
    assert exported["5G registration"][0] >= 100
    assert {error for _, error in sink.histogram if error} <= {
        "Congestion",
        "NetworkRejected",
        "NoAnswer",
        "LowerLayerFailure",
    }
    assert sink.most_users == {"OutageUe": 100, "OnlineUe": 50}
