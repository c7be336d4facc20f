"""A scenario may only ask for timers that the network can tell its UEs (TS 24.008 10.5.7.4, 10.5.7.4a)."""

import pytest

from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.records.core_settings import Amf
from regstorm.records.files import BadFile, read
from regstorm.records.gprs_timers import gprs_timer_2, gprs_timer_3
from regstorm.records.scenario import Scenario

SCENARIO = """
name: small
title: A storm for a test
population: {outage_ues: 1, online_ues: 0}
core: {udm: {capacity_pairs_per_s: 1000}}
"""


@pytest.fixture
def scenario_file(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(SCENARIO)
    return path


def test_the_defaults_are_said_exactly():
    amf = Amf()
    assert GprsTimer3.of(amf.t3512_s).seconds == amf.t3512_s == 3600
    assert GprsTimer2.of(amf.t3502_s).seconds == amf.t3502_s == 720


def test_zero_is_said_it_means_no_periodic_update(scenario_file):
    assert read(scenario_file, Scenario, ["core.amf.t3512_s=0"]).core.amf.t3512_s == 0


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            "core.amf.t3512_s=3240",
            "core.amf.t3512_s: GPRS timer 3 cannot say 3240 s; the nearest that it says: 3000 or 3600",
        ),
        ("core.amf.t3512_s=1", "core.amf.t3512_s: GPRS timer 3 cannot say 1 s; the nearest that it says: 0 or 2"),
        ("core.amf.t3502_s=63", "core.amf.t3502_s: GPRS timer 2 cannot say 63 s; the nearest that it says: 62 or 120"),
        (
            "core.amf.t3502_s=12000",
            "core.amf.t3502_s: GPRS timer 2 cannot say 12000 s; the nearest that it says: 11160",
        ),
    ],
)
def test_a_timer_that_cannot_be_said_is_refused_in_one_line(scenario_file, change, line):
    with pytest.raises(BadFile) as refusal:
        read(scenario_file, Scenario, [change])
    assert str(refusal.value) == f"{scenario_file}: {line}"


@pytest.mark.parametrize(("says", "timer"), [(gprs_timer_2, GprsTimer2), (gprs_timer_3, GprsTimer3)])
def test_a_duration_is_accepted_exactly_if_the_codec_keeps_it(says, timer):
    """Held against the codec, from another floor: every second up to an hour, every minute of a day."""
    for seconds in [*range(3601), *range(0, 86_400, 60)]:
        if timer.of(seconds).seconds == seconds:
            assert says(seconds) == seconds
        else:
            with pytest.raises(ValueError, match="nearest"):
                says(seconds)
