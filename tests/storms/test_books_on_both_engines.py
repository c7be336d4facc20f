"""One UE and every kind of failure: both engines count the same, and write off the same pairs."""

from random import Random

import pytest
from lone_ue import Doors, lone_ue, on_both

from regstorm.records import counters

LISTED = 60
"""Messages, and requests at the UDM, that the lists are about."""


@pytest.fixture
def doors(monkeypatch):
    return Doors(monkeypatch)


def same_on_both(doors, one, refused=(), shed=()):
    wire, simulated = on_both(doors, one, refused, shed)
    assert wire == simulated
    return wire


def test_an_accepted_registration_is_well_spent_though_its_complete_is_lost_with_the_connection(doors):
    """REGISTRATION COMPLETE, the first session request and all that is repeated are dropped until the connection is
    gone. A service request brings another, and the sessions come up with the registration that there is."""
    played = same_on_both(doors, lone_ue(), refused=range(3, 10))
    assert (played.settled, played.written_off, played.open) == (13, 0, 0)
    assert played.counts[counters.AMF_ABANDONED] == 1


def test_a_registration_whose_complete_comes_after_full_service_is_well_spent(doors):
    played = same_on_both(doors, lone_ue(), refused=(3,))
    assert (played.settled, played.written_off, played.open) == (13, 0, 0)
    assert counters.AMF_ABANDONED not in played.counts


def test_of_two_sessions_the_one_that_fails_is_written_off_while_the_complete_is_still_awaited(doors):
    """REGISTRATION COMPLETE is dropped. The first session's second pair is shed twice, and its first was wasted."""
    played = same_on_both(doors, lone_ue(), refused=(3,), shed=(8, 9))
    assert (played.settled, played.written_off, played.open) == (13, 1, 0)


def test_a_ue_that_gives_up_leaves_the_ausf_to_ask_once_more(doors):
    """The answer to the challenge is dropped twice. T3510 runs out while the confirmation, which was shed, is waited
    for; the AMF ends the registration, and the AUSF repeats its request all the same."""
    played = same_on_both(doors, lone_ue(), refused=(1, 2), shed=(1,))
    assert played.counts["RM.RegInitFail.T3510"] == 1
    assert played.counts["udm.offered.N13"] == 2 + 1 + 1 + 1
    assert played.written_off == 2


def test_a_session_whose_registration_at_the_udm_fails_is_up(doors):
    """Its request is shed twice; the UE has the session all the same."""
    played = same_on_both(doors, lone_ue(), shed=(9, 13))
    assert (played.settled, played.written_off, played.open) == (12, 0, 0)
    assert played.counts[counters.AMF_BACKEND_FAILURES] == 1


def test_a_release_complete_that_is_refused_ends_no_new_request(doors):
    """Both P-CSCFs refuse. The AMF lets the release of the ims session pass and refuses its completion; the new
    session comes up all the same, and the UDM is not told of the old one."""
    played = same_on_both(doors, lone_ue(ims=True), refused=(6, 7, 9))
    assert played.counts["SM.PduSessionReleaseSucc"] == 1
    assert counters.PDU_FAIL not in played.counts
    assert (played.settled, played.written_off, played.open) == (25, 3, 0)


def test_a_packet_waits_where_a_service_request_for_signalling_has_brought_no_resources(doors):
    """The ims session is up, the other was refused, and the answer to the registrar's challenge is dropped four times.
    At 57 s the UE asks for the other session; the answer's next repetition waits until that connection is gone."""
    played = same_on_both(doors, lone_ue(ims=True), refused=(4, 6, 9, 10, 11, 12))
    at_s = [now for now, name, _ in doors.decisions if name == "SERVICE_REQUEST"]
    assert at_s == [26.7, 57.0, 67.14]
    assert (played.settled, played.written_off, played.open) == (25, 0, 0)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ims", [False, True], ids=["5GC", "IMS"])
@pytest.mark.parametrize(("refused", "shed"), [(0.3, 0.0), (0.0, 0.4)], ids=["refused", "shed"])
def test_both_engines_keep_the_same_books_whatever_is_refused_or_shed(doors, ims, refused, shed, seed):
    """Not both at once: what becomes of a session that its UE gives up while the SMF is at it, the simulator leaves
    out."""
    rng = Random(seed)
    messages = [number for number in range(LISTED) if rng.random() < refused * (1 + seed % 3) / 2]
    pairs = [number for number in range(LISTED) if rng.random() < shed * (1 + seed // 3) / 2]
    played = same_on_both(doors, lone_ue(ims), messages, pairs)
    assert played.open == 0
