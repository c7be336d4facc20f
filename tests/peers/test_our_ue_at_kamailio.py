"""Our UE's IMS side against a registrar that is not ours, over real datagrams and at the speed of wall time."""

import shutil
import time
from random import Random

import pytest
from kamailio import PASSWORD, a_registrar

from protocols.credentials import credentials
from protocols.identities import Plmn
from regstorm.drivers.lockstep import Ended
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.sip_ways import ways
from regstorm.records import procedures
from ue_models.ims_rules import RETRY_AFTER, RFC_5626
from ue_models.profiles import IGNORES_RETRY_AFTER, OBEDIENT
from ue_models.settings import UeSettings
from ue_models.sip_phone import SipPhone
from ue_models.ue_state import new_ue

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("kamailio") is None, reason="needs kamailio (Debian package kamailio)"),
]

PLMN = Plmn("001", "01")
LOOPBACK = "127.0.0.1"
RETRY_AFTER_S = 3
REFUSES_ONCE = {"refusals": 1, "hint": f"Retry-After: {RETRY_AFTER_S} (so many callers);duration=60\\r\\n"}
PATIENCE_S = 10.0


class Notebook:
    """What a phone tells."""

    def __init__(self):
        self.ended, self.rejects, self.waits = [], [], []

    def attempt_started(self, ue, procedure, now): ...

    def attempt_ended(self, ue, procedure, started, now, failure):
        self.ended.append((procedure, failure))

    def rejected(self, ue, cause, protected, now):
        self.rejects.append((cause, time.time()))

    def service_changed(self, ue, in_service, now): ...

    def registration_lost(self, ue, why, now): ...

    def waiting(self, timer, change, now):
        self.waits.append((timer, change))


class Phones:
    """Phones on a paced clock of speed 1."""

    def __init__(self, registrar, number=1, profile=OBEDIENT, password=PASSWORD):
        self.clock, self.book = PacedClock(), Notebook()
        self.ways = ways("udp", self.clock, LOOPBACK, registrar.port)
        settings = UeSettings(PLMN, retry_jitter_s=0.0, ims_expires_s=600)
        common = PLMN, profile, settings, self.ways, LOOPBACK, (LOOPBACK,), self.clock
        self.all = [
            SipPhone(
                new_ue(index, "outage", credentials(1, index, PLMN)),
                *common,
                Random(index),
                self.book,
                password=password,
            )
            for index in range(number)
        ]
        for phone in self.all:
            self.clock.at(0.0, phone.return_to_coverage)

    def until(self, holds, within_s=PATIENCE_S):
        """Runs until that holds; whether it came about."""
        return self.clock.run(self.clock.time_s + within_s, holds) is Ended.FINISHED

    def close(self):
        self.ways.shut()
        self.clock.close()


def test_our_ues_register_with_md5_and_leave(tmp_path):
    with a_registrar(tmp_path) as registrar:
        phones = Phones(registrar, number=50)
        assert phones.until(lambda: all(phone.in_service for phone in phones.all))
        assert phones.book.ended == [(procedures.IMS_REGISTRATION, None)] * 50
        for phone in phones.all:
            assert phone.deregister(phones.clock.now)
        assert phones.until(lambda: not any(phone.in_service for phone in phones.all))
        assert phones.book.ended[50:] == [(procedures.IMS_DEREGISTRATION, None)] * 50
        phones.close()
        heard = registrar.heard()
    # RFC 3261 10.2.4: the same CSeq counts on within a registration; leaving may be challenged anew
    for phone in phones.all:
        numbers = [one.cseq for one in heard if one.user == phone.ims.state.impi.partition("@")[0]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) in (3, 4)


def test_a_ue_with_a_wrong_password_is_not_registered_and_does_not_ask_for_ever(tmp_path):
    with a_registrar(tmp_path) as registrar:
        phones = Phones(registrar, password="wrong")
        assert phones.until(lambda: bool(phones.book.ended))
        phones.until(lambda: False, within_s=1.0)
        assert phones.book.ended == [(procedures.IMS_REGISTRATION, "SIP 401")]
        phones.close()
        assert len(registrar.heard()) == 4  # the first, and an answer to each of three challenges


def test_a_ue_that_is_refused_with_retry_after_stays_away_so_long_and_then_registers(tmp_path):
    with a_registrar(tmp_path, **REFUSES_ONCE) as registrar:
        phones = Phones(registrar, number=20)
        assert phones.until(lambda: all(phone.in_service for phone in phones.all))
        phones.close()
        heard = registrar.heard()
    assert [cause for cause, _ in phones.book.rejects] == ["SIP 503"] * 20
    assert phones.book.waits.count((RETRY_AFTER, 1)) == phones.book.waits.count((RETRY_AFTER, -1)) == 20
    for phone in phones.all:
        refused, again, answered = (one.at for one in heard if one.user == phone.ims.state.impi.partition("@")[0])
        assert RETRY_AFTER_S <= again - refused < RETRY_AFTER_S + 1
        assert answered - again < 1


def test_a_ue_that_ignores_retry_after_backs_off_by_rfc_5626(tmp_path):
    """30 to 60 s after a first failure: at the end of Retry-After and well behind it nothing has come."""
    with a_registrar(tmp_path, **REFUSES_ONCE) as registrar:
        phones = Phones(registrar, profile=IGNORES_RETRY_AFTER)
        assert phones.until(lambda: bool(phones.book.ended))
        phones.until(lambda: False, within_s=RETRY_AFTER_S + 2.0)
        (phone,) = phones.all
        assert phones.book.waits == [(RFC_5626, 1)]
        assert not phone.in_service
        phones.close()
        assert len(registrar.heard()) == 1
