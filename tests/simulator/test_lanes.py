"""Lanes of the bus: who waits for an answer is told at its time, and nobody else is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.simulator import events
from regstorm.simulator.calls import Call, Charge, Lane
from regstorm.simulator.chain import LEAVES_AMF
from regstorm.simulator.engine import EventHeap

TIMEOUT_S = 3.0
CHARGE = Charge(LEAVES_AMF[0], tier=0, cost=1.0, unit=0)


def call(ue: int) -> Call:
    return Call(ue, 0, (CHARGE,), 0, lambda *_: None, lambda *_: None)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 0.5), st.one_of(st.none(), st.floats(0, 2.9))), max_size=30))
def test_a_timeout_is_told_of_each_request_that_is_not_answered_and_of_no_other(requests):
    heap = EventHeap()
    lane = Lane(heap, 0)
    sent = []
    at = 0.0
    for gap_s, _ in requests:
        at += gap_s
        sent.append(at)
        heap.at(at, events.OPERATION, len(sent) - 1)
    calls = [call(ue) for ue in range(len(requests))]
    arrived, given_up = [], []

    def send(ue, now, number):
        calls[ue].request = request = (calls[ue], CHARGE)
        lane.send(request, now + 0.01, now + TIMEOUT_S)
        if (answer_s := requests[ue][1]) is not None:
            heap.at(now + answer_s, events.ANSWER, ue)

    def answer(ue, now, number):
        calls[ue].request = None

    def time_out(index, now, number):
        if (late := lane.first_given_up()) is not None:
            given_up.append((late.ue, round(now, 6)))

    handlers = [send] * events.KINDS
    handlers[events.ANSWER] = answer
    handlers[events.CALL_ARRIVES] = lambda *_: arrived.append(lane.arrived()[0].ue)
    handlers[events.CALL_TIMEOUT] = time_out
    heap.run(30.0, handlers)

    assert arrived == list(range(len(requests)))
    unanswered = [ue for ue, (_, answer_s) in enumerate(requests) if answer_s is None]
    assert given_up == [(ue, round(sent[ue] + TIMEOUT_S, 6)) for ue in unanswered]
    assert len(heap) == 0


def test_a_request_that_was_sent_again_is_not_given_up_for_the_first_one():
    heap = EventHeap()
    lane = Lane(heap, 0)
    one = call(1)
    one.request = first = (one, CHARGE)
    lane.send(first, 0.01, 1.0)
    one.request = second = (one, CHARGE)
    lane.send(second, 0.51, 1.5)
    assert lane.first_given_up() is None
    assert lane.first_given_up() is one
