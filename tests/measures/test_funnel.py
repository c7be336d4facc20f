"""The funnel of the way back, from what UEs tell of their attempts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.measures.domains import Domains
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts
from regstorm.records import domain_counters as names
from regstorm.records import procedures

OUTAGE_END_S = 10.0
UE, OTHER, ONLINE_UE = 0, 1, 2
INTERNET, IMS = procedures.pdu_session("internet"), procedures.pdu_session("ims")
WAY_BACK = (procedures.REGISTRATION, INTERNET, IMS, procedures.IMS_REGISTRATION)
LEVELS = (names.NOW_REGISTERED, names.NOW_SESSIONS_UP, names.NOW_IMS_REGISTERED)
REACHED = (names.ATTEMPTED, names.REGISTERED, names.SESSIONS_UP, names.IMS_REGISTERED)
LOST = (names.REGISTRATION_LOST, names.SESSIONS_LOST, names.IMS_REGISTRATION_LOST)


class Storm:
    """Two UEs of the outage group and one online user, in service until the outage."""

    def __init__(self):
        self.timeline = Timeline(OUTAGE_END_S)
        self.log = ServiceLog(2, 1, OUTAGE_END_S)
        domains = Domains(self.timeline, self.log, ("internet", "ims"))
        self.counts = UeCounts(self.timeline, self.log, domains=domains)
        for ue in range(3):
            self.counts.service_changed(ue, True, 0.0)
        for ue in (UE, OTHER):
            self.counts.service_changed(ue, False, 5.0)
            self.counts.registration_lost(ue, "coverage lost", 5.0)

    def attempt(self, procedure, began, failure=None, ue=UE):
        self.counts.attempt_started(ue, procedure, began)
        self.counts.attempt_ended(ue, procedure, began, began + 0.5, failure)

    def come_back(self, began, ue=UE):
        for n, procedure in enumerate(WAY_BACK):
            self.attempt(procedure, began + n, ue=ue)
        self.counts.service_changed(ue, True, began + 4)

    @property
    def stands(self):
        return tuple(self.timeline.level(name) for name in LEVELS)

    @property
    def reached(self):
        return tuple(self.timeline.total(name) for name in REACHED)

    @property
    def lost(self):
        return tuple(self.timeline.total(name) for name in LOST)


def test_the_outage_empties_every_stage_and_is_not_counted_as_a_loss():
    storm = Storm()
    assert storm.stands == storm.lost == (0, 0, 0)
    storm.timeline.close(10)
    assert [storm.timeline.column(name)[:6] for name in LEVELS] == [[2, 2, 2, 2, 2, 0]] * 3


def test_a_user_passes_the_stages_one_by_one():
    storm = Storm()
    seen = []
    for n, procedure in enumerate(WAY_BACK):
        storm.attempt(procedure, 11.0 + n)
        seen.append((storm.reached, storm.stands))
    assert seen == [
        ((1, 1, 0, 0), (1, 0, 0)),
        ((1, 1, 0, 0), (1, 0, 0)),
        ((1, 1, 1, 0), (1, 1, 0)),
        ((1, 1, 1, 1), (1, 1, 1)),
    ]


def test_a_failed_attempt_brings_no_stage():
    storm = Storm()
    storm.attempt(procedures.REGISTRATION, 11.0, "5GMM #22")
    assert (storm.reached, storm.stands) == ((1, 0, 0, 0), (0, 0, 0))


def test_a_stage_is_reached_once_however_often_a_user_comes_back():
    storm = Storm()
    storm.come_back(11.0)
    storm.counts.service_changed(UE, False, 20.0)
    storm.counts.registration_lost(UE, "5GMM #10", 20.0)
    assert (storm.stands, storm.lost) == ((0, 0, 0), (1, 1, 1))
    assert storm.timeline.total(names.FULL_SERVICE_LOST) == 1
    storm.come_back(21.0)
    assert (storm.reached, storm.stands, storm.lost) == ((1, 1, 1, 1), (1, 1, 1), (1, 1, 1))


def test_losing_ims_leaves_the_5gc_as_it_was():
    storm = Storm()
    storm.come_back(11.0)
    storm.counts.registration_lost(UE, "IMS Timer F expired", 20.0)
    assert (storm.stands, storm.lost) == ((1, 1, 0), (0, 0, 1))


@pytest.mark.parametrize("failure", [None, "T3582 expired"])
def test_a_renewed_ims_session_takes_the_ims_registration_with_it(failure):
    storm = Storm()
    storm.come_back(11.0)
    storm.attempt(procedures.SESSION_RELEASE, 20.0, failure)
    assert (storm.stands, storm.lost) == ((1, 0, 0), (0, 1, 1))


def test_who_asks_for_a_session_does_not_have_it():
    storm = Storm()
    storm.come_back(11.0)
    storm.counts.attempt_started(UE, INTERNET, 20.0)
    assert storm.stands == (1, 0, 0)


def test_who_deregisters_has_nothing_left():
    storm = Storm()
    storm.come_back(11.0)
    storm.attempt(procedures.DEREGISTRATION, 20.0)
    assert storm.stands == (0, 0, 0)


def test_online_users_are_not_in_the_funnel():
    storm = Storm()
    storm.come_back(11.0, ue=ONLINE_UE)
    assert (storm.reached, storm.stands) == ((0, 0, 0, 0), (0, 0, 0))


STEPS = st.lists(
    st.tuples(
        st.sampled_from((UE, OTHER)),
        st.sampled_from((*WAY_BACK, procedures.SESSION_RELEASE, procedures.DEREGISTRATION, procedures.IMS_MESSAGE)),
        st.sampled_from((None, "aborted")),
    ),
    max_size=30,
)


@settings(max_examples=60)
@given(STEPS)
def test_each_stage_holds_no_more_users_than_the_one_before_it(steps):
    storm = Storm()
    for n, (ue, procedure, failure) in enumerate(steps):
        storm.attempt(procedure, 11.0 + n, failure, ue)
        stands, reached = storm.stands, storm.reached
        assert 2 >= stands[0] >= stands[1] >= stands[2] >= 0
        assert 2 >= reached[1] >= reached[2] >= reached[3]


# --- re-registrations of online users ---------------------------------------------------------------------------------


def renewals(storm):
    counted = names.ONLINE_RENEWALS_DUE, names.ONLINE_RENEWALS_KEPT, names.ONLINE_RENEWALS_LOST
    return tuple(storm.timeline.total(name) for name in counted)


def test_a_reregistration_that_falls_due_and_succeeds_is_kept():
    storm = Storm()
    storm.attempt(procedures.IMS_REREGISTRATION, 11.0, ue=ONLINE_UE)
    assert renewals(storm) == (1, 1, 0)


def test_a_user_for_whom_two_fall_due_is_one_user():
    storm = Storm()
    storm.attempt(procedures.IMS_REREGISTRATION, 11.0, ue=ONLINE_UE)
    storm.attempt(procedures.IMS_REREGISTRATION, 3011.0, ue=ONLINE_UE)
    assert renewals(storm) == (2, 2, 0)
    assert storm.timeline.total(names.ONLINE_RENEWING_USERS) == 1


def test_one_that_takes_several_attempts_fell_due_once():
    storm = Storm()
    storm.attempt(procedures.IMS_REREGISTRATION, 11.0, "SIP 503", ue=ONLINE_UE)
    storm.attempt(procedures.IMS_REGISTRATION, 60.0, "SIP 503", ue=ONLINE_UE)
    assert renewals(storm) == (1, 0, 0)
    storm.attempt(procedures.IMS_REGISTRATION, 120.0, ue=ONLINE_UE)
    assert renewals(storm) == (1, 1, 0)


@pytest.mark.parametrize("why", ["IMS binding expired", "5GMM #10"])
def test_a_registration_lost_before_that_is_lost(why):
    storm = Storm()
    storm.attempt(procedures.IMS_REREGISTRATION, 11.0, "SIP 503", ue=ONLINE_UE)
    storm.counts.registration_lost(ONLINE_UE, why, 700.0)
    storm.attempt(procedures.IMS_REGISTRATION, 720.0, ue=ONLINE_UE)
    assert renewals(storm) == (1, 0, 1)


def test_those_before_the_end_of_the_outage_and_those_of_the_outage_group_are_not_counted():
    storm = Storm()
    storm.attempt(procedures.IMS_REREGISTRATION, 9.0, ue=ONLINE_UE)
    storm.attempt(procedures.IMS_REREGISTRATION, 11.0, ue=UE)
    assert renewals(storm) == (0, 0, 0)


# --- late returns -----------------------------------------------------------------------------------------------------


def late(storm):
    return storm.timeline.total(names.BACK_LATE), storm.timeline.subtotals(names.BACK_LATE)


def test_a_late_return_is_charged_to_the_timer_that_ended_the_last_wait():
    storm = Storm()
    storm.attempt(procedures.REGISTRATION, 11.0, "5GMM #22")
    storm.counts.waiting("T3346", 1, 12.0)
    storm.counts.waiting("T3346", -1, 100.0)
    storm.attempt(procedures.REGISTRATION, 100.0, "T3510 expired")
    storm.counts.waiting("T3502", 1, 101.0)
    storm.counts.waiting("T3502", -1, 800.0)
    storm.come_back(800.0)
    assert late(storm) == (1, {"T3502": 1})


def test_a_wait_of_another_user_is_not_charged():
    storm = Storm()
    storm.counts.waiting("T3346", 1, 12.0)
    storm.counts.waiting("T3346", -1, 799.0)
    storm.attempt(procedures.REGISTRATION, 799.0, ue=OTHER)
    storm.come_back(800.0)
    assert late(storm) == (1, {"none": 1})


def test_a_wait_of_an_online_user_is_not_charged_to_who_begins_in_the_same_instant():
    storm = Storm()
    storm.counts.waiting("T3346", 1, 12.0)
    storm.counts.waiting("T3346", -1, 800.0)
    storm.attempt(procedures.SERVICE_REQUEST, 800.0, ue=ONLINE_UE)
    storm.come_back(800.0)
    assert late(storm) == (1, {"none": 1})


def test_who_is_back_before_minute_12_is_not_late():
    storm = Storm()
    storm.come_back(OUTAGE_END_S + 700)
    assert late(storm) == (0, {})


def test_a_wait_without_a_timer_of_3gpp_has_a_name_too():
    storm = Storm()
    storm.counts.waiting("RFC 5626", 1, 12.0)
    storm.counts.waiting("RFC 5626", -1, 900.0)
    storm.come_back(900.0)
    assert late(storm) == (1, {"RFC_5626": 1})
