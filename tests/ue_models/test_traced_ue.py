"""A traced UE takes down what it does, behaves as any other, and says no secret."""

from random import Random

from scripted_network import PLMN, Network
from scripted_registrar import Registrar

from protocols.causes import FivegmmCause
from protocols.nas5g.messages import RegistrationReject
from protocols.timers import GprsTimer2
from ue_models.procedures.steps import Ue
from ue_models.profiles import OBEDIENT
from ue_models.settings import UeSettings
from ue_models.timer_set import TimerSet
from ue_models.traced_ims import TracedIms
from ue_models.traced_ue import TracedUe, described
from ue_models.ue_state import new_ue


class Sheet:
    def __init__(self):
        self.events = []

    def note(self, at_s, event, name, detail=""):
        self.events.append((round(at_s, 3), event, name, detail))

    def of(self, *kinds):
        return [(event, name) for _, event, name, _ in self.events if event in kinds]


def traced_network() -> tuple[Network, Sheet]:
    network, sheet = Network(), Sheet()
    network.ue = TracedUe(
        new_ue(7, "outage", network.credentials),
        OBEDIENT,
        network.settings,
        network.gnb,
        network.agenda,
        Random(1),
        network.notes,
        sheet,
    )
    network.state = network.ue.state
    return network, sheet


def test_a_registration_is_taken_down_as_its_call_flow():
    network, sheet = traced_network()
    network.ue.power_on(0.0)
    network.hear()
    network.authenticate()
    network.accept()
    network.hear()
    network.accept_session()
    network.accept_session()

    assert sheet.of("up", "down")[:7] == [
        ("up", "REGISTRATION REQUEST"),
        ("down", "AUTHENTICATION REQUEST"),
        ("up", "AUTHENTICATION RESPONSE"),
        ("down", "SECURITY MODE COMMAND"),
        ("up", "SECURITY MODE COMPLETE"),
        ("down", "REGISTRATION ACCEPT"),
        ("up", "REGISTRATION COMPLETE"),
    ]
    assert ("up", "PDU SESSION ESTABLISHMENT REQUEST in UL NAS TRANSPORT") in sheet.of("up")
    assert sheet.of("service") == [("service", "full service")]
    assert sheet.of("started")[0] == ("started", "T3510")
    assert ("stopped", "T3510") in sheet.of("stopped")
    assert [at for at, *_ in sheet.events] == sorted(at for at, *_ in sheet.events)


def test_a_message_is_noted_when_it_goes_out_and_not_when_it_was_decided_upon():
    network, sheet = traced_network()
    network.ue.power_on(0.0)
    network.hear()
    network.authenticate()
    heard_at = next(at for at, event, *_ in sheet.events if event == "down")

    answered_at = next(at for at, _, name, _ in sheet.events if name == "AUTHENTICATION RESPONSE")

    assert round(answered_at - heard_at, 3) == network.settings.answer_s[0]


def test_an_observer_hears_the_same_as_without_a_trace():
    plain, (network, _) = Network(), traced_network()
    for one in (plain, network):
        one.ue.power_on(0.0)
        one.hear()
        one.authenticate()
        one.accept()
        one.hear()
        one.accept_session()
        one.accept_session()

    assert network.notes.ended == plain.notes.ended
    assert network.notes.started == plain.notes.started
    assert network.notes.service == plain.notes.service


def test_a_reject_is_described_by_its_cause_and_timer():
    name, detail = described(RegistrationReject(FivegmmCause.CONGESTION, GprsTimer2.of(120)))

    assert name == "REGISTRATION REJECT"
    assert detail == "cause #22 congestion, t3346 120 s"


def test_no_key_and_no_challenge_is_ever_noted():
    network, sheet = traced_network()
    network.ue.power_on(0.0)
    network.hear()
    network.authenticate()
    network.accept()
    secrets = {network.credentials.k.hex(), network.credentials.opc.hex(), network.state.security.kamf.hex()}

    said = " ".join(f"{name} {detail}" for _, _, name, detail in sheet.events)

    assert not any(secret in said for secret in secrets)


def test_a_trace_tells_what_the_ims_side_says_and_hears():
    net, sheet = Registrar(), Sheet()
    ue, timers = Ue(net.state, UeSettings(PLMN), Random(1)), TimerSet(net.agenda)
    net.ue = TracedIms(ue, net.ims, net, OBEDIENT, timers, net.book, sheet)
    net.session_up()
    net.hear()
    net.say(503, ("Retry-After", "30"))
    net.hear(within=31)
    net.challenge()
    net.hear()
    net.accept()
    net.ue.deregister(net.now)
    assert [f"{event} {name}: {detail}" for _, event, name, detail in sheet.events] == [
        "up SIP REGISTER: CSeq 1 REGISTER, P-CSCF 1",
        "down SIP 503 Service Unavailable: CSeq 1 REGISTER, Retry-After 30 s",
        "up SIP REGISTER: CSeq 1 REGISTER, P-CSCF 2",
        "down SIP 401 Unauthorized: CSeq 1 REGISTER",
        "up SIP REGISTER: CSeq 2 REGISTER, P-CSCF 2",
        "down SIP 200 OK: CSeq 2 REGISTER",
        "up SIP REGISTER: CSeq 3 REGISTER, P-CSCF 2",
    ]
