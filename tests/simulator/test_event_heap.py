"""The event heap keeps exact order: by time, and inside an instant as added."""

from heapq import heappush

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.simulator import events
from regstorm.simulator.engine import EventHeap

KIND = events.RETRY


def handled_until(heap: EventHeap, until_s: int) -> list[tuple[int, float]]:
    seen: list[tuple[int, float]] = []
    heap.run(until_s, [lambda subject, now, number: seen.append((subject, now))] * events.KINDS)
    return seen


def test_events_of_one_instant_come_in_the_order_in_which_they_were_added():
    heap = EventHeap()
    subjects = [7, 3, 9, 1, 8]
    for subject in subjects:
        heap.at(0.5, KIND, subject)
    assert [subject for subject, _ in handled_until(heap, 1)] == subjects


def test_an_event_for_now_comes_after_those_that_wait_for_the_same_instant():
    heap = EventHeap()
    seen = []

    def handler(subject: int, now: float, number: int) -> None:
        seen.append(subject)
        if subject == 1:
            heap.at(0.25, KIND, 3)

    heap.at(0.25, KIND, 1)
    heap.at(0.25, KIND, 2)
    heap.run(1, [handler] * events.KINDS)
    assert seen == [1, 2, 3]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 3, allow_nan=False), st.booleans()), max_size=40))
def test_events_come_by_time_never_early_and_none_is_lost_whichever_way_they_were_added(added):
    heap = EventHeap()
    for subject, (due_s, soon) in enumerate(added):
        if soon:
            heappush(heap.soon, (due_s, next(heap.numbers), KIND, subject))
        else:
            heap.at(due_s, KIND, subject)
    dues = [due_s for due_s, _ in added]
    seen = handled_until(heap, 4)
    assert [subject for subject, _ in seen] == sorted(range(len(dues)), key=lambda i: (dues[i], i))
    assert all(now == dues[subject] for subject, now in seen)


def test_the_run_stops_where_it_is_told_and_goes_on_from_there():
    heap = EventHeap()
    for second in range(4):
        heap.at(second + 0.5, KIND, second)
    assert [subject for subject, _ in handled_until(heap, 2)] == [0, 1]
    assert len(heap) == 2
    assert [subject for subject, _ in handled_until(heap, 4)] == [2, 3]


def test_a_handler_is_told_kind_subject_and_number_of_its_event():
    heap = EventHeap()
    seen = []
    handlers = [lambda subject, now, number, kind=kind: seen.append((kind, subject, number)) for kind in range(14)]
    number = heap.at(0.1, events.STAGE_ENDS, 2**27 - 1)
    heap.run(1, handlers)
    assert seen == [(events.STAGE_ENDS, 2**27 - 1, number)]
