"""Initial registration as a call flow (TS 24.501 5.5.1.2), against a network played by hand."""

from scripted_network import PLMN, SLICE, Network

from protocols.identities import Guti, Suci
from protocols.nas5g.decode import decode
from protocols.nas5g.messages import (
    NO_KEY,
    AuthenticationResponse,
    IdentityRequest,
    IdentityResponse,
    IdentityType,
    RegistrationComplete,
    RegistrationRequest,
    RegistrationType,
)
from protocols.ngap.messages import InitialUeMessage, RrcCause
from protocols.suci import home_network_key
from ue_models.settings import UeSettings
from ue_models.ue_state import Mm


def test_a_new_ue_registers_gets_its_sessions_and_goes_idle():
    network = Network()
    network.ue.power_on(0.0)
    request = network.hear()
    assert request.kind is RegistrationType.INITIAL
    assert isinstance(request.identity, Suci)
    assert request.ngksi == NO_KEY
    assert request.requested_nssai == ()  # no cleartext IE: it follows under protection (4.4.6)
    complete = network.authenticate()
    assert decode(complete.container).requested_nssai == (SLICE,)
    network.accept()
    assert network.hear() == RegistrationComplete()
    assert [network.accept_session(), network.accept_session()] == ["internet", "ims"]
    assert network.ue.in_service
    assert network.state.connected
    network.release()
    assert not network.state.connected
    assert network.state.mm is Mm.REGISTERED
    assert network.notes.ended == [
        ("NG Setup", None),
        ("5G registration", None),
        ("PDU session internet", None),
        ("PDU session ims", None),
    ]
    assert network.ue.running_timers == ("operation", "T3512")


def test_a_ue_with_a_context_sends_guti_and_a_ciphered_container():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    first = network.next_ngap()
    assert isinstance(first, InitialUeMessage)
    assert first.rrc_cause is RrcCause.MO_SIGNALLING
    assert first.s_tmsi.tmsi == network.prior.guti.tmsi
    assert first.nas[1] == 1  # integrity protected, not ciphered
    cleartext = decode(first.nas[7:])
    assert cleartext.requested_nssai == ()
    opened = network.security.unprotect(first.nas)
    complete = decode(network.security.decipher_container(cleartext.container, opened.nas_count))
    assert isinstance(complete, RegistrationRequest)
    assert isinstance(complete.identity, Guti)
    assert complete.requested_nssai == (SLICE,)


def test_a_kept_context_needs_no_authentication():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    network.accept()
    assert network.hear() == RegistrationComplete()
    assert network.state.guti.tmsi == 0x1234


def test_a_guti_that_does_not_change_is_not_acknowledged():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    network.accept(tmsi=None)
    assert network.state.mm is Mm.REGISTERED
    assert network.accept_session() == "internet"  # and no REGISTRATION COMPLETE before it


def test_an_accept_that_comes_again_is_acknowledged_again():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    network.accept()
    assert network.hear() == RegistrationComplete()
    network.hear()
    network.accept()
    assert network.hear() == RegistrationComplete()


def test_answers_come_after_the_time_that_a_ue_needs_and_in_order():
    settings = UeSettings(PLMN, answer_s=(0.05, 0.15))
    network = Network(settings=settings)
    network.ue.power_on(0.0)
    network.hear()
    vector = network.vector()
    network.say(IdentityRequest(IdentityType.SUCI))
    network.challenge(vector)
    assert isinstance(network.hear(), IdentityResponse)
    assert 0.05 <= network.now <= 0.15
    assert network.hear() == AuthenticationResponse(vector.xres_star)
    assert network.now <= 0.15


def test_the_same_seed_says_the_same_octets_at_the_same_times():
    def story():
        network = Network(settings=UeSettings(PLMN, home_key=home_network_key(1, bytes(range(32)))))
        network.ue.power_on(0.0)
        heard = []
        for _ in range(12):
            heard.append((network.hear_raw(2000.0), network.now))
        return heard

    assert story() == story()


def test_an_unprotected_accept_registers_nobody():
    network = Network()
    network.ue.power_on(0.0)
    network.hear()
    network.say_raw(bytes.fromhex("7e004201012a"))
    assert network.state.mm is Mm.REGISTERED_INITIATED
    assert sum(network.gnb.faults.nas_discarded.values()) == 1
