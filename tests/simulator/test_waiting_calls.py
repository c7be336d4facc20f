"""Calls that wait for an answer: who has none is told at its time, and nobody else is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.simulator import events
from regstorm.simulator.calls import Call, Charge, Waiting
from regstorm.simulator.chain import LEAVES_AMF
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.population import Ue
from ue_models.profiles import OBEDIENT

TIMEOUT_S = 3.0
CHARGE = Charge(LEAVES_AMF[0], tier=0, cost=1.0, unit=0)


def call(ue: int) -> Call:
    return Call(Ue(ue, OBEDIENT), 0, (CHARGE,), None, lambda *_: None, lambda *_: None)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 0.5), st.one_of(st.none(), st.floats(0, 2.9))), max_size=30))
def test_a_timeout_is_told_of_each_request_that_is_not_answered_and_of_no_other(requests):
    heap = EventHeap()
    waiting = Waiting(heap, 0)
    sent = []
    at = 0.0
    for gap_s, _ in requests:
        at += gap_s
        sent.append(at)
        heap.at(at, events.OPERATION, len(sent) - 1)
    calls = [call(ue) for ue in range(len(requests))]
    given_up = []

    def send(ue, now, number):
        waiting.add(calls[ue], now + TIMEOUT_S)
        if (answer_s := requests[ue][1]) is not None:
            heap.at(now + answer_s, events.ANSWER, ue)

    def answer(ue, now, number):
        calls[ue].stop_waiting()

    def time_out(index, now, number):
        if (late := waiting.first_given_up(now)) is not None:
            given_up.append((late.ue.index, round(now, 6)))

    handlers = [send] * events.KINDS
    handlers[events.ANSWER] = answer
    handlers[events.CALL_TIMEOUT] = time_out
    heap.run(30, handlers)

    unanswered = [ue for ue, (_, answer_s) in enumerate(requests) if answer_s is None]
    assert given_up == [(ue, round(sent[ue] + TIMEOUT_S, 6)) for ue in unanswered]
    assert len(heap) == 0


def test_who_asks_again_waits_anew():
    heap = EventHeap()
    waiting = Waiting(heap, 0)
    one = call(1)
    waiting.add(one, 1.0)
    one.stop_waiting()
    waiting.add(one, 1.5)
    assert waiting.first_given_up(1.0) is None
    assert waiting.first_given_up(1.5) is one
    assert waiting.first_given_up(1.5) is None
