"""A phone that is nothing but its IMS side: plain digest, its way to the P-CSCFs, coverage that comes and goes."""

from random import Random

import pytest
from scripted_network import PLMN, Notebook, TestAgenda

from protocols.credentials import credentials, prior_binding
from protocols.digest import AUTH, MD5, Challenge, verifies
from protocols.ims_identities import home_domain
from protocols.sip.authentication import AUTHORIZATION, WWW_AUTHENTICATE, challenge_text
from protocols.sip.authentication import credentials as credentials_of
from protocols.sip.decode import decode
from protocols.sip.encode import answer
from protocols.sip.fields import cseq
from regstorm.records import procedures
from ue_models.ims_rules import RETRY_AFTER
from ue_models.ims_state import SipAccess
from ue_models.profiles import OBEDIENT
from ue_models.settings import UeSettings
from ue_models.sip_phone import PriorPhone, SipPhone
from ue_models.ue_state import new_ue

HOST, SBC, OTHER = "127.0.0.1", "127.0.0.2", "127.0.0.3"
UDP = SipAccess("UDP", 40_000, 5070)
TCP = SipAccess("TCP", 5060, 5070)
PASSWORD = "secret"


class Way:
    """Keeps what a phone sends."""

    def __init__(self, access):
        self.access = access
        self.sent = []
        self.is_open = False

    def open(self, phone):
        self.is_open = True
        return self.access

    def send(self, phone, octets, destination):
        self.sent.append((decode(octets), destination))

    def close(self, phone):
        self.is_open = False


class Line:
    """A phone and who is at the other end of its way."""

    def __init__(self, password=PASSWORD, access=UDP, p_cscfs=(SBC,), domain=None, expires_s=3600):
        self.agenda, self.book, self.way = TestAgenda(), Notebook(), Way(access)
        settings = UeSettings(PLMN, retry_jitter_s=0.0, ims_expires_s=expires_s)
        state = new_ue(0, "outage", credentials(1, 0, PLMN))
        self.phone = SipPhone(
            state,
            PLMN,
            OBEDIENT,
            settings,
            self.way,
            HOST,
            p_cscfs,
            self.agenda,
            Random(7),
            self.book,
            domain,
            password,
        )

    def run(self, seconds):
        self.agenda.run_until(self.agenda.now + seconds)

    def hear(self, within=1.0):
        """The next request that the phone sends."""
        self.run(within)
        assert len(self.way.sent) == 1, self.way.sent
        self.request, self.destination = self.way.sent.pop()
        return self.request

    def say(self, status, *fields):
        self.phone.take(answer(self.request, status, "network", fields), self.destination, self.agenda.now)

    def challenge(self, nonce="n1", **more):
        offered = Challenge(self.phone.ims.state.domain, nonce, MD5, (AUTH,), **more)
        self.say(401, (WWW_AUTHENTICATE, challenge_text(offered)))

    def accept(self, expires_s=3600):
        self.say(200, ("Contact", f"{self.request.headers.first('Contact')};expires={expires_s}"))

    def register(self):
        self.phone.return_to_coverage(self.agenda.now)
        self.hear()
        self.challenge()
        assert verifies(credentials_of(self.hear()), PASSWORD.encode(), "REGISTER")
        self.accept()
        assert self.phone.in_service


def test_with_plain_digest_the_first_register_says_nothing_and_the_second_proves_the_password():
    """RFC 2617 3.2.2: there is nothing to say before a challenge."""
    line = Line()
    line.phone.return_to_coverage(0.0)
    first = line.hear()
    assert first.headers.first(AUTHORIZATION) is None
    assert first.uri == f"sip:{home_domain(PLMN)}"
    line.challenge()
    second = line.hear()
    given = credentials_of(second)
    assert verifies(given, PASSWORD.encode(), "REGISTER")
    assert (given.nonce, given.nonce_count, cseq(second).number) == ("n1", 1, 2)
    line.accept()
    assert line.book.ended == [(procedures.IMS_REGISTRATION, None)]
    assert [in_service for in_service, _ in line.book.service] == [True]


def test_a_renewal_counts_on_under_the_nonce_and_answers_a_fresh_one():
    """RFC 2617 3.2.2 and 3.2.1 (stale); RFC 3261 10.2.4: Call-ID stays, CSeq goes on."""
    line = Line()
    line.register()
    call_id = line.request.headers.first("Call-ID")
    renewal = line.hear(within=3000.5)  # 600 s before it expires (TS 24.229 5.1.1.4.1)
    given = credentials_of(renewal)
    assert (given.nonce, given.nonce_count) == ("n1", 2)
    line.challenge("n2", stale=True)
    given = credentials_of(line.hear())
    assert (given.nonce, given.nonce_count) == ("n2", 1)
    assert line.request.headers.first("Call-ID") == call_id
    assert cseq(line.request).number == 4
    line.accept()
    assert line.phone.in_service


def test_a_phone_with_a_password_does_not_answer_aka_and_one_with_a_usim_no_md5():
    md5 = Line(password=None)
    md5.phone.return_to_coverage(0.0)
    md5.hear()
    md5.challenge()
    assert md5.book.ended == [(procedures.IMS_REGISTRATION, "network not genuine")]


@pytest.mark.parametrize(
    ("access", "via", "contact"),
    [
        (UDP, "SIP/2.0/UDP 127.0.0.1:40000;", "127.0.0.1:40000>"),
        (TCP, "SIP/2.0/TCP 127.0.0.1:5060;", "127.0.0.1:5060;transport=tcp>"),
    ],
)
def test_via_and_contact_say_how_the_phone_is_reached(access, via, contact):
    """RFC 3261 18.1.1, 19.1.1."""
    line = Line(access=access)
    line.phone.return_to_coverage(0.0)
    request = line.hear()
    assert request.headers.first("Via").startswith(via)
    assert contact in request.headers.first("Contact")
    assert line.destination == (SBC, 5070)


def test_over_tcp_nothing_is_repeated_and_timer_f_ends_it():
    """RFC 3261 17.1.2.2; 128 s on Gm (TS 24.229 table 7.7.1)."""
    line = Line(access=TCP)
    line.phone.return_to_coverage(0.0)
    line.hear()
    line.run(127)
    assert line.way.sent == []
    line.run(2)
    assert line.book.ended == [(procedures.IMS_REGISTRATION, "Timer F expired")]


def test_a_connection_that_breaks_ends_the_attempt_and_the_other_p_cscf_is_asked():
    """RFC 3261 8.1.3.1."""
    line = Line(access=TCP, p_cscfs=(SBC, OTHER))
    line.phone.return_to_coverage(0.0)
    line.hear()
    line.phone.way_lost(line.agenda.now)
    line.hear()
    assert line.book.ended == [(procedures.IMS_REGISTRATION, "SIP transport lost")]
    assert line.destination == (OTHER, 5070)


def test_a_connection_that_breaks_while_nothing_is_asked_changes_nothing():
    line = Line(access=TCP)
    line.register()
    line.phone.way_lost(line.agenda.now)
    line.run(60)
    assert line.phone.in_service
    assert line.way.sent == []


def test_when_every_p_cscf_was_asked_in_vain_the_phone_backs_off_and_asks_again():
    """RFC 5626 4.5: after a first failure 30 to 60 s."""
    line = Line(access=TCP)
    line.phone.return_to_coverage(0.0)
    line.hear()
    line.phone.way_lost(line.agenda.now)
    line.run(29)
    assert line.way.sent == []
    line.hear(within=32)
    line.challenge()
    line.hear()
    line.accept()
    assert line.phone.in_service


def test_retry_after_of_the_only_p_cscf_is_waited_for():
    """TS 24.229 5.1.1.2.1: there is no other that might be asked."""
    line = Line()
    line.phone.return_to_coverage(0.0)
    line.hear()
    refused_at = line.agenda.now
    line.say(503, ("Retry-After", "20 (try later);duration=60"))
    assert line.book.waits() == {RETRY_AFTER: 1}
    line.run(refused_at + 19.9 - line.agenda.now)
    assert line.way.sent == []
    line.hear()
    assert line.book.waits() == {}


def test_without_coverage_there_is_no_registration_and_no_way():
    line = Line()
    line.register()
    line.phone.lose_coverage(line.agenda.now)
    assert not line.phone.in_service
    assert not line.way.is_open
    assert line.book.lost == ["coverage lost"]
    line.run(4000)
    assert line.way.sent == []


def test_a_phone_leaves_and_hears_no_more_of_it():
    line = Line()
    line.register()
    assert line.phone.deregister(line.agenda.now)
    assert line.hear().headers.first("Expires") == "0"
    line.say(200)
    assert not line.phone.in_service
    line.run(4000)
    assert line.way.sent == []


def test_a_phone_of_another_domain_is_named_by_it():
    line = Line(domain="example.org")
    line.phone.return_to_coverage(0.0)
    request = line.hear()
    assert request.uri == "sip:example.org"
    assert request.headers.first("To") == "<sip:001010000000001@example.org>"


def test_a_phone_from_before_renews_with_the_digest_that_both_sides_kept():
    line = Line(password=None)
    line.phone.provision(PriorPhone(prior_binding(1, 0), 3600.0, 0.5), 0.0)
    assert line.phone.in_service
    given = credentials_of(line.hear(within=1501))
    assert given.nonce == prior_binding(1, 0).nonce
    assert given.nonce_count == prior_binding(1, 0).nonce_count + 1
