"""Waits of one length: who does not end its wait is told at its time, and nobody else is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.simulator import events
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.equal_waits import EqualWaits

LENGTH_S = 3.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 0.5), st.one_of(st.none(), st.floats(0, 2.9))), max_size=30))
def test_a_wait_is_over_for_each_who_does_not_end_it_and_for_no_other(waits):
    heap = EventHeap()
    timer = EqualWaits[int](heap, LENGTH_S, events.CALL_TIMEOUT)
    begun_s = []
    at_s = 0.0
    for gap_s, _ in waits:
        at_s += gap_s
        begun_s.append(at_s)
        heap.at(at_s, events.OPERATION, len(begun_s) - 1)
    over = []

    def begin(who, now, number):
        timer.begin(who, now)
        if (ends_after_s := waits[who][1]) is not None:
            heap.at(now + ends_after_s, events.ANSWER, who)

    def end(who, now, number):
        del timer.until[who]

    def time_out(subject, now, number):
        if (who := timer.over(now)) is not None:
            over.append((who, now))

    handlers = [begin] * events.KINDS
    handlers[events.ANSWER] = end
    handlers[events.CALL_TIMEOUT] = time_out
    heap.run(30, handlers)

    to_the_end = [who for who, (_, ends_after_s) in enumerate(waits) if ends_after_s is None]
    assert over == [(who, begun_s[who] + LENGTH_S) for who in to_the_end]
    assert len(heap) == 0


def test_who_begins_anew_waits_from_then_on():
    timer = EqualWaits[str](EventHeap(), 1.0, events.CALL_TIMEOUT)
    timer.begin("one", 0.0)
    timer.begin("other", 0.2)
    timer.begin_anew("one", 0.5)
    assert timer.over(1.0) is None
    assert timer.over(1.2) == "other"
    assert timer.over(1.5) == "one"
    assert timer.over(1.5) is None


def test_ending_a_wait_that_does_not_run_is_harmless_where_it_may_be_so():
    timer = EqualWaits[str](EventHeap(), 1.0, events.CALL_TIMEOUT)
    timer.end_if_it_runs("nobody")
    assert timer.over(1.0) is None


def test_of_very_many_each_is_told_in_its_turn_but_for_those_who_ended_or_began_anew():
    timer = EqualWaits[int](EventHeap(), 1.0, events.CALL_TIMEOUT)
    many = 25_000
    for who in range(many):
        timer.begin(who, who / many)
    for who in range(0, many, 2):
        del timer.until[who]
    timer.begin_anew(1, 1.0)

    told = []
    while (who := timer.over(3.0)) is not None:
        told.append(who)

    assert told == [*range(3, many, 2), 1]
