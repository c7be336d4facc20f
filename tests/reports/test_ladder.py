"""A UE's call flow in the terminal."""

import orjson
import pytest

from regstorm.records.files import BadFile
from reports.ladder import ladder, read_traces

EVENTS = [
    {"ue": "imsi-1", "at_s": 190.0, "event": "attempt", "name": "5G registration"},
    {"ue": "imsi-1", "at_s": 190.0, "event": "up", "name": "REGISTRATION REQUEST", "detail": "kind #1 initial"},
    {"ue": "imsi-1", "at_s": 190.1, "event": "down", "name": "REGISTRATION REJECT", "detail": "cause #22 congestion"},
    {"ue": "imsi-1", "at_s": 190.1, "event": "waiting", "name": "T3346", "detail": "begins"},
]


def written(tmp_path, events):
    (tmp_path / "traces.jsonl").write_bytes(b"\n".join(orjson.dumps(event) for event in events) + b"\n")
    return tmp_path


def test_messages_are_arrows_and_everything_else_stands_beside_the_ues_line(tmp_path):
    lines = list(ladder(read_traces(written(tmp_path, EVENTS)), outage_end_s=180.0))

    assert lines[1].split("|")[0].split() == ["190.000", "+10.000"]
    assert "begins: 5G registration" in lines[1]
    assert "| REGISTRATION REQUEST (kind #1 initial) ---" in lines[2]
    assert lines[2].endswith("->|")
    assert "|< REGISTRATION REJECT (cause #22 congestion) ---" in lines[3]
    assert "wait for T3346 begins" in lines[4]


def test_the_time_is_said_once_for_what_happens_at_once(tmp_path):
    lines = list(ladder(read_traces(written(tmp_path, EVENTS)), outage_end_s=180.0))

    assert lines[2].startswith(" " * 25)
    assert "190.100" in lines[3]


def test_a_run_without_traces_and_a_line_that_is_none_are_said_in_one_line(tmp_path):
    with pytest.raises(BadFile, match="not started with --trace"):
        read_traces(tmp_path)
    with pytest.raises(BadFile, match=r"traces.jsonl: line 2: expected an event"):
        read_traces(written(tmp_path, [EVENTS[0], ["no"]]))
