"""Pencil and paper: lossless admission with a retry window, on the wire and in the simulator.

N UEs come at once; a gate admits r of them per second; behind it is room for everybody; a refusal costs nothing but
time. A refused UE comes back after a time drawn uniformly from 0 to W, w = W / 2 on average. So n waiting UEs knock
n / w times a second (Little's law, whatever the distribution), and the gate is never idle while that is more than r.

- Until n has fallen to r w, admission is a straight line above the tokens kept before: the share q is back at
  (q N − depth) / r.
- The r w UEs that are left then are refused no more. Of a uniform wait that is looked at from outside, more than t is
  left with probability (1 − t / W)² (residual life, renewal theory), so r w (1 − t / W)² are still out after t, and
  99 % are back at (N − depth) / r − w + W (1 − √(N / 100 r w)).
- Knocks: N at the beginning; n / w per second until then, together (N² − (r w)²) / (2 r w); and one of each that is
  left. Divided by N these are the attempts per success.
"""

from math import sqrt

import pytest
from small_storms import scenario, storm_of

from regstorm.records import counters
from regstorm.records.storm_plan import StormPlan
from regstorm.records.strategy import Gate, Guidance, Strategy, T3346Window
from regstorm.simulator.run import Storm

RATE, CAPACITY = 10.0, 1e6
"""UEs per second through the gate; pairs per second behind it."""
JITTER_S = 0.1
"""On average, added to every retry."""


def on_the_wire(one, under, seed):
    return storm_of(StormPlan(one, under, seed, 1, None))


def in_the_simulator(one, under, seed):
    storm = Storm(one, under, seed)
    while not storm.over:
        storm.run_second()
    storm.timeline.close(float(storm.second))
    return storm


WIRE = pytest.param(on_the_wire, 1000, 40.0, 1, id="wire", marks=pytest.mark.slow)
SIMULATED = [
    pytest.param(in_the_simulator, ues, window_s, seed, id=f"simulated-{ues}-{window_s:g}-{seed}")
    for ues, window_s, seed in ((1000, 40.0, 1), (1500, 40.0, 2), (1500, 60.0, 3))
]


@pytest.mark.parametrize(("play", "ues", "window_s", "seed"), [WIRE, *SIMULATED])
def test_lossless_admission_with_a_retry_window_follows_the_closed_form(play, ues, window_s, seed):
    under = Strategy(
        name="lossless",
        title="Lossless",
        summary="First messages take a token; what is behind the gate has room for everybody.",
        gate=Gate(counts="first_messages", share_of_capacity=RATE * 13 / CAPACITY),
        guidance=Guidance(t3346=T3346Window(low_s=0, high_s=window_s)),
    )
    storm = play(
        scenario(ues, pairs_per_s=CAPACITY, arrivals_s=0.01, amf={"capacity_messages_per_s": 1e6}), under, seed
    )

    depth, wait_s = RATE * under.gate.depth_s, window_s / 2 + JITTER_S
    left = RATE * wait_s
    for share in (0.5, 0.75):
        assert (1 - share) * ues > left
        assert storm.log.recovery_s(share) == pytest.approx((share * ues - depth) / RATE, rel=0.05)
    t99_s = (ues - depth) / RATE - wait_s + window_s * (1 - sqrt(ues / 100 / left))
    assert storm.log.recovery_s(0.99) == pytest.approx(t99_s, rel=0.05)
    knocks = ues + (ues**2 - left**2) / (2 * left) + left
    assert storm.timeline.total(counters.REG_INIT_REQ) / ues == pytest.approx(knocks / ues, rel=0.05)
