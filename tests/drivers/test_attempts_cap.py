"""The cap on attempts (regstorm/drivers/attempts_cap.py): a limit in wall time, whatever the speed of the clock."""

import pytest

from regstorm.drivers.agenda import HeapAgenda
from regstorm.drivers.attempts_cap import AttemptsCap
from regstorm.measures.timeline import Timeline

INITIAL_UE_MESSAGE = b"\x00\x0f"


def run(agenda: HeapAgenda, until_s: float) -> None:
    while (due_s := agenda.next_due_s()) is not None and due_s <= until_s:
        agenda.now = due_s
        agenda.run_due(1000)


@pytest.mark.parametrize("speed", [0.5, 1, 2, 30])
def test_below_the_cap_nothing_waits(speed):
    agenda, sent = HeapAgenda(), []
    cap = AttemptsCap(100.0, speed, agenda, Timeline(0.0))
    for n in range(50):
        cap.pass_on(INITIAL_UE_MESSAGE, 1, lambda data, stream: sent.append(stream), now=n * speed / 90)
    assert len(sent) == 50
    assert cap.delayed == 0


@pytest.mark.parametrize("speed", [0.5, 1, 2, 30])
def test_above_the_cap_attempts_wait_in_order_and_go_at_its_rate(speed):
    agenda, sent = HeapAgenda(), []
    cap = AttemptsCap(100.0, speed, agenda, Timeline(0.0))
    for n in range(200):
        cap.pass_on(INITIAL_UE_MESSAGE, n, lambda data, stream: sent.append((agenda.now / speed, stream)), now=0.0)
    run(agenda, 10 * speed)
    assert [stream for _, stream in sent] == list(range(200))
    assert sum(wall_s <= 1.0 for wall_s, _ in sent) == pytest.approx(110, abs=2)  # a tenth of a second's at once
    assert sent[-1][0] == pytest.approx(1.9, abs=0.05)
    assert cap.waiting == 0


def test_a_very_low_cap_still_lets_one_go_at_a_time():
    agenda, sent = HeapAgenda(), []
    cap = AttemptsCap(0.5, 1, agenda, Timeline(0.0))
    for n in range(3):
        cap.pass_on(INITIAL_UE_MESSAGE, n, lambda data, stream: sent.append(agenda.now), now=0.0)
    run(agenda, 10)
    assert sent == pytest.approx([0, 2, 4])
