"""A UE with an IMS side: full service needs both, packets need resources, and each side pulls the other down."""

import pytest
from scripted_network import PLMN, SLICE, Network

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.credentials import prior_binding
from protocols.gtpu import EchoRequest, EchoResponse, EndMarker, ErrorIndication, GPdu, decode, encode
from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.encode import encode as encode_nas
from protocols.nas5g.messages import (
    DeregistrationAccept,
    DeregistrationRequest,
    DlNasTransport,
    PduSessionEstablishmentRequest,
    PduSessionReleaseCommand,
    PduSessionReleaseComplete,
    PduSessionReleaseReject,
    PduSessionReleaseRequest,
    RegistrationComplete,
    RegistrationRequest,
    ServiceAccept,
    ServiceReject,
    ServiceRequest,
    ServiceType,
    UlNasTransport,
)
from protocols.ngap import causes
from protocols.ngap.messages import (
    PduSessionResource,
    PduSessionResourceReleaseCommand,
    UeContextReleaseCommand,
)
from protocols.sip.decode import decode as decode_sip
from protocols.sip.encode import answer
from protocols.sip.encode import encode as encode_sip
from protocols.timers import GprsTimer2
from protocols.udp import read_udp, udp_packet
from regstorm.records import procedures
from ue_models.ims_rules import Recourse
from ue_models.profiles import Profile
from ue_models.settings import UeSettings
from ue_models.ue_ims import PriorIms

IMS_SESSION = 2
ADDRESS = "10.0.0.2"


class ImsNetwork(Network):
    """The network of the other tests, with a P-CSCF behind its tunnels."""

    def __init__(self, profile=None, **settings):
        common = {"answer_s": (0.1, 0.1), "retry_jitter_s": 0.0, "operations_every_s": 1e9}
        chosen = UeSettings(PLMN, **{**common, "ims": True, **settings})
        super().__init__(profile or Profile("test"), chosen)
        self.request = None

    def sip(self, within_s=1.0):
        """The next SIP request of the UE, and which session it came on."""
        limit = self.now + within_s
        while not self.user_plane:
            due_s = self.agenda.next_due_s()
            assert due_s is not None and due_s <= limit, f"no packet for {within_s} s"  # noqa: PT018
            self.agenda.step()
        message = decode(self.user_plane.popleft())
        assert isinstance(message, GPdu)
        assert message.teid == IMS_SESSION
        self.datagram = read_udp(message.packet)
        self.request = decode_sip(self.datagram.payload)
        return self.request

    def respond(self, status, *fields):
        response = encode_sip(answer(self.request, status, "network", fields))
        packet = udp_packet(self.datagram.destination, self.datagram.source, response)
        self.gnb.user_plane.receive(encode(GPdu(self.ran_ue_id << 4 | IMS_SESSION, packet)), self.now)

    def register_in_5gs(self, ngksi=1):
        assert isinstance(self.hear(), RegistrationRequest)
        self.authenticate(ngksi)
        self.accept()
        assert self.hear() == RegistrationComplete()
        for _ in self.settings.dnns:
            self.accept_session()

    def register_in_ims(self):
        assert self.sip().method == "REGISTER"
        self.respond(200, ("Expires", "3600"))

    def in_service_and_idle(self):
        self.ue.power_on(0.0)
        self.register_in_5gs()
        self.register_in_ims()
        assert self.ue.in_service
        self.release()

    def provisioned(self, share=0.0):
        self.ue.provision(self.prior, prior_ims=PriorIms(prior_binding(1, 7), ADDRESS, P_CSCF_TEXTS, 3600.0, share))
        self.know_prior_context()

    def serve_data(self):
        """Hears a service request and gives it resources for the ims session."""
        request = self.hear()
        assert isinstance(request, ServiceRequest)
        resource = PduSessionResource(IMS_SESSION, SLICE, bytes((127, 0, 0, 1)), IMS_SESSION.to_bytes(4))
        self.set_up_context(ServiceAccept(), (resource,))
        return request

    def unanswered(self):
        """Every REGISTER of the attempt that has begun goes unanswered."""
        self.run(129)
        self.user_plane.clear()


P_CSCF_TEXTS = ("10.2.0.1", "10.2.0.2")


def test_full_service_needs_both_registrations():
    net = ImsNetwork()
    net.ue.power_on(0.0)
    net.register_in_5gs()
    assert not net.ue.in_service
    first = net.sip()
    assert net.datagram.source == (ADDRESS, 5060)
    assert net.datagram.destination == (P_CSCF_TEXTS[0], 5060)
    assert f"@{ADDRESS}:5060" in first.headers.first("Contact")
    net.respond(200)
    assert net.ue.in_service
    assert [up for up, _ in net.notes.service] == [True]


def test_without_ims_nothing_is_asked_for():
    net = Network()
    net.ue.power_on(0.0)
    net.hear()
    net.authenticate()
    net.accept()
    net.hear()
    uplink = net.hear()
    assert decode_5gsm(uplink.payload).pco is None
    assert net.ue.ims is None
    net.ue.user_packet(IMS_SESSION, b"", net.now)
    assert net.gnb.faults.nas_discarded == {"user packet": 1}


def test_ims_without_its_session_is_a_mistake():
    with pytest.raises(ValueError, match="IMS needs a session"):
        UeSettings(PLMN, dnns=("internet",), ims=True)


def test_an_idle_ue_requests_service_for_its_packets():
    net = ImsNetwork()
    net.in_service_and_idle()
    assert net.ue.ims.send_message(net.now)
    assert not net.user_plane
    assert net.serve_data().kind is ServiceType.DATA
    assert net.sip().method == "MESSAGE"
    net.respond(202)
    assert net.notes.ended[-1] == (procedures.IMS_MESSAGE, None)


def test_packets_wait_while_the_ue_is_connected_without_resources():
    net = ImsNetwork()
    net.in_service_and_idle()
    net.ue.request_service(ServiceType.SIGNALLING, net.now)
    net.serve()
    net.ue.ims.send_message(net.now)
    assert not net.user_plane
    net.tell(UeContextReleaseCommand(net.amf_ue_id, net.ran_ue_id, causes.NORMAL_RELEASE))
    net.serve_data()
    assert net.sip().method == "MESSAGE"


def test_the_retransmissions_of_a_request_that_cannot_go_out_wait_as_one():
    net = ImsNetwork()
    net.in_service_and_idle()
    net.ue.ims.send_message(net.now)
    assert isinstance(net.hear(), ServiceRequest)
    net.run(14)
    net.set_up_context(ServiceAccept(), (PduSessionResource(IMS_SESSION, SLICE, bytes(4), IMS_SESSION.to_bytes(4)),))
    assert len(net.user_plane) == 1


def test_packets_are_sent_when_the_back_off_of_the_5gs_is_over():
    net = ImsNetwork()
    net.in_service_and_idle()
    net.ue.ims.send_message(net.now)
    net.hear()
    net.say(ServiceReject(FivegmmCause.CONGESTION, GprsTimer2.of(30)), protected=True)
    net.release()
    assert net.ue.waits_on == "T3346"
    waited, request = net.until_attempt(40)
    assert waited == pytest.approx(30, abs=0.5)
    assert request.kind is ServiceType.DATA


def test_a_request_that_was_given_up_while_it_waited_for_resources_is_not_sent_any_more():
    """T3346 lasts longer than Timer F. A stale REGISTER would renew a binding of which the UE knows nothing; what goes
    out is the one that the UE makes after that."""
    net = ImsNetwork()
    net.provisioned(share=0.001)
    assert isinstance(net.hear(within_s=10), ServiceRequest)
    net.say(ServiceReject(FivegmmCause.CONGESTION, GprsTimer2.of(180)), protected=True)
    net.release()
    waited, _ = net.until_attempt(200)
    assert waited > 128
    assert (procedures.IMS_REREGISTRATION, "Timer F expired") in net.notes.ended
    net.set_up_context(ServiceAccept(), (PduSessionResource(IMS_SESSION, SLICE, bytes(4), IMS_SESSION.to_bytes(4)),))
    packets = [decode(octets) for octets in net.user_plane]
    requests = [decode_sip(read_udp(one.packet).payload) for one in packets if isinstance(one, GPdu)]
    assert len({one.headers.first("Call-ID") for one in requests}) == 1
    assert len(requests) == 1


def test_losing_the_5gs_loses_ims_and_coming_back_needs_both_again():
    net = ImsNetwork()
    net.in_service_and_idle()
    net.ue.lose_coverage(net.now)
    assert not net.ue.ims.registered
    assert net.notes.lost == ["coverage lost"]
    net.ue.return_to_coverage(net.now)
    net.register_in_5gs(ngksi=2)
    assert not net.ue.in_service
    net.register_in_ims()
    assert net.ue.in_service


def test_a_registration_from_before_is_renewed_over_a_service_request():
    net = ImsNetwork()
    net.provisioned(share=0.1)
    assert net.ue.in_service
    waited, request = net.until_attempt(400)
    assert waited == pytest.approx(300, abs=0.1)
    assert request.kind is ServiceType.DATA
    resource = PduSessionResource(IMS_SESSION, SLICE, bytes(4), IMS_SESSION.to_bytes(4))
    net.set_up_context(ServiceAccept(), (resource,))
    assert net.sip().headers.first("CSeq") == "3 REGISTER"
    net.respond(200)
    assert net.ue.in_service
    assert net.notes.lost == []


def test_a_session_that_the_network_releases_takes_ims_along():
    net = ImsNetwork()
    net.ue.power_on(0.0)
    net.register_in_5gs()
    net.register_in_ims()
    command = PduSessionReleaseCommand(IMS_SESSION, 0, FivegsmCause.REACTIVATION_REQUESTED)
    nas = net.octets(DlNasTransport(encode_nas(command), IMS_SESSION), protected=True)
    net.tell(PduSessionResourceReleaseCommand(net.amf_ue_id, net.ran_ue_id, (IMS_SESSION,), nas))
    assert not net.ue.ims.registered
    assert not net.gnb.send_packet(net.ue, IMS_SESSION, b"x", net.now)
    complete = net.hear()
    assert isinstance(decode_5gsm(complete.payload), PduSessionReleaseComplete)
    net.accept_session()
    net.register_in_ims()
    assert net.ue.in_service


# --- every P-CSCF asked in vain --------------------------------------------------------------------------------------


def exhausted(profile=None):
    """A UE whose P-CSCFs do not answer, at the moment when it has asked both."""
    net = ImsNetwork(profile)
    net.ue.power_on(0.0)
    net.register_in_5gs()
    net.sip()
    net.unanswered()
    net.run(128)
    net.user_plane.clear()
    return net


def test_a_new_session_is_asked_for_when_all_p_cscfs_were_asked_in_vain():
    net = exhausted()
    uplink = net.hear()
    assert isinstance(uplink, UlNasTransport)
    request = decode_5gsm(uplink.payload)
    assert isinstance(request, PduSessionReleaseRequest)
    command = PduSessionReleaseCommand(IMS_SESSION, request.pti, FivegsmCause.REGULAR_DEACTIVATION)
    net.say(DlNasTransport(encode_nas(command), IMS_SESSION), protected=True)
    assert isinstance(decode_5gsm(net.hear().payload), PduSessionReleaseComplete)
    assert (procedures.SESSION_RELEASE, None) in net.notes.ended
    net.accept_session()
    net.register_in_ims()
    assert net.datagram.destination[0] == P_CSCF_TEXTS[0]
    assert net.ue.in_service


def test_a_release_complete_that_comes_back_is_not_the_request_for_the_new_session():
    net = exhausted()
    request = decode_5gsm(net.hear().payload)
    command = PduSessionReleaseCommand(IMS_SESSION, request.pti, FivegsmCause.REGULAR_DEACTIVATION)
    net.say(DlNasTransport(encode_nas(command), IMS_SESSION), protected=True)
    complete = net.hear()
    net.say(DlNasTransport(complete.payload, IMS_SESSION, FivegmmCause.CONGESTION), protected=True)
    assert net.accept_session() == "ims"
    net.register_in_ims()
    assert net.ue.in_service


def test_a_release_that_the_network_rejects_is_done_locally():
    net = exhausted()
    request = decode_5gsm(net.hear().payload)
    reject = PduSessionReleaseReject(IMS_SESSION, request.pti, FivegsmCause.INVALID_PDU_SESSION_IDENTITY)
    net.say(DlNasTransport(encode_nas(reject), IMS_SESSION), protected=True)
    assert isinstance(decode_5gsm(net.hear().payload), PduSessionEstablishmentRequest)


def test_a_release_that_nobody_answers_is_repeated_and_then_done_locally():
    net = exhausted()
    for _ in range(5):
        assert isinstance(decode_5gsm(net.hear(within_s=17).payload), PduSessionReleaseRequest)
    assert isinstance(decode_5gsm(net.hear(within_s=17).payload), PduSessionEstablishmentRequest)
    assert (procedures.SESSION_RELEASE, "T3582 expired") in net.notes.ended


def test_or_the_ue_deregisters_and_registers():
    net = exhausted(Profile("test", recourse=Recourse.REREGISTER))
    assert isinstance(net.hear(), DeregistrationRequest)
    net.say(DeregistrationAccept(), protected=True)
    net.release()
    assert isinstance(net.hear(), RegistrationRequest)


def test_or_it_leaves_for_e_utra():
    net = exhausted(Profile("test", recourse=Recourse.TO_EUTRA))
    assert not net.state.registered
    assert not net.ue.wants_service
    assert net.notes.waits() == {"E-UTRA": 1}
    assert net.notes.lost == ["IMS P-CSCFs exhausted"]


# --- the gNB's user plane --------------------------------------------------------------------------------------------


def test_a_packet_for_a_connection_that_is_gone_is_counted():
    net = ImsNetwork()
    net.in_service_and_idle()
    packet = udp_packet(("10.2.0.1", 5060), (ADDRESS, 5060), b"x")
    net.gnb.user_plane.receive(encode(GPdu(net.ran_ue_id << 4 | IMS_SESSION, packet)), net.now)
    net.gnb.user_plane.receive(encode(GPdu(0xFFFF_FFFF, packet)), net.now)
    assert net.gnb.user_plane.counts.no_tunnel == 2


def test_what_else_comes_on_n3_is_answered_or_counted():
    net = ImsNetwork()
    plane = net.gnb.user_plane
    plane.receive(encode(EchoRequest(9)), 0.0)
    assert decode(net.user_plane.popleft()) == EchoResponse(9)
    plane.receive(encode(ErrorIndication(1, bytes(4))), 0.0)
    plane.receive(encode(EndMarker(1)), 0.0)
    plane.receive(b"nonsense", 0.0)
    assert (plane.counts.errors_indicated, plane.counts.unreadable) == (1, 1)


def test_a_packet_keeps_the_connection_alive():
    net = ImsNetwork()
    net.ue.power_on(0.0)
    net.register_in_5gs()
    net.register_in_ims()
    net.run(9)
    assert net.gnb.send_packet(net.ue, IMS_SESSION, b"x", net.now)
    net.sent.clear()
    net.run(9)
    assert not net.sent
    net.run(2)
    assert net.sent
