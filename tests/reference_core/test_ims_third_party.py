"""Third-party registration when it fails: the default handling of the filter criteria (TS 24.229 5.4.1.7, 5.4.1.5)."""

import pytest
from ims_rig import ImsRig, SipUe

from protocols.sip.messages import Request
from regstorm.records.core_settings import Ims, ImsNode, Shedding, Udm
from regstorm.records.operations import Nf
from regstorm.records.ranges import Range
from regstorm.reference_core.ims.user_profile import FilterCriteria, read_criteria, write_profile


def silent_hss(rig):
    """From now on the HSS answers nothing."""
    rig.core.bus.take_out_of_service(Nf.HSS)


def registered_but_not_served(rig, index=0):
    """A UE whose REGISTER was answered 200 just before the HSS fell silent."""
    ue = SipUe(rig, index)
    response = ue.ask(ue.register())
    ue.send(ue.register(authorization=ue.answer_to(response)))
    for _ in range(100):
        rig.run(0.001)
        if rig.ims.scscf.registrations.of(ue.public) is not None:
            break
    silent_hss(rig)
    rig.run(0.5)
    assert [one.status for one in ue.hear()] == [200]
    assert not rig.ims.serves(ue.supi)
    return ue


def test_continued_the_user_stays_registered_and_the_servers_ask_again_until_they_have_it():
    rig = ImsRig(ims=Ims(as_retry=Range(low=20, high=20)))
    ue = registered_but_not_served(rig)
    rig.run(40)
    assert rig.tally["ims.third_party_failed.TAS"] == 1
    assert rig.tally["ims.third_party_failed.IP-SM-GW"] == 1
    assert rig.ims.scscf.registrations.of(ue.public) is not None
    rig.core.bus.bring_into_service(Nf.HSS)
    rig.run(60)
    assert rig.ims.serves(ue.supi)
    assert rig.tally["ims.third_party"] == 2


def test_continued_a_register_that_no_server_heard_is_sent_again_by_the_s_cscf():
    rig = ImsRig(ims=Ims(as_retry=Range(low=20, high=20)))
    rig.core.bus.take_out_of_service(Nf.TAS)
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(40)
    assert (rig.ims.tas.holds(ue.supi), rig.ims.ip_sm_gw.holds(ue.supi)) == (False, True)
    rig.core.bus.bring_into_service(Nf.TAS)
    rig.run(60)
    assert rig.ims.serves(ue.supi)


def test_continued_a_server_that_sheds_is_asked_again():
    busy = ImsNode(capacity_messages_per_s=0.1, shedding=Shedding(queue_s=1e-6))
    rig = ImsRig(ims=Ims(application_server=busy, as_retry=Range(low=20, high=20)))
    first, second = SipUe(rig, 0), SipUe(rig, 1)
    for ue in (first, second):
        ue.reach_service()
    assert rig.tally["ims.dropped_overload.TAS"] >= 1
    rig.run(120)
    assert rig.ims.serves(first.supi)
    assert rig.ims.serves(second.supi)


def test_terminated_the_network_takes_the_registration_away_and_the_ue_hears_of_it():
    rig = ImsRig(ims=Ims(default_handling="terminated"))
    ue = registered_but_not_served(rig)
    rig.run(60)
    (notify, *_) = [one for one in ue.hear() if isinstance(one, Request)]
    assert (notify.method, notify.headers.first("Event")) == ("NOTIFY", "reg")
    assert b'event="deactivated"' in notify.body
    assert rig.tally["ims.deregistered.network"] == 1
    assert rig.ims.scscf.registrations.of(ue.public) is None


def test_terminated_the_ue_registers_anew_and_pays_for_it_again():
    rig = ImsRig(ims=Ims(default_handling="terminated"))
    ue = registered_but_not_served(rig)
    rig.run(60)
    ue.hear()
    rig.core.bus.bring_into_service(Nf.HSS)
    rig.run(30)
    wasted = rig.tally["udm.pairs_without_service"]
    assert ue.reach_service().status == 200
    rig.run(1)
    assert rig.ims.serves(ue.supi)
    assert rig.tally["udm.pairs_without_service"] == wasted + 4  # UAR, MAR, UAR, SAR of the first time
    assert rig.core.ledger.pending == 0


def test_terminated_no_server_asks_again_for_a_user_who_is_gone():
    rig = ImsRig(ims=Ims(default_handling="terminated", as_retry=Range(low=20, high=20)))
    registered_but_not_served(rig)
    rig.run(60)
    calls = {one.name: n for one, n in rig.core.bus.calls.items() if one.interface == "Sh"}
    rig.run(200)
    assert {one.name: n for one, n in rig.core.bus.calls.items() if one.interface == "Sh"} == calls


def test_a_user_who_registers_again_meanwhile_is_not_taken_away_by_the_old_failure():
    rig = ImsRig(ims=Ims(default_handling="terminated"))
    ue = registered_but_not_served(rig)
    rig.core.bus.bring_into_service(Nf.HSS)
    assert ue.reach_service().status == 200
    rig.run(60)
    assert rig.ims.serves(ue.supi)
    assert "ims.deregistered.network" not in rig.tally


def test_a_notify_is_repeated_until_the_phone_answers():
    rig = ImsRig(ims=Ims(default_handling="terminated"))
    ue = registered_but_not_served(rig)
    rig.run(45)
    heard = [one for one in ue.hear() if isinstance(one, Request)]
    assert len(heard) >= 2
    assert len(set(heard)) == 1
    ue.say(heard[0])
    rig.run(60)
    assert ue.hear() == []


def test_pairs_for_the_other_domain_are_not_wasted_by_a_service_that_is_made_up_for():
    rig = ImsRig(ims=Ims(as_retry=Range(low=20, high=20)), udm=Udm(capacity_pairs_per_s=1000))
    registered_but_not_served(rig)
    rig.run(30)
    rig.core.bus.bring_into_service(Nf.HSS)
    rig.run(100)
    assert (rig.core.ledger.pending, rig.core.ledger.written_off) == (0, 0)
    assert rig.core.ledger.settled == rig.tally["udm.served"] == 12


# --- the profile -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("handling", ["continued", "terminated"])
def test_filter_criteria_are_read_as_they_were_written(handling):
    criteria = (
        FilterCriteria(1, ("REGISTER", "INVITE"), "sip:tas.example", handling),
        FilterCriteria(2, ("REGISTER", "MESSAGE"), "sip:ipsmgw.example", "continued"),
    )
    assert read_criteria(write_profile("user@example", "sip:user@example", criteria)) == criteria


@pytest.mark.parametrize(
    "broken", [b"", b"<InitialFilterCriteria>", b"<InitialFilterCriteria><a></InitialFilterCriteria>"]
)
def test_a_profile_that_cannot_be_read_has_no_criteria(broken):
    assert read_criteria(broken) == ()
