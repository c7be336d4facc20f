"""Single UEs of the simulator, step by step: what they do at which second."""

import pytest
from simulated_storms import OPEN, PRECISE, run, scenario

from regstorm.records import counters
from regstorm.records.strategy import Gate, Guidance, Strategy, T3346Window
from regstorm.simulator import events
from regstorm.simulator.chain import SERVICE_REQUEST
from regstorm.simulator.population import ESTABLISHING
from regstorm.simulator.run import Storm
from ue_models.rules import NoAnswer

UNREACHABLE = {"udm": {"capacity_pairs_per_s": 1e-3}, "amf": {"capacity_messages_per_s": 1e6}}
"""A UDM that takes a quarter of an hour for a pair: whoever asks it gets no answer."""


def seconds_of(storm: Storm, counter: str) -> list[int]:
    """Whole seconds from the end of the outage in which something was counted."""
    return [second for second, n in enumerate(storm.timeline.column(counter, storm.outage_end_s)) if n]


def one_ue(**parts) -> Storm:
    outage = {"arrivals_s": 1e-6, **parts.pop("outage", {})}
    return Storm(scenario(1, ue={"retry_jitter_s": 0}, outage=outage, **parts), OPEN, seed=1)


def test_without_an_answer_a_ue_tries_five_times_25_s_apart_and_then_after_t3502():
    """T3510 15 s and T3511 10 s; the fifth failure starts T3502, 720 s by default (TS 24.501 5.5.1.2.7)."""
    storm = run(one_ue(core=UNREACHABLE, outage={"recovery_within_s": 900}))
    assert seconds_of(storm, counters.REG_INIT_REQ) == [0, 25, 50, 75, 100, 835, 860, 885]
    assert storm.timeline.subtotals(counters.REG_INIT_FAIL) == {"T3510": 7}


def test_a_ue_waits_for_the_t3502_that_its_network_has_given_it():
    core = {**UNREACHABLE, "amf": {"capacity_messages_per_s": 1e6, "t3502_s": 120}}
    storm = run(one_ue(core=core, outage={"recovery_within_s": 300}))
    assert seconds_of(storm, counters.REG_INIT_REQ)[:6] == [0, 25, 50, 75, 100, 235]


def test_who_asks_the_udm_waits_three_seconds_and_asks_once_more():
    storm = run(one_ue(core=UNREACHABLE, outage={"recovery_within_s": 20}))
    assert seconds_of(storm, counters.UDM_OFFERED) == [0, 3]
    assert seconds_of(storm, counters.BUS_TIMEOUTS) == [3, 6]
    assert seconds_of(storm, counters.AMF_BACKEND_FAILURES) == [6]


@pytest.mark.parametrize(("profile", "starts"), [("impatient", [0, 10, 20, 30, 40, 50]), ("endless", [0, 15, 30, 45])])
def test_profiles_try_again_at_their_own_times(profile, starts):
    """Impatient ones give up after 5 s and try again 5 s later; endless ones wait for T3510 and 0.3 s."""
    population = {"profiles": {"obedient": 0, profile: 1}}
    storm = run(one_ue(core=UNREACHABLE, population=population, outage={"recovery_within_s": 59}))
    assert seconds_of(storm, counters.REG_INIT_REQ)[: len(starts)] == starts


def test_what_the_udm_serves_for_a_ue_that_has_given_up_is_wasted():
    """Pairs take 16 s here: the first is served after T3510, and its registration has been written off."""
    core = {"udm": {"capacity_pairs_per_s": 1 / 16}, "amf": {"capacity_messages_per_s": 1e6}, "bus": {"timeout_s": 40}}
    storm = run(one_ue(core=core, outage={"recovery_within_s": 20}))
    assert seconds_of(storm, counters.UDM_SERVED) == [16]
    assert seconds_of(storm, counters.UDM_PAIRS_LOST) == [16]
    assert storm.timeline.total(counters.REG_INIT_SUCC) == 0


def one_message_at_a_time(follow_up: str) -> Strategy:
    """The bucket holds one token and gains one in 8 s: a UE's second message finds it empty."""
    return Strategy(
        name="narrow",
        title="Narrow",
        summary="One message in eight seconds.",
        gate=Gate(counts="every_uplink_message", share_of_capacity=13 / 6 / 8 / 1e3, depth_s=1e-3, least_depth_ues=1),
        guidance=Guidance(t3346=T3346Window(low_s=30, high_s=30), follow_up=follow_up),
    )


def narrow_storm(follow_up: str, recovery_within_s: float, **amf) -> Storm:
    """Six tokens at the start (the messages of one UE), of which five are gone when the outage ends."""
    storm = Storm(
        scenario(
            1,
            capacity=1e3,
            ue={"retry_jitter_s": 0},
            outage={"arrivals_s": 1e-6, "recovery_within_s": recovery_within_s},
            core={"amf": {"capacity_messages_per_s": 1e6, **amf}},
        ),
        one_message_at_a_time(follow_up),
        seed=1,
    )
    for _ in range(5):
        storm.core.door.gate.admits(9.9)
    return storm


def test_a_dropped_follow_up_is_asked_for_again_by_t3560_and_the_attempt_goes_on():
    storm = run(narrow_storm("drop", 14))
    assert seconds_of(storm, counters.REFUSED_FOLLOW_UP)[0] == 0
    assert seconds_of(storm, counters.NAS_RETRANSMISSIONS) == [6, 12]
    assert storm.timeline.total(counters.REG_INIT_REQ) == 1


def test_what_the_amf_repeats_ends_with_the_connection_that_the_base_station_releases():
    """T3550 would run out after 6 s; the wire, where the AMF is told of the release, repeated no accept."""

    def storm_of(inactivity_s):
        narrow = PRECISE.model_copy(update={"gate": PRECISE.gate.model_copy(update={"share_of_capacity": 0.3})})
        one = scenario(200, capacity=200, online={"inactivity_s": inactivity_s}, outage={"recovery_within_s": 120})
        return run(Storm(one, narrow, seed=1)).timeline

    repeated = f"{counters.NAS_RETRANSMISSIONS}.T3550"
    assert storm_of(inactivity_s=10).total(repeated) > 0
    assert storm_of(inactivity_s=2).total(repeated) == 0


def test_where_the_network_repeats_nothing_a_dropped_follow_up_ends_the_attempt():
    """The AMF gives up and releases after 6 s; the UE tries again after T3511, 10 s (TS 24.501 5.5.1.2.7 f)."""
    storm = run(narrow_storm("drop", 20, nas_retransmissions=0))
    assert seconds_of(storm, counters.REFUSED_FOLLOW_UP)[0] == 0
    assert storm.timeline.total(counters.NAS_RETRANSMISSIONS) == 0
    assert seconds_of(storm, counters.REG_INIT_REQ) == [0, 16]


def test_a_rejected_follow_up_ends_the_attempt_and_starts_t3346():
    storm = run(narrow_storm("reject", 45))
    assert seconds_of(storm, counters.REG_INIT_REQ) == [0, 30]
    assert storm.timeline.subtotals(counters.REG_INIT_FAIL)["22"] >= 1
    assert storm.timeline.column(f"{counters.WAITING}.T3346", storm.outage_end_s)[5:25] == [1] * 20


def test_the_request_of_a_session_attempt_that_has_ended_is_not_sent_any_more():
    """T3580 runs out for the fifth time while T3346 of a refused service request still runs (TS 24.501 6.4.1.5)."""
    storm = one_ue()
    ues, ue = storm.ues, storm.ues._ues[0]
    ue.phase, ue.sessions, ues._unsent[0] = ESTABLISHING, 0, 1
    ue.stage = ues._first_session[ue.chain]
    ues._session_failed(ue, NoAnswer(), "T3580 expired", 1.0)
    assert not ues._unsent[0]


def test_a_session_whose_registration_the_udm_has_not_answered_is_registered_with_the_next_service_request():
    """As the SMF on the wire does: the service request has it set up the resources anew (TS 23.502 4.2.3.2)."""
    storm = one_ue(online={"every_s": 20, "periodic_update_share": 0}, outage={"calm_after_s": 120})
    hears, unheard = storm._handlers[events.CALL_ARRIVES], []

    def udm(request, now, number):
        if request.failed == storm.core.late_pairs_failed:  # of both sessions, both times
            unheard.append(now)
        else:
            hears(request, now, number)

    storm._handlers[events.CALL_ARRIVES] = udm
    run(storm)
    assert len(unheard) == 4
    assert storm.timeline.total("udm.served.N10") == 6
    assert seconds_of(storm, "udm.served.N10")[-1] == seconds_of(storm, counters.SERVICE_SUCC)[0]


@pytest.mark.parametrize(("inactivity_s", "refused"), [(7, True), (5, False)])
def test_nobody_is_told_that_a_session_failed_on_a_connection_that_the_base_station_has_released(inactivity_s, refused):
    """The UDM falls silent for sessions: the AMF learns it after 6 s, two time-outs of 3 s."""
    core = {"amf": {"capacity_messages_per_s": 1e6, "on_backend_failure": "22_t3346"}}
    storm = one_ue(core=core, online={"inactivity_s": inactivity_s}, outage={"recovery_within_s": 12})
    hears = storm._handlers[events.CALL_ARRIVES]

    def udm(request, now, number):
        if request.charge.interface != "N10":
            hears(request, now, number)

    storm._handlers[events.CALL_ARRIVES] = udm
    run(storm)
    assert bool(storm.timeline.total("SM.PduSessionCreationFail.22")) is refused
    assert bool(storm.timeline.total(counters.AMF_ABANDONED)) is not refused


@pytest.mark.parametrize(
    ("for_data", "sessions", "after_s"), [(True, 0b11, 0.02), (True, 0b1, 0.01), (False, 0b1, 0.0)]
)
def test_the_smf_is_asked_for_resources_only_where_a_service_request_is_for_data(for_data, sessions, after_s):
    """A hop for each session that is up; none for signalling, to ask for one that is missing (TS 24.501 5.6.1.1)."""
    storm = one_ue()
    ue = storm.core._ues[0]
    ue.sessions = sessions
    storm.ues._for_data[0] = for_data
    ends_s = []
    storm._handlers[events.STAGE_ENDS] = lambda ue, now, number: ends_s.append(now)
    storm.core._operation(ue, SERVICE_REQUEST, 0.5)
    storm.run_second()
    assert ends_s == [pytest.approx(0.5 + after_s)]
