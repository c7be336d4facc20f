"""Full service needs both sides: what the UE knows, and what the application servers hold."""

from itertools import permutations

import pytest

from protocols.credentials import supi_of
from protocols.identities import Plmn
from regstorm.drivers.full_service import FullService, FullServiceToldLater

PLMN = Plmn("001", "01")


class Counts:
    """Keeps what it is told of service; the rest of an observer is only passed on."""

    attempt_started = attempt_ended = rejected = registration_lost = waiting = None

    def __init__(self):
        self.told = []

    def service_changed(self, ue, in_service, now):
        self.told.append((ue, in_service, now))


class Ims:
    service_changed = None


@pytest.fixture
def sides():
    counts, ims = Counts(), Ims()
    ues = FullService(counts)
    ues.follow(ims, PLMN)
    return counts, ues.service_changed, lambda ue, served, now: ims.service_changed(supi_of(ue, PLMN), served, now)


def test_service_begins_with_the_later_of_the_two_and_ends_with_the_earlier(sides):
    counts, ue_says, core_says = sides
    for first, second in permutations((ue_says, core_says)):
        counts.told.clear()
        first(7, True, 1.0)
        assert counts.told == []
        second(7, True, 2.0)
        second(7, False, 3.0)
        first(7, False, 4.0)
        assert counts.told == [(7, True, 2.0), (7, False, 3.0)]


def test_each_ue_is_judged_by_itself(sides):
    counts, ue_says, core_says = sides
    ue_says(1, True, 1.0)
    core_says(2, True, 1.0)
    assert counts.told == []


def test_who_is_no_test_subscriber_changes_nothing():
    counts, ims = Counts(), Ims()
    FullService(counts).follow(ims, PLMN)
    ims.service_changed("sip:somebody@elsewhere.example", True, 1.0)
    assert counts.told == []


@pytest.fixture
def told_later():
    counts = Counts()
    return counts, FullServiceToldLater(counts)


def test_what_a_ue_says_waits_until_the_core_has_told_as_much(told_later):
    counts, joined = told_later
    joined.core_told(0.0, [(0.0, 7, True)])
    joined.service_changed(7, True, 1.0)
    joined.core_told(0.9, [])
    assert counts.told == []
    joined.core_told(1.0, [])
    assert counts.told == [(7, True, 1.0)]


def test_changes_that_are_told_late_take_effect_in_order_of_time(told_later):
    counts, joined = told_later
    joined.service_changed(1, True, 1.0)
    joined.service_changed(2, True, 2.0)
    joined.service_changed(1, False, 3.0)
    joined.core_told(4.0, [(0.5, 2, True), (2.5, 1, True)])
    assert counts.told == [(2, True, 2.0), (1, True, 2.5), (1, False, 3.0)]


def test_at_the_end_what_ues_have_said_counts_with_what_is_known_of_the_core(told_later):
    counts, joined = told_later
    joined.core_told(1.0, [(0.5, 1, True)])
    joined.service_changed(1, True, 2.0)
    joined.service_changed(2, True, 2.0)
    joined.finish()
    assert counts.told == [(1, True, 2.0)]
