"""When a UE tries again, as octets and seconds (TS 24.501 5.5.1.2.5, 5.5.1.2.7, 5.3.9)."""

import pytest
from scripted_network import Network, t2

from protocols.causes import FivegmmCause
from protocols.identities import Guti, Suci
from protocols.nas5g.messages import (
    AuthenticationReject,
    RegistrationComplete,
    RegistrationReject,
    RegistrationRequest,
    RegistrationType,
)
from protocols.ngap.messages import InitialUeMessage, RrcCause, UeContextReleaseRequest
from protocols.timers import DEACTIVATED2, ZERO2, GprsTimer2
from ue_models.profiles import IGNORES_T3346, endless, impatient, restless
from ue_models.ue_state import Mm, Substate, UpdateStatus

CONGESTION = FivegmmCause.CONGESTION


def returning(**options):
    """A network, and a UE that has just come back with a GUTI and a context."""
    network = Network(**options)
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    return network


def reject(network, cause, t3346=None, protected=True):
    network.say(RegistrationReject(FivegmmCause(cause), t3346), protected)
    network.release()


def test_a_silent_network_is_asked_at_0_25_50_75_100_and_then_after_t3502_with_a_suci():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    for _ in range(5):
        assert isinstance(network.hear(30.0).identity, Guti)
    after_s, request = network.until_attempt()
    assert isinstance(request.identity, Suci)
    assert network.notes.starts("5G registration") == [0, 25, 50, 75, 100, 835]
    assert after_s == 735
    assert ("5G registration", "T3510 expired") in network.notes.ended


def test_t3510_is_not_restarted_by_what_the_network_asks_in_between():
    network = Network()
    network.ue.power_on(0.0)
    network.hear()
    network.run(10.0)
    network.challenge(network.vector())
    network.hear()
    network.run(4.8)
    assert network.ue.running_timers[0] == "T3510"
    network.run(0.2)
    assert network.notes.ended[-1] == ("5G registration", "T3510 expired")


def test_immediate_rejects_lead_to_attempts_every_10_s_and_then_t3502():
    network = returning()
    for _ in range(4):
        reject(network, 98)
        assert network.until_attempt()[0] == pytest.approx(10)
    reject(network, 98)
    assert network.notes.waits() == {"T3502": 1}
    assert (network.state.guti, network.state.tai_list, network.state.ngksi) == (None, None, 7)
    assert network.state.update_status is UpdateStatus.NOT_UPDATED
    assert network.until_attempt()[0] == pytest.approx(720)


def test_a_protected_t3346_is_obeyed_and_the_identity_kept():
    network = returning()
    reject(network, CONGESTION, t2(60))
    assert network.notes.rejects == [("5GMM #22", True)]
    assert network.notes.waits() == {"T3346": 1}
    after_s, request = network.until_attempt()
    assert after_s == pytest.approx(60)
    assert isinstance(request.identity, Guti)
    assert network.notes.waits() == {}


def test_a_plain_t3346_makes_the_ue_draw_15_to_30_minutes():
    network = returning()
    reject(network, CONGESTION, t2(60), protected=False)
    assert network.notes.rejects == [("5GMM #22", False)]
    assert 900 <= network.until_attempt()[0] <= 1800


@pytest.mark.parametrize("t3346", [None, ZERO2, DEACTIVATED2, GprsTimer2(0x40)])
@pytest.mark.parametrize("protected", [True, False])
def test_congestion_without_a_running_timer_is_retried_after_10_s(t3346, protected):
    network = returning()
    reject(network, CONGESTION, t3346, protected)
    assert network.until_attempt()[0] == pytest.approx(10)


def test_after_authentication_a_plain_reject_is_discarded_and_t3510_runs_out():
    network = Network()
    network.ue.power_on(0.0)
    network.hear()
    network.authenticate()
    network.say(RegistrationReject(CONGESTION, t2(60)))
    assert network.notes.rejects == []
    network.run(15.0)
    assert network.notes.ended[-1] == ("5G registration", "T3510 expired")


def test_111_leads_straight_to_t3502():
    network = returning()
    reject(network, 111)
    after_s, request = network.until_attempt()
    assert after_s == pytest.approx(720)
    assert isinstance(request.identity, Suci)


def test_a_protected_illegal_ue_never_comes_back():
    network = returning()
    reject(network, 3)
    assert network.state.substate is Substate.LIMITED_SERVICE
    assert network.silence(100_000.0)


def test_an_illegal_ue_may_still_call_for_help_and_is_silent_after_it():
    network = returning()
    reject(network, 3)
    network.ue.return_to_coverage(network.now)
    assert network.silence(100.0)
    assert network.ue.register_for_emergency(network.now)
    network.hear()
    network.release()
    assert network.state.substate is Substate.LIMITED_SERVICE
    assert network.silence(100_000.0)
    network.ue.power_on(network.now)
    assert isinstance(network.hear(), RegistrationRequest)


def test_an_unprotected_illegal_ue_comes_back_after_t3247():
    network = returning()
    reject(network, 3, protected=False)
    assert network.notes.waits() == {"T3247": 1}
    after_s, request = network.until_attempt()
    assert 1800 <= after_s <= 3600
    assert isinstance(request.identity, Suci)
    assert network.state.hard_rejects == 1


def test_an_unprotected_authentication_reject_comes_back_after_t3247():
    network = returning()
    network.say(AuthenticationReject())
    assert network.notes.waits() == {"T3247": 1}


def test_a_lost_connection_counts_as_a_failed_attempt():
    network = returning()
    network.gnb.association_lost("aborted", network.now)
    assert network.notes.ended[-1] == ("5G registration", "lower layer failure")
    assert network.notes.waits() == {"T3511": 1}
    assert network.state.registration_attempts == 1


def test_a_cell_without_an_amf_counts_as_a_failed_attempt():
    network = Network()
    network.gnb.association_lost("aborted", 0.0)
    network.ue.power_on(0.0)
    assert network.notes.ended[-1] == ("5G registration", "lower layer failure")
    assert network.notes.waits() == {"T3511": 1}


def test_with_e_utra_coverage_the_ue_leaves_after_five_failures():
    network = returning(eutra=True)
    network.run(3_600.0)
    assert len(network.notes.starts("5G registration")) == 5
    assert network.notes.waits() == {"E-UTRA": 1}


def test_t3346_survives_lost_coverage_and_a_power_cycle():
    network = returning()
    reject(network, CONGESTION, t2(600))
    network.run(100.0)
    network.ue.lose_coverage(network.now)
    network.run(100.0)
    network.ue.return_to_coverage(network.now)
    network.ue.power_on(network.now)
    assert network.until_attempt()[0] == pytest.approx(400)


def test_t3502_does_not_survive_lost_coverage():
    network = returning()
    reject(network, 111)
    network.ue.lose_coverage(network.now)
    assert network.notes.waits() == {}
    network.ue.return_to_coverage(network.now)
    assert isinstance(network.hear(), RegistrationRequest)


def test_t3346_that_ends_without_coverage_starts_nothing_until_there_is_some():
    network = returning()
    reject(network, CONGESTION, t2(60))
    network.ue.lose_coverage(network.now)
    assert network.silence(600.0)
    network.ue.return_to_coverage(network.now)
    assert isinstance(network.hear(), RegistrationRequest)


def test_an_emergency_is_not_held_by_t3346_and_leaves_it_running():
    network = returning()
    reject(network, CONGESTION, t2(600))
    assert network.ue.register_for_emergency(network.now)
    first = network.next_ngap()
    assert isinstance(first, InitialUeMessage)
    assert first.rrc_cause is RrcCause.EMERGENCY
    assert network.notes.waits() == {"T3346": 1}


def test_a_failed_emergency_registration_counts_nothing_and_keeps_the_back_off():
    network = returning()
    reject(network, CONGESTION, t2(600))
    network.ue.register_for_emergency(network.now)
    request = network.hear()
    assert request.kind is RegistrationType.EMERGENCY
    reject(network, 98)
    assert network.state.registration_attempts == 0
    assert network.until_attempt()[0] == pytest.approx(600)


def test_after_an_emergency_the_ue_goes_back_to_waiting():
    network = returning()
    reject(network, CONGESTION, t2(600))
    network.ue.register_for_emergency(network.now)
    network.hear()
    network.accept()
    assert network.hear() == RegistrationComplete()
    network.run(100.0)
    network.release()
    assert network.state.mm is Mm.DEREGISTERED
    assert network.until_attempt()[0] == pytest.approx(600 - 100, abs=1)


def test_a_ue_with_high_priority_access_is_not_held_by_t3346():
    network = Network()
    network.remember()
    network.state.high_priority = True
    network.ue.return_to_coverage(0.0)
    network.hear()
    reject(network, CONGESTION, t2(600))
    network.ue.return_to_coverage(network.now)
    first = network.next_ngap()
    assert first.rrc_cause is RrcCause.HIGH_PRIORITY_ACCESS


def test_a_ue_that_ignores_t3346_comes_back_after_10_s():
    network = returning(profile=IGNORES_T3346)
    reject(network, CONGESTION, t2(60))
    assert network.until_attempt()[0] == pytest.approx(10)


def test_a_restless_ue_breaks_t3502_but_not_t3346():
    network = returning(profile=restless(1.0))
    reject(network, 111)
    assert network.until_attempt()[0] < 30
    reject(network, CONGESTION, t2(600), protected=False)
    assert network.until_attempt()[0] >= 900


def test_an_impatient_ue_gives_up_waiting_and_asks_every_5_s():
    network = returning(profile=impatient(5.0))
    assert network.until_attempt()[0] == pytest.approx(10)  # 5 s of waiting, 5 s of pause
    reject(network, CONGESTION, t2(600))
    assert network.until_attempt()[0] == pytest.approx(5)


def test_an_endless_ue_asks_again_at_once_whatever_the_cause():
    network = returning(profile=endless(0.3))
    for cause in (3, 22, 111, 98):
        reject(network, cause, t2(600) if cause == 22 else None)
        assert network.until_attempt()[0] == pytest.approx(0.3)


def test_an_abandoned_connection_is_given_back_to_the_amf():
    network = Network()
    network.ue.power_on(0.0)
    network.hear()
    network.challenge(network.vector())
    network.hear()
    network.run(15.0)
    assert isinstance(network.pop(), UeContextReleaseRequest)


def test_a_ue_that_was_not_released_after_a_reject_leaves_after_t3540():
    network = returning()
    network.say(RegistrationReject(FivegmmCause.CONGESTION, t2(60)), protected=True)
    network.run(9.0)
    assert network.state.connected
    network.run(1.0)
    assert not network.state.connected
    assert isinstance(network.pop(), UeContextReleaseRequest)
