"""Whatever a network says and whenever, a UE and its gNB stay whole (hypothesis)."""

from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_network import GUAMI, PLMN, SLICE, TAI_LIST, Network

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.identities import Guti
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    AuthenticationReject,
    AuthenticationRequest,
    DeregistrationAccept,
    DlNasTransport,
    FivegmmStatus,
    IdentityRequest,
    IdentityType,
    NetworkDeregistrationRequest,
    PduSessionEstablishmentAccept,
    PduSessionEstablishmentReject,
    PduSessionReleaseCommand,
    RegistrationAccept,
    RegistrationReject,
    RegistrationType,
    SecurityModeCommand,
    ServiceAccept,
    ServiceReject,
    ServiceType,
)
from protocols.nas_security import AES, SecurityContext, Side
from protocols.ngap import causes
from protocols.ngap.messages import DownlinkNasTransport, NgSetupResponse, UeContextReleaseCommand
from protocols.timers import GprsTimer2, GprsTimer3
from ue_models.profiles import IGNORES_T3346, OBEDIENT, endless, impatient, restless
from ue_models.settings import UeSettings
from ue_models.ue_state import Mm

PROFILES = [OBEDIENT, IGNORES_T3346, restless(60.0), impatient(5.0), endless(0.3)]
GUARDS = {"T3510", "T3517", "T3521"}

causes_mm = st.integers(0, 255).map(FivegmmCause)
causes_sm = st.integers(0, 255).map(FivegsmCause)
timers2 = st.none() | st.integers(0, 255).map(GprsTimer2)
timers3 = st.none() | st.integers(0, 255).map(GprsTimer3)
psis = st.integers(0, 15)
small = st.integers(0, 7)
payloads = st.one_of(
    st.builds(PduSessionEstablishmentAccept, psis, small, st.just(bytes(4)), st.just("ims"), st.just(SLICE)).map(
        encode
    ),
    st.builds(PduSessionEstablishmentReject, psis, small, causes_sm, timers3).map(encode),
    st.builds(PduSessionReleaseCommand, psis, small, causes_sm, timers3).map(encode),
    st.binary(min_size=1, max_size=20),
)
messages = st.one_of(
    st.builds(RegistrationReject, causes_mm, timers2, timers2),
    st.builds(
        RegistrationAccept,
        st.none() | st.integers(0, 2**32 - 1).map(lambda tmsi: Guti(PLMN, 1, 1, 1, tmsi)),
        st.just(TAI_LIST),
        st.just((SLICE,)),
        timers3,
        timers2,
        st.none() | st.binary(min_size=2, max_size=2),
        st.just(1),
    ),
    st.builds(IdentityRequest, st.sampled_from(IdentityType)),
    st.builds(
        AuthenticationRequest,
        small,
        st.just(b"\x00\x00"),
        st.binary(min_size=16, max_size=16),
        st.binary(min_size=16, max_size=16),
    ),
    st.just(AuthenticationReject()),
    st.builds(SecurityModeCommand, small, small, small, st.just(b"\xa0\xa0")),
    st.builds(ServiceAccept, st.none() | st.binary(min_size=2, max_size=2)),
    st.builds(ServiceReject, causes_mm, timers2),
    st.just(DeregistrationAccept()),
    st.builds(NetworkDeregistrationRequest, st.booleans(), st.none() | causes_mm, timers2),
    st.builds(DlNasTransport, payloads, psis, st.none() | causes_mm, timers3),
    st.builds(FivegmmStatus, causes_mm),
).map(encode)

actions = st.one_of(
    st.tuples(st.just("say"), messages),
    st.tuples(st.just("say protected"), messages),
    st.tuples(st.just("say raw"), st.binary(max_size=40)),
    st.tuples(st.just("ngap"), st.binary(max_size=60)),
    st.tuples(st.just("challenge"), small),
    st.tuples(st.just("command"), small),
    st.tuples(st.just("pass time"), st.floats(0.01, 1000.0)),
    st.tuples(st.just("release"), st.none()),
    st.tuples(st.just("lose association"), st.none()),
    st.tuples(st.just("lose coverage"), st.none()),
    st.tuples(st.just("return"), st.none()),
    st.tuples(st.just("service"), st.sampled_from(ServiceType)),
    st.tuples(st.just("update"), st.sampled_from([RegistrationType.MOBILITY, RegistrationType.PERIODIC])),
    st.tuples(st.just("emergency"), st.none()),
    st.tuples(st.just("deregister"), st.booleans()),
)

quiet_actions = actions.filter(lambda action: action[0] not in ("deregister", "lose coverage"))


class Storyteller:
    """Does one action after the other to a UE, and looks at it after each."""

    def __init__(self, profile, provisioned, eutra):
        fast = UeSettings(PLMN, operations_every_s=300.0, answer_s=(0.05, 0.15))
        self.network = Network(profile, fast, eutra=eutra)
        self.vectors = {}
        if provisioned:
            self.network.provision()
        else:
            self.network.ue.power_on(0.0)

    def do(self, action, value):
        network, ue, now = self.network, self.network.ue, self.network.now
        match action:
            case "say":
                self._nas(value)
            case "say protected" if network.state.security is not None:
                ours = network.state.security
                theirs = SecurityContext(Side.NETWORK, ours.ngksi, ours.kamf, ours.algorithms, 0, ours.downlink_count)
                self._nas(theirs.protect(value, 2))
            case "say raw":
                self._nas(value)
            case "ngap":
                network.gnb.receive(value, 0, now)
            case "challenge":
                vector = self.vectors[value] = network.vector()
                self._nas(encode(AuthenticationRequest(value, b"\x00\x00", vector.rand, vector.autn)))
            case "command" if network.state.fresh_key is not None and network.state.fresh_key.ngksi == value:
                theirs = SecurityContext(Side.NETWORK, value, network.state.fresh_key.kamf, AES)
                self._nas(theirs.protect(encode(SecurityModeCommand(value, *AES, b"\xa0\xa0")), 3))
            case "pass time":
                network.run(value)
            case "release":
                for ran_id in network.gnb.ran_ue_ids:
                    command = UeContextReleaseCommand(ran_id + 1, ran_id, causes.NORMAL_RELEASE)
                    network.tell(command)
            case "lose association":
                network.gnb.association_lost("aborted", now)
                network.gnb.associated(now)
                network.tell(NgSetupResponse("amf", GUAMI, 255, (SLICE,)))
            case "lose coverage":
                ue.lose_coverage(now)
            case "return":
                ue.power_on(now)
            case "service":
                ue.request_service(value, now)
            case "update":
                ue.update(value, now)
            case "emergency":
                ue.register_for_emergency(now)
            case "deregister":
                ue.deregister(now, switch_off=value)
        self.look()

    def _nas(self, nas):
        for ran_id in self.network.gnb.ran_ue_ids:
            self.network.tell(DownlinkNasTransport(ran_id + 1, ran_id, nas))

    def look(self):
        """What holds at every moment."""
        network, state, ue = self.network, self.network.state, self.network.ue
        timers = {*ue.running_timers}
        attempting = state.mm in (Mm.REGISTERED_INITIATED, Mm.SERVICE_REQUEST_INITIATED, Mm.DEREGISTERED_INITIATED)
        assert len(timers & GUARDS) <= 1
        if timers & GUARDS:
            assert attempting
        if attempting:
            assert timers & {*GUARDS, "T3520"}, "an attempt that nothing will end"
        if "T3580" in timers:
            assert state.registered
        if "T3512" in timers:
            assert state.registered
            assert not state.connected
        if "T3540" in timers:
            assert state.connected
        if not state.registered:
            assert state.sessions == 0
            assert not ue.in_service
        assert ("retry" in timers) == (ue.waits_on is not None)
        assert network.gnb.connections == state.connected
        waits = network.notes.waits()
        assert all(level > 0 for level in network.notes.levels.values() if level)
        assert waits.get("T3346", 0) == (ue.waits_on == "T3346")
        assert 0 <= state.registration_attempts < 5
        assert 0 <= state.service_attempts <= 5
        open_attempts = len(network.notes.started) - len(network.notes.ended)
        assert open_attempts == attempting + ("T3580" in timers)
        if network.notes.service:
            assert network.notes.service[-1][0] is ue.in_service
        told = [in_service for in_service, _ in network.notes.service]
        assert all(before is not after for before, after in pairwise(told))
        network.sent.clear()


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(PROFILES), st.booleans(), st.booleans(), st.lists(actions, min_size=1, max_size=40))
def test_any_sequence_of_messages_and_events_leaves_a_consistent_ue(profile, provisioned, eutra, story):
    teller = Storyteller(profile, provisioned, eutra)
    for action, value in story:
        teller.do(action, value)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PROFILES), st.booleans(), st.lists(quiet_actions, min_size=1, max_size=30))
def test_after_any_story_a_ue_that_wants_service_tries_again(profile, provisioned, story):
    teller = Storyteller(profile, provisioned, eutra=False)
    for action, value in story:
        teller.do(action, value)
    teller.do("lose association", None)
    if not teller.network.ue.wants_service or teller.network.ue.in_service:
        return
    attempts = len(teller.network.notes.started)
    barred = teller.network.state.barred_sessions
    teller.do("pass time", 12_000.0)  # longer than the longest T3346
    assert len(teller.network.notes.started) > attempts or (teller.network.state.registered and barred)


def test_a_long_random_story_touches_every_state_and_stays_consistent():
    rng = Random(3)
    visited = set()
    for profile in PROFILES:
        teller = Storyteller(profile, provisioned=profile is OBEDIENT, eutra=False)
        for _ in range(300):
            visited.add(teller.network.state.mm)
            kind = rng.choice(["challenge", "command", "say", "say protected", "pass time", "release", "return"])
            value = {
                "challenge": 1,
                "command": 1,
                "say": encode(RegistrationReject(FivegmmCause(98))),
                "say protected": encode(
                    rng.choice(
                        [
                            RegistrationAccept(Guti(PLMN, 1, 1, 1, 5), TAI_LIST),
                            RegistrationReject(FivegmmCause(22), GprsTimer2(5)),
                            ServiceAccept(),
                        ]
                    )
                ),
                "pass time": rng.uniform(0.1, 900.0),
            }.get(kind)
            teller.do(kind, value)
    assert {Mm.DEREGISTERED, Mm.REGISTERED_INITIATED, Mm.REGISTERED, Mm.SERVICE_REQUEST_INITIATED} <= visited
