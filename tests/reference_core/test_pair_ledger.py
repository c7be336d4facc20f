"""The books on served pairs: settled, written off or open, and nothing else."""

from core_rig import Counts, Rig, Ue
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.nas5g import messages as nas
from regstorm.reference_core.pair_ledger import PairLedger


def test_full_service_settles_and_failure_writes_off():
    tally = Counts()
    ledger = PairLedger(tally)
    good, bad = ledger.open(), ledger.open()
    for procedure in (good, good, bad):
        ledger.served(procedure, 0.0)
    ledger.settle(good)
    ledger.write_off(bad, 1.0)
    assert (ledger.settled, ledger.written_off, ledger.pending) == (2, 1, 0)
    assert tally["udm.pairs_without_service"] == 1


def test_pairs_that_are_served_after_the_end_of_their_procedure_are_lost():
    ledger = PairLedger(Counts())
    procedure = ledger.open()
    ledger.write_off(procedure, 0.0)
    ledger.served(procedure, 1.0)
    assert ledger.written_off == 1


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["open", "served", "settle", "write_off"]), st.integers(1, 4))))
def test_served_is_always_the_sum_of_the_three(events):
    ledger = PairLedger(Counts())
    served = 0
    for event, procedure in events:
        match event:
            case "open":
                ledger.open()
            case "served":
                ledger.served(procedure, 0.0)
                served += 1
            case "settle":
                ledger.settle(procedure)
            case "write_off":
                ledger.write_off(procedure, 0.0)
    assert served == ledger.settled + ledger.written_off + ledger.pending


def test_a_registration_is_open_until_the_last_session_is_up():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.request_session(1, "internet")
    ue.follow(1.0)
    assert (rig.core.ledger.settled, rig.core.ledger.pending) == (0, 10)
    ue.request_session(2, "ims")
    ue.follow(1.0)
    assert (rig.core.ledger.settled, rig.core.ledger.pending) == (13, 0)


def test_an_accepted_registration_is_well_spent_though_its_complete_never_comes():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    ue.follow(2.0, answers=2)  # the challenge and the security mode command
    ue.go_idle()
    ue.guti = rig.core.amf.contexts.by_supi(ue.card.supi).next_guti
    assert rig.tally["amf.abandoned_procedures"] == 1
    assert (rig.core.ledger.pending, rig.core.ledger.written_off) == (7, 0)
    status = bytes(2)
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.SIGNALLING, ue.guti.s_tmsi(), None, status))
    ue.follow(1.0)
    for psi, dnn in enumerate(rig.network.dnns, start=1):
        ue.request_session(psi, dnn)
        ue.follow(1.0)
    assert (rig.core.ledger.settled, rig.core.ledger.written_off) == (13, 0)


def test_a_session_that_is_up_is_well_spent_though_the_connection_ends_before_it_is_registered():
    rig = Rig(bus={"hop_s": 0.3})
    ue = Ue(rig)
    ue.register()
    ue.follow(8.0)
    ue.request_session(1, "internet")
    while not rig.core.amf.contexts.by_supi(ue.card.supi).sessions:
        ue.follow(0.1)
    ue.go_idle()
    rig.run(2.0)
    assert rig.pairs()["N10"] == 3
    assert rig.tally["amf.abandoned_procedures"] == 0
    assert (rig.core.ledger.pending, rig.core.ledger.written_off) == (10, 0)


def test_a_ue_that_registers_again_before_full_service_has_wasted_its_pairs():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.request_session(1, "internet")
    ue.follow(1.0)
    ue.go_idle()
    ue.reach_full_service()
    assert rig.tally["udm.pairs_without_service"] == 10
    assert rig.core.ledger.settled == 13


def test_a_ue_that_leaves_before_full_service_has_wasted_its_pairs():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.send(nas.DeregistrationRequest(ue.security.ngksi, True, ue.guti))
    ue.follow(1.0)
    assert rig.tally["udm.pairs_without_service"] == 7


def test_a_session_that_is_given_up_before_full_service_has_wasted_its_pairs():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    for psi, dnn in ((1, "internet"), (1, "internet"), (2, "ims")):
        ue.request_session(psi, dnn)
        ue.follow(1.0)
    assert rig.tally["udm.pairs_without_service"] == 3
    assert (rig.core.ledger.settled, rig.core.ledger.pending) == (13, 0)


def test_a_session_that_is_given_up_after_full_service_has_wasted_nothing():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    ue.request_session(1, "internet")
    ue.follow(1.0)
    assert rig.tally["udm.pairs_without_service"] == 0
