import pytest

from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts, cause_suffix, reject_cause, reject_suffix
from regstorm.records import counters, procedures

OUTAGE_UE, ONLINE_UE = 0, 2
OUTAGE_END_S = 10.0


class Storm:
    """Two UEs of the outage group, two of the online group; all in service until the outage at 5 s."""

    def __init__(self, listener=None):
        self.timeline = Timeline(OUTAGE_END_S)
        self.log = ServiceLog(2, 2, OUTAGE_END_S)
        self.counts = UeCounts(self.timeline, self.log, listener)
        for ue in range(4):
            self.counts.service_changed(ue, True, 0.0)
        for ue in range(2):
            self.counts.service_changed(ue, False, 5.0)

    def attempt(self, ue, procedure, began, ended, failure=None):
        self.counts.attempt_started(ue, procedure, began)
        self.counts.attempt_ended(ue, procedure, began, ended, failure)

    def __getitem__(self, name):
        return self.timeline.total(name)


@pytest.mark.parametrize(
    ("procedure", "family"),
    [
        (procedures.REGISTRATION, "RM.RegInit"),
        (procedures.EMERGENCY_REGISTRATION, "RM.RegEmerg"),
        (procedures.MOBILITY_UPDATE, "RM.RegMob"),
        (procedures.PERIODIC_UPDATE, "RM.RegPeriod"),
        (procedures.SERVICE_REQUEST, "MM.Service"),
        (procedures.pdu_session("ims"), "SM.PduSessionCreation"),
    ],
)
def test_attempts_are_counted_by_procedure_and_failures_by_cause(procedure, family):
    storm = Storm()
    storm.attempt(OUTAGE_UE, procedure, 11.0, 12.0, "5GMM #22")
    storm.attempt(OUTAGE_UE, procedure, 13.0, 14.0, "T3510 expired")
    storm.attempt(OUTAGE_UE, procedure, 15.0, 16.0)
    assert (storm[f"{family}Req"], storm[f"{family}Succ"], storm[f"{family}Fail"]) == (3, 1, 2)
    assert storm.timeline.subtotals(f"{family}Fail") == {"22": 1, "T3510": 1}


@pytest.mark.parametrize(
    ("failure", "suffix"),
    [
        ("5GMM #22", "22"),
        ("5GSM #26", "26"),
        ("T3517 expired", "T3517"),
        ("lower layer failure", "lower_layer"),
        ("aborted", "aborted"),
    ],
)
def test_a_failure_has_a_sub_counter(failure, suffix):
    assert cause_suffix(failure) == suffix


@pytest.mark.parametrize("cause", ["5GMM #22", "5GSM #26", "5GMM #111"])
def test_a_cause_is_read_back_from_its_sub_counter(cause):
    assert reject_cause(reject_suffix(cause)) == cause


def test_deregistration_and_ng_setup_have_no_counters_of_their_own():
    storm = Storm()
    before = dict(storm.timeline._this_second)
    storm.attempt(ONLINE_UE, procedures.DEREGISTRATION, 11.0, 12.0, "T3521 expired")
    storm.attempt(0, procedures.NG_SETUP, 11.0, 12.0, "lower layer failure")
    assert dict(storm.timeline._this_second) == before


@pytest.mark.parametrize("failure", ["5GMM #22", "T3517 expired", "lower layer failure"])
def test_a_service_request_of_a_user_in_service_that_is_refused_or_unanswered_has_failed(failure):
    storm = Storm()
    storm.attempt(ONLINE_UE, procedures.SERVICE_REQUEST, 11.0, 12.0, failure)
    storm.attempt(ONLINE_UE, procedures.SERVICE_REQUEST, 13.0, 14.0)
    assert (storm[counters.ONLINE_PROCEDURES], storm[counters.ONLINE_FAILED]) == (2, 1)


def test_an_attempt_that_nobody_refused_has_not_failed():
    storm = Storm()
    storm.attempt(ONLINE_UE, procedures.PERIODIC_UPDATE, 11.0, 12.0, "aborted")
    assert (storm[counters.ONLINE_PROCEDURES], storm[counters.ONLINE_FAILED]) == (1, 0)


def test_the_return_of_the_outage_group_is_no_online_procedure():
    storm = Storm()
    storm.attempt(OUTAGE_UE, procedures.REGISTRATION, 11.0, 12.0, "5GMM #22")
    assert (storm[counters.ONLINE_PROCEDURES], storm[counters.ONLINE_FAILED]) == (0, 0)


def test_the_registration_of_an_online_user_who_is_already_out_of_service_is_no_online_procedure():
    storm = Storm()
    storm.counts.service_changed(ONLINE_UE, False, 11.0)
    storm.attempt(ONLINE_UE, procedures.REGISTRATION, 11.0, 12.0, "5GMM #22")
    assert (storm[counters.ONLINE_PROCEDURES], storm[counters.ONLINE_FAILED]) == (0, 0)


def test_it_counts_what_was_when_the_attempt_began():
    """The service request is answered by #10: the user is deregistered first, then the attempt ends."""
    storm = Storm()
    storm.counts.attempt_started(ONLINE_UE, procedures.SERVICE_REQUEST, 11.0)
    storm.counts.service_changed(ONLINE_UE, False, 12.0)
    storm.counts.registration_lost(ONLINE_UE, "5GMM #10", 12.0)
    storm.counts.attempt_ended(ONLINE_UE, procedures.SERVICE_REQUEST, 11.0, 12.0, "5GMM #10")
    assert (storm[counters.ONLINE_FAILED], storm[counters.ONLINE_DROPPED]) == (1, 1)
    assert storm.timeline.subtotals(counters.ONLINE_DROPPED) == {"5GMM_10": 1}


def test_dropped_is_the_same_whether_service_or_registration_goes_first():
    storm = Storm()
    storm.counts.registration_lost(ONLINE_UE, "5GMM #9", 12.0)
    storm.counts.service_changed(ONLINE_UE, False, 12.0)
    assert storm[counters.ONLINE_DROPPED] == 1


def test_a_user_who_was_out_of_service_is_not_dropped_and_the_outage_group_never_is():
    storm = Storm()
    storm.counts.service_changed(ONLINE_UE, False, 11.0)
    storm.counts.registration_lost(ONLINE_UE, "5GMM #9", 12.0)
    storm.counts.service_changed(OUTAGE_UE, True, 13.0)
    storm.counts.registration_lost(OUTAGE_UE, "5GMM #9", 14.0)
    assert storm[counters.ONLINE_DROPPED] == 0


def test_levels_of_service_follow_the_groups():
    storm = Storm()
    storm.counts.service_changed(OUTAGE_UE, True, 12.2)
    storm.counts.service_changed(OUTAGE_UE, True, 12.3)
    storm.counts.service_changed(OUTAGE_UE, False, 13.0)
    storm.counts.service_changed(ONLINE_UE, False, 13.0)
    storm.timeline.close(15.0)
    since = storm.timeline
    assert since.column(counters.OUTAGE_IN_SERVICE) == [2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert since.column(counters.OUTAGE_BACK) == [0] * 12 + [1, 1, 1]
    assert since.column(counters.ONLINE_IN_SERVICE) == [2] * 13 + [1, 1]


def test_rejects_are_counted_by_cause_and_by_whether_they_can_be_trusted():
    storm = Storm()
    for cause, protected in (("5GMM #22", True), ("5GMM #22", False), ("5GSM #26", True)):
        storm.counts.rejected(OUTAGE_UE, cause, protected, 11.0)
    assert storm[counters.REJECT] == 3
    assert storm.timeline.subtotals(counters.REJECT) == {"5GMM_22": 2, "5GSM_26": 1}
    assert (storm[counters.PROTECTED_REJECTS], storm[counters.UNPROTECTED_REJECTS]) == (2, 1)


def test_waiting_is_a_level_for_each_timer_and_ue_minutes_for_the_run():
    storm = Storm()
    storm.counts.waiting("T3346", +1, 12.0)
    storm.counts.waiting("T3346", +1, 18.0)
    storm.counts.waiting("T3346", -1, 72.0)
    storm.counts.waiting("T3502", +1, 72.0)
    storm.timeline.close(78.0)
    assert storm.timeline.column("ues.waiting.T3346")[-8:] == [2, 2, 1, 1, 1, 1, 1, 1]
    assert storm.timeline.column(counters.WAITING)[-8:] == [2] * 8
    assert storm.counts.waited_ue_minutes(78.0) == pytest.approx({"T3346": 2.0, "T3502": 0.1})


def test_whoever_listens_hears_how_every_attempt_ended():
    heard = []

    class Listener:
        def attempt_ended(self, *told):
            heard.append(told)

    storm = Storm(Listener())
    storm.attempt(OUTAGE_UE, procedures.REGISTRATION, 11.0, 12.5, "5GMM #22")
    storm.attempt(0, procedures.NG_SETUP, 11.0, 12.0)
    assert heard == [
        (OUTAGE_UE, procedures.REGISTRATION, 11.0, 12.5, "5GMM #22"),
        (0, procedures.NG_SETUP, 11.0, 12.0, None),
    ]
