"""What a refused UE is told, at the front door and after a failure behind the AMF."""

from pathlib import Path

import pytest
from core_rig import Rig, Ue, kinds, session_messages

from protocols.nas5g import messages as nas
from protocols.nas5g.encode import encode
from protocols.ngap import messages as ngap
from regstorm.records.core_settings import Amf, Bus, Shedding, Udm
from regstorm.records.files import read
from regstorm.records.strategy import Gate, Guidance, Strategy, T3346Window

NOTHING_LEFT = {"share_of_capacity": 1e-6, "depth_s": 1e-3, "least_depth_ues": 1.0}
"""A gate that admits one UE and then nobody for hours."""


def strategy(counts="first_messages", **guidance):
    guidance = Guidance(t3346=T3346Window(low_s=30, high_s=30), **guidance)
    return Strategy(name="s", title="", summary="", gate=Gate(counts=counts, **NOTHING_LEFT), guidance=guidance)


def closed_rig(counts="first_messages", **how):
    """A rig whose gate has just let its last UE in."""
    rig = Rig(strategy(counts, **how.pop("guidance", {})), **how)
    while rig.core.amf.env.door.gate.admits(rig.agenda.now):
        pass
    return rig


def silent_udm():
    """A UDM that sheds everything: its queue is far too short for the work that waits."""
    return Udm(capacity_pairs_per_s=1e-3, settings={"plain": Shedding(queue_s=1e-6), "calibrated": Shedding()})


def overload(rig):
    """Fills the UDM with one job that takes a quarter of an hour."""
    rig.core.udm_nodes.udm.queue.offer(rig.agenda.now, 0, 1.0, lambda now: None)


# --- first messages --------------------------------------------------------------------------------------------------


def test_a_stranger_is_refused_in_plain_with_cause_22_and_t3346_and_released():
    rig = closed_rig()
    ue = Ue(rig)
    heard = ue.register()
    reject = heard[0]
    assert (reject.cause, reject.t3346.seconds) == (22, 30)
    assert kinds(heard) == ["RegistrationReject", "UeContextReleaseCommand"]
    assert ue.plain_downlinks == 1
    assert rig.tally["amf.refused_first"] == rig.tally["amf.rejects.plain"] == 1
    assert rig.tally["udm.offered"] == 0
    assert rig.core.connections == 0


def test_a_ue_whose_context_was_kept_is_refused_under_protection_and_can_come_back_with_it():
    rig = closed_rig(authenticate="when_needed")
    rig.core.provision([0])
    rig.core.deregister_implicitly([0], 0.0)
    ue = Ue(rig)
    ue.keep_context()
    heard = ue.register()
    assert (heard[0].cause, heard[0].t3346.seconds) == (22, 30)
    assert (ue.plain_downlinks, ue.protected_downlinks) == (0, 1)
    assert rig.tally["amf.rejects.protected"] == 1
    rig.core.amf.env.door.gate = None
    assert "RegistrationAccept" in kinds(ue.register())


def test_without_a_window_the_reject_carries_no_timer():
    rig = Rig(
        Strategy(
            name="s",
            title="",
            summary="",
            gate=Gate(counts="first_messages", **NOTHING_LEFT),
            guidance=Guidance(t3346=None),
        )
    )
    while rig.core.amf.env.door.gate.admits(0.0):
        pass
    assert Ue(rig).register()[0] == nas.RegistrationReject(22)


def test_a_refused_service_request_gets_service_reject_and_costs_the_ue_nothing_else():
    rig = closed_rig("every_uplink_message")
    rig.core.provision([0])
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi()))
    heard = ue.follow(1.0)
    assert isinstance(heard[0], nas.ServiceReject)
    assert heard[0].cause == 22
    assert ue.protected_downlinks == 1
    assert rig.core.amf.contexts.by_supi(ue.card.supi).registered


def test_updates_are_refused_with_registration_reject():
    rig = closed_rig("every_uplink_message")
    rig.core.provision([0])
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(ue.registration_request(nas.RegistrationType.PERIODIC))
    assert ue.follow(1.0)[0].cause == 22


@pytest.mark.parametrize(
    ("kind", "rrc_cause"),
    [
        (nas.RegistrationType.EMERGENCY, ngap.RrcCause.MO_SIGNALLING),
        (nas.RegistrationType.INITIAL, ngap.RrcCause.EMERGENCY),
        (nas.RegistrationType.INITIAL, ngap.RrcCause.HIGH_PRIORITY_ACCESS),
        (nas.RegistrationType.INITIAL, ngap.RrcCause.MPS_PRIORITY_ACCESS),
    ],
)
def test_emergency_and_high_priority_pass_any_gate(kind, rrc_cause):
    rig = closed_rig("every_uplink_message")
    ue = Ue(rig)
    ue.connect(ue.registration_request(kind), rrc_cause)
    heard = ue.follow(2.0)
    assert "AuthenticationRequest" in kinds(heard)
    assert rig.tally["amf.refused_first"] == 0


def test_a_paging_response_and_a_deregistration_pass_any_gate():
    rig = closed_rig("every_uplink_message")
    rig.core.provision([0])
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.MOBILE_TERMINATED, ue.guti.s_tmsi()))
    assert "ServiceAccept" in kinds(ue.follow(1.0))
    ue.send(nas.DeregistrationRequest(ue.security.ngksi, False, ue.guti))
    assert "DeregistrationAccept" in kinds(ue.follow(1.0))


# --- follow-ups ------------------------------------------------------------------------------------------------------


def admitted_then_closed(**how):
    """A UE that has its challenge when the gate closes."""
    rig = Rig(strategy("every_uplink_message", **how))
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run(0.5)
    (challenge,) = ue.hear()
    while rig.core.amf.env.door.gate.admits(rig.agenda.now):
        pass
    return rig, ue, challenge


def test_a_refused_follow_up_is_dropped_and_the_amfs_own_timer_asks_again():
    rig, ue, challenge = admitted_then_closed(follow_up="drop")
    ue.react(challenge)
    rig.run(1.0)
    assert ue.hear() == []
    assert rig.tally["amf.refused_follow_up"] == 1
    rig.core.amf.env.door.gate = None
    rig.run(5.0)
    (again,) = ue.hear()
    assert again == challenge
    assert rig.tally["amf.nas_retransmissions.T3560"] == 1


def test_a_refused_follow_up_rejects_its_procedure_if_the_strategy_says_so():
    rig, ue, challenge = admitted_then_closed(follow_up="reject")
    ue.react(challenge)
    heard = ue.follow(1.0)
    assert heard[0].cause == 22
    assert kinds(heard) == ["RegistrationReject", "UeContextReleaseCommand"]
    assert rig.core.connections == 0
    assert rig.tally["udm.pairs_without_service"] == 1
    assert rig.tally["amf.abandoned_procedures"] == 0  # a reject is an outcome


def test_a_refused_security_mode_complete_is_rejected_under_the_new_context():
    rig = Rig(strategy("every_uplink_message", follow_up="reject"))
    gate, rig.core.amf.env.door.gate = rig.core.amf.env.door.gate, None
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    command = ue.follow(0.5, answers=1)[-1]
    rig.core.amf.env.door.gate = gate
    while gate.admits(rig.agenda.now):
        pass
    ue.react(command)
    heard = ue.follow(1.0)
    assert kinds(heard) == ["RegistrationReject", "UeContextReleaseCommand"]
    assert ue.plain_downlinks == 1  # the challenge: the reject is protected
    rig.core.amf.env.door.gate = None
    ue.guti = None
    assert "RegistrationAccept" in kinds(ue.register())


def test_a_refused_completion_is_dropped_even_then_because_the_registration_is_accepted():
    rig = Rig(strategy("every_uplink_message", follow_up="reject"))
    gate, rig.core.amf.env.door.gate = rig.core.amf.env.door.gate, None
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    accept = ue.follow(2.0, answers=3)[-1]
    rig.core.amf.env.door.gate = gate
    while gate.admits(rig.agenda.now):
        pass
    ue.react(accept)
    rig.run(1.0)
    assert ue.hear() == []
    rig.core.amf.env.door.gate = None
    assert "RegistrationAccept" in kinds(ue.follow(6.0))  # T3550
    assert rig.core.amf.contexts.by_supi(ue.card.supi).next_guti is None


@pytest.mark.parametrize(("follow_up", "answered"), [("drop", False), ("reject", True)])
def test_a_session_that_follows_a_registration_is_a_follow_up(follow_up, answered):
    rig = Rig(strategy("every_uplink_message", follow_up=follow_up))
    gate, rig.core.amf.env.door.gate = rig.core.amf.env.door.gate, None
    ue = Ue(rig)
    ue.register()
    rig.core.amf.env.door.gate = gate
    while gate.admits(rig.agenda.now):
        pass
    ue.request_session(1, "internet")
    heard = ue.follow(1.0)
    assert bool(heard) is answered
    if answered:
        assert (heard[0].cause, heard[0].back_off.seconds) == (22, 30)
    assert rig.tally["amf.refused_follow_up"] == 1


def test_a_session_that_a_registered_ue_asks_for_by_itself_is_told_to_back_off():
    rig = Rig(strategy("every_uplink_message"))
    gate, rig.core.amf.env.door.gate = rig.core.amf.env.door.gate, None
    ue = Ue(rig)
    ue.reach_full_service()
    rig.core.amf.env.door.gate = gate
    while gate.admits(rig.agenda.now):
        pass
    ue.request_session(3, "internet")
    (answer,) = ue.follow(1.0)
    assert (answer.cause, answer.back_off.seconds, answer.pdu_session_id) == (22, 30, 3)
    assert rig.tally["amf.refused_first"] == 1


def test_the_sessions_of_a_registration_pass_a_gate_for_first_messages():
    rig = Rig(strategy("first_messages"))
    ue = Ue(rig)
    ue.reach_full_service()
    assert rig.pairs()["N10"] == 6
    assert rig.tally["amf.refused_follow_up"] == rig.tally["amf.refused_first"] == 0


# --- the AMF's own capacity, and failures behind it ------------------------------------------------------------------


def test_what_exceeds_the_amfs_own_capacity_is_dropped_without_a_word():
    rig = Rig(amf=Amf(capacity_messages_per_s=1.0, shedding=Shedding(queue_s=0.5)), population=10)
    ues = [Ue(rig, index) for index in range(4)]
    for ue in ues:
        ue.connect(ue.registration_request())
    rig.run(3.0)
    assert rig.tally["amf.dropped_overload"] >= 2
    assert sum(bool(ue.hear()) for ue in ues) <= 2


@pytest.mark.parametrize(
    ("setting", "told"),
    [("silent", []), ("22_t3346", ["RegistrationReject"]), ("111", ["RegistrationReject"])],
)
def test_a_silent_udm_ends_a_registration_as_the_setting_says(setting, told):
    rig = Rig(udm=silent_udm(), amf=Amf(on_backend_failure=setting), bus=Bus(timeout_s=3, retries=1))
    overload(rig)
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    heard = ue.follow(10.0)
    assert [kind for kind in kinds(heard) if kind.startswith("Registration")] == told
    if told:
        assert heard[0].cause == {"22_t3346": 22, "111": 111}[setting]
        assert (heard[0].t3346 is not None) == (setting == "22_t3346")
        assert kinds(heard)[-1] == "UeContextReleaseCommand"
    assert rig.tally["amf.backend_failures"] == 1
    assert rig.tally["udm.dropped.N13"] == 2  # the first attempt and one retry, at the last hop only
    assert rig.core.connections == (0 if told else 1)


def test_a_silent_failure_leaves_the_connection_to_the_gnb():
    rig = Rig(udm=silent_udm())
    overload(rig)
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run(10.0)
    (connection,) = rig.gnb.rig.core.amf.n2._connections.values()
    ue.amf_ue_id = connection.amf_ue_id
    ue.send_ngap(ngap.UeContextReleaseRequest, ngap.Cause(ngap.CauseGroup.RADIO_NETWORK, 21))
    assert kinds(ue.follow(0.5)) == ["UeContextReleaseCommand"]
    assert rig.core.connections == 0


@pytest.mark.parametrize(
    ("setting", "cause"), [("silent", None), ("22_t3346", 22), ("111", 90)], ids=["silent", "22", "111"]
)
def test_a_silent_udm_ends_a_session_establishment_as_the_setting_says(setting, cause):
    rig = Rig(amf=Amf(on_backend_failure=setting))
    ue = Ue(rig)
    ue.register()
    rig.core.udm_nodes.udm.queue.server._queue_s = -1.0  # from now on the UDM sheds everything
    payload = encode(nas.PduSessionEstablishmentRequest(1, 1))
    ue.send(nas.UlNasTransport(payload, 1, 1, nas.Snssai(1), "internet"))
    heard = ue.follow(10.0)
    if cause is None:
        assert heard == []
    else:
        (answer,) = heard
        assert (answer.cause, answer.payload) == (cause, payload)
        assert (answer.back_off is not None) == (cause == 22)
    assert rig.tally["udm.dropped.N10"] == 2


# --- identities that the AMF does not know ---------------------------------------------------------------------------


def test_a_service_request_of_a_forgotten_ue_is_rejected_with_cause_9_in_plain():
    rig = Rig()
    rig.core.provision([0])
    rig.core.lose_contexts(0.0)
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi()))
    heard = ue.follow(1.0)
    assert heard[0] == nas.ServiceReject(9)
    assert ue.plain_downlinks == 1
    assert kinds(heard)[-1] == "UeContextReleaseCommand"


@pytest.mark.parametrize("kind", [nas.RegistrationType.PERIODIC, nas.RegistrationType.MOBILITY])
def test_an_update_of_a_forgotten_ue_is_rejected_with_cause_9(kind):
    rig = Rig()
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(ue.registration_request(kind))
    assert ue.follow(1.0)[0] == nas.RegistrationReject(9)


def test_an_implicitly_deregistered_ue_hears_cause_10():
    rig = Rig()
    rig.core.provision([0])
    rig.core.deregister_implicitly([0], 0.0)
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi()))
    assert ue.follow(1.0)[0] == nas.ServiceReject(10)
    ue.connect(ue.registration_request(nas.RegistrationType.PERIODIC))
    assert ue.follow(1.0)[0] == nas.RegistrationReject(10)


def test_a_forged_request_under_a_known_guti_gets_no_further_than_identification():
    rig = Rig()
    rig.core.provision([0])
    ue = Ue(rig)
    ue.keep_context()
    octets = bytearray(ue.security.protect(encode(ue.registration_request()), 1))
    octets[3] ^= 1
    ue.ran_ue_id = 5
    rig.gnb.send(ngap.InitialUeMessage(5, bytes(octets), ngap.UserLocation(ue.guti.plmn, 1, 1)))
    rig.run(0.5)
    assert ue.hear() == [nas.IdentityRequest(nas.IdentityType.SUCI)]
    assert rig.core.amf.contexts.by_tmsi(ue.guti.tmsi).registered


def test_a_dnn_that_nobody_has_is_not_forwarded():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.request_session(1, "nowhere")
    (answer,) = ue.follow(1.0)
    assert answer.cause == 91
    assert session_messages([answer]) == [nas.PduSessionEstablishmentRequest(1, 1)]


# --- pre-authentication ----------------------------------------------------------------------------------------------


def on_probation_rig():
    """`guided`, with credit left for an authentication and not for a registration."""
    shipped = read(Path(__file__).parents[2] / "strategies" / "guided.yaml", Strategy)
    rig = Rig(shipped.model_copy(update={"gate": Gate(counts="first_messages", **NOTHING_LEFT)}))
    gate = rig.core.amf.env.door.gate
    while gate.admits(rig.agenda.now):
        pass
    gate.depth = gate._tokens = 0.5
    return rig


def test_a_stranger_without_credit_is_authenticated_and_then_refused_under_protection():
    rig = on_probation_rig()
    ue = Ue(rig)
    heard = ue.register()
    assert kinds(heard)[-2:] == ["RegistrationReject", "UeContextReleaseCommand"]
    assert heard[-2].t3346.runs
    assert rig.tally["amf.pre_authenticated"] == rig.tally["amf.rejects.protected"] == 1
    assert rig.tally["udm.offered"] == 2
    assert rig.tally["amf.refused_first"] == 1
    assert rig.tally["amf.admitted_first"] == 0


def test_a_stranger_who_has_been_authenticated_goes_on_if_there_is_credit_for_the_rest():
    rig = on_probation_rig()
    door = rig.core.amf.env.door
    door.gate._tokens, door.gate.depth, door.gate.rate = 0.999, 2.0, 1.0  # the rest grows while it is authenticated
    ue = Ue(rig)
    heard = ue.register()
    assert "RegistrationAccept" in kinds(heard) or "InitialContextSetupRequest" in kinds(heard)
    assert rig.tally["amf.pre_authenticated"] == rig.tally["amf.admitted_first"] == 1
    assert rig.tally["amf.refused_first"] == 0
