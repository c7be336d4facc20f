"""What a generator and a core say to each other, line by line."""

import pytest

from regstorm.drivers import control
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

SCENARIO = Scenario.model_validate(
    {
        "name": "small",
        "title": "A storm for a test",
        "population": {"outage_ues": 5, "online_ues": 2},
        "core": {"udm": {"capacity_pairs_per_s": 100}},
    }
)
STRATEGY = Strategy(name="none", title="none", summary="none")
COMMANDS = [
    control.SetUp(scenario=SCENARIO, strategy=STRATEGY, seed=1, outage_ues=5, online_ues=2),
    control.Begin(zero=1.7e9, speed=30.0),
    control.Outage(at_s=120.0, outage_ues=5),
    control.Outage(outage_ues=5),
    control.Switch(strategy=STRATEGY),
    control.Stop(ended_s=760.5),
]
REPORTS = [
    control.Ready(host="127.0.0.1", port=38412),
    control.Seconds(first=3, seconds=[({"udm.offered": 13}, {}), ({}, {"ues.waiting": 2})]),
    control.Ended(lateness={-5: 3, 17: 1}, lateness_max_s=0.3, cpu_s=1.5, connections=0),
    control.Refused(why="there is no core yet"),
]


@pytest.mark.parametrize("message", COMMANDS, ids=lambda message: message.do)
def test_a_command_is_one_line_and_reads_as_it_was_meant(message):
    line = control.as_line(message)
    assert line.count(b"\n") == 1
    assert control.command(line) == message


@pytest.mark.parametrize("message", REPORTS, ids=lambda message: message.told)
def test_a_report_is_one_line_and_reads_as_it_was_meant(message):
    assert control.report(control.as_line(message)) == message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello", "the line: Invalid JSON"),
        (b"[]", "the line: "),
        (b"{}", "the line: Unable to extract tag"),
        (b'{"do": "dance"}', "the line: Input tag 'dance'"),
        (b'{"do": "begin", "zero": 0, "speed": 0}', "begin.speed: "),
        (b'{"do": "stop", "ended_s": 1, "now": 2}', "stop.now: Extra inputs"),
    ],
)
def test_what_is_no_command_says_why_in_one_line(line, why):
    with pytest.raises(control.NotUnderstood) as told:
        control.command(line)
    assert str(told.value).startswith(why)
    assert "\n" not in str(told.value)


def test_lines_are_cut_wherever_the_socket_cuts_them():
    octets = b"".join(control.as_line(message) for message in COMMANDS)
    lines = control.Lines()
    read = [control.command(line) for n in range(0, len(octets), 7) for line in lines.take(octets[n : n + 7])]
    assert read == COMMANDS


def test_a_line_without_end_is_cut_off():
    lines = control.Lines()
    assert list(lines.take(bytes(control.LINE_LIMIT))) == []
    with pytest.raises(control.NotUnderstood, match="more than"):
        list(lines.take(b"{"))
