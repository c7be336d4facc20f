"""One UE whose messages and pairs meet unkind doors by a list, on both engines.

Nothing is left to chance but the list: answers take 0.3 s, T3346 and Retry-After are 30 s, nobody adds jitter. The
base station releases 9.8 s after the last message, so that no two things happen in one moment.
"""

from pathlib import Path
from typing import NamedTuple

from small_storms import scenario, storm_of, strategy

from protocols.timers import GprsTimer2
from regstorm.overload.front_door import ADMIT, FrontDoor, Refused
from regstorm.overload.protected_server import ProtectedServer
from regstorm.overload.retry_guidance import RetryGuidance
from regstorm.records import counters
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StormPlan
from regstorm.simulator.run import Storm

UDM_CAPACITY = 9_973.0
"""Nobody else has it: by this a server knows that it is the UDM's."""
NOT_COMPARED = ("node.", "upf.", "protocol.", "smf.", counters.UDM_REJECTION_WORK)
"""Only on the wire; and what it costs to shed, which is nothing if the list does it."""


class Doors:
    """Those of AMF and SBC together, and the UDM's: what has a number on their lists is refused, and shed."""

    def __init__(self, monkeypatch):
        self.script()
        offer, doors = ProtectedServer.offer, self

        def scripted_offer(server, now, tier, cost, job):
            if server.capacity != UDM_CAPACITY:
                return offer(server, now, tier, cost, job)
            doors.pairs += 1
            return doors.pairs - 1 not in doors.shed and offer(server, now, tier, cost, job)

        def decide(door, now, message_class, first, *sender, **probation):
            refuses = len(doors.decisions) in doors.refused
            doors.decisions.append((round(now, 2), message_class.name, refuses))
            return Refused(first, "reject" if first else "drop") if refuses else ADMIT

        monkeypatch.setattr(ProtectedServer, "offer", scripted_offer)
        monkeypatch.setattr(FrontDoor, "decide", decide)
        monkeypatch.setattr(RetryGuidance, "draw_t3346", lambda guidance: GprsTimer2.of(30))
        monkeypatch.setattr(RetryGuidance, "draw_retry_after_s", lambda guidance: 30)

    def script(self, refused=(), shed=()):
        """The lists, by the number of the message since the beginning, and of the request at the UDM."""
        self.refused, self.shed = frozenset(refused), frozenset(shed)
        self.decisions, self.pairs = [], 0


def lone_ue(ims=False, on_backend_failure="22_t3346"):
    """Back in a calm network."""
    calm = scenario(
        ues=1,
        pairs_per_s=UDM_CAPACITY,
        arrivals_s=0.001,
        outage={"recovery_within_s": 900, "calm_after_s": 60},
        amf={"on_backend_failure": on_backend_failure},
    ).model_dump(by_alias=True)
    calm["ue"] = {"answer_s": {"low": 0.3, "high": 0.3}, "retry_jitter_s": 0}
    calm["online"] = {"every_s": 1e9, "inactivity_s": 9.8}
    calm["population"]["ims"] = ims
    calm["core"]["ims"]["as_retry"] = {"low": 30, "high": 30}
    return Scenario.model_validate(calm)


class Played(NamedTuple):
    """What there is to compare when all is calm again."""

    counts: dict[str, int]
    settled: int
    written_off: int
    open: int


def _played(storm):
    timeline, ledger = storm.timeline, storm.core.ledger
    counts = {name: total for name in timeline.columns() if (total := timeline.total(name))}
    compared = {name: total for name, total in counts.items() if not name.startswith(NOT_COMPARED)}
    return Played(compared, ledger.settled, ledger.written_off, ledger.pending)


def on_both(doors, one, refused=(), shed=()):
    """The UE's way back on the wire, and in the simulator."""
    doors.script(refused, shed)
    wire = _played(storm_of(StormPlan(one, strategy("precise"), 1, 1, Path())))
    doors.script(refused, shed)
    storm = Storm(one, strategy("precise"), seed=1)
    while not storm.over:
        storm.run_second()
    storm.timeline.close(float(storm.second))
    return wire, _played(storm)
