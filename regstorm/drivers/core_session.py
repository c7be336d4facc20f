"""One storm's core in a process of its own, with its clock and its books: what a generator's commands come to.

Paced; the sockets of the process and how it ends are core_process.py's.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from math import ceil, inf
from typing import Final

from protocols.credentials import index_of
from protocols.nas5g.warm import warm as warm_nas
from protocols.ngap.warm import warm as warm_ngap
from regstorm.drivers import control
from regstorm.drivers.association import Address, Association, Listener
from regstorm.drivers.backend_doors import paced_doors
from regstorm.drivers.backend_wire import BackEndOnWire
from regstorm.drivers.core_side import CoreHalf
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.pauses import keep_pauses_short
from regstorm.drivers.sip_side import sip_side
from regstorm.measures.timeline import Timeline
from regstorm.records.operations import Nf

SERVICE_EVERY_S: Final = 0.05  # wall time between two reports about full service
CHANGES_PER_LINE: Final = 10_000  # of a report: some 200 kB


class CoreSession:
    """One storm's core with its clock and its books."""

    def __init__(
        self,
        wanted: control.SetUp,
        listen: Callable[[PacedClock, Callable[[Association], None]], Listener],
        sip_at: Address | None = None,
        doors_at: Mapping[Nf, Address] | None = None,
    ) -> None:
        """`sip_at`: where the SBC listens outside of PDU sessions, if the set-up does not say it. `doors_at`: where UDM
        and HSS do, if they are to, whatever the set-up says."""
        warm_nas()
        self.clock = PacedClock(progress=self._report)
        outage = wanted.scenario.outage
        self.timeline = Timeline(outage.begins_s + outage.lasts_s)
        self.tell: Callable[[control.Report], None] = lambda report: None
        self.begun = False
        self._untold_service: list[tuple[float, int, bool]] = []
        self._cpu_at_begin_s = 0.0
        self._half = CoreHalf(
            wanted.scenario, wanted.strategy, wanted.seed, self.clock, self.timeline, partial(listen, self.clock)
        )
        if self._half.core.ims is not None:
            self._half.core.ims.service_changed = self._service_changed
        warm_ngap((self._half.core.identity.slice,))
        self._half.provision(wanted.outage_ues, wanted.online_ues)
        self._backend = self._backend_on_wire(wanted, doors_at)
        self.sip = sip_side(self._half.core.ims, self.clock, wanted.sip, sip_at)
        """The SBC on sockets of its own; None: it is reached in PDU sessions only."""

    def _backend_on_wire(self, wanted: control.SetUp, doors_at: Mapping[Nf, Address] | None) -> BackEndOnWire | None:
        if doors_at is None and wanted.backend == "in_process":
            return None
        doors = paced_doors(self.clock, doors_at or {})
        return BackEndOnWire(self._half.core, self.clock, self.timeline, wanted.seed, doors)

    def begin(self, command: control.Begin) -> None:
        """From now on time passes."""
        keep_pauses_short()
        self._cpu_at_begin_s = time.process_time()
        self.clock.speed = command.speed
        self.clock.begin(command.zero)
        self.clock.at(0.0, self._half.start)
        if self._half.core.ims is not None:
            self._tell_service(0.0)  # who was registered before
            self.clock.at(SERVICE_EVERY_S * command.speed, self._tell_service_again)
        self.begun = True

    def run(self) -> None:
        """Until somebody stops the clock."""
        self.clock.run(inf)

    def outage(self, command: control.Outage) -> None:
        """Then or now."""

        def begins(now: float) -> None:
            self.timeline.advance(now)  # the levels that fall now belong to this second
            self._half.outage_begins(command.outage_ues, now)

        self._at(command.at_s, begins)

    def switch(self, command: control.Switch) -> None:
        """Then or now."""
        self._at(command.at_s, lambda now: self._half.core.take_strategy(command.strategy, now))

    def restart_sbc(self, command: control.RestartSbc) -> None:
        """Then or now."""
        sip = self.sip
        if sip is not None:
            self._at(command.at_s, lambda now: sip.restart(command.down_s, now))

    def capacity(self, command: control.Capacity) -> str | None:
        """Then or now. Returns why it cannot be followed."""
        unknown = [node for node in command.nodes if node not in self._half.scenario.core.node_names]
        if unknown:
            return f"capacity: there is no node {unknown[0]}; expected {', '.join(self._half.scenario.core.node_names)}"
        self._at(command.at_s, lambda now: self._half.take_capacity(command.nodes, command.capacity, now))
        return None

    def ended(self, ended_s: float) -> control.Ended:
        """The books until `ended_s` are told, and how it went."""
        self.timeline.close(ended_s)
        self._tell_seconds(ceil(ended_s))
        if self._half.core.ims is not None:
            self._tell_service(ended_s)
        return control.Ended(
            lateness=self.clock.lateness.buckets,
            lateness_max_s=self.clock.lateness.max_s,
            cpu_s=time.process_time() - self._cpu_at_begin_s,
            connections=self._half.core.connections,
            associations=self._half.side.associations,
        )

    def close(self) -> None:
        """Lets go of its gNBs."""
        self.tell = lambda report: None
        self.clock.stop()
        if self.sip is not None:
            self.sip.close()
        if self._backend is not None:
            self._backend.close()
        self._half.close()
        self.clock.close()

    def _at(self, at_s: float | None, action: Callable[[float], None]) -> None:
        self.clock.at(self.clock.time_s if at_s is None else at_s, action)

    def _report(self, now: float) -> None:
        self.timeline.advance(self.clock.time_s)
        self._tell_seconds(None)

    def _tell_seconds(self, until: int | None) -> None:
        first, seconds = self.timeline.take_seconds(until)
        if seconds:
            self.tell(control.Seconds(first=first, seconds=seconds))

    # ---- full service

    def _service_changed(self, supi: str, in_service: bool, now: float) -> None:
        ue = index_of(supi, self._half.core.identity.plmn)
        if ue is not None:
            self._untold_service.append((now, ue, in_service))

    def _tell_service_again(self, now: float) -> None:
        self._tell_service(now)
        self.clock.at(now + SERVICE_EVERY_S * self.clock.speed, self._tell_service_again)

    def _tell_service(self, through_s: float) -> None:
        """What has changed up to `through_s`, which is now or has been."""
        changes, self._untold_service = self._untold_service, []
        while len(changes) > CHANGES_PER_LINE:
            part, changes = changes[:CHANGES_PER_LINE], changes[CHANGES_PER_LINE:]
            self.tell(control.Service(through_s=part[0][0], changes=part))
        self.tell(control.Service(through_s=through_s, changes=changes))
