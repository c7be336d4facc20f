"""Fires one UE per procedure at the bundled core, in lockstep, and takes down every message that passes.

Each procedure has a core and a UE of its own, so nothing else is on the way: N2 and N3 are looked at where octets
arrive, calls between functions on the bus, NAS and the UE's SIP in the UE. What is counted begins with the trigger and
ends when nothing has been sent for a while; the UE stays connected unless the procedure itself ends that.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from protocols.aka import UsimSqn
from protocols.credentials import supi_of
from protocols.gtpu import GPdu
from protocols.gtpu import decode as decode_gtpu
from protocols.identities import Plmn
from protocols.nas5g.messages import RegistrationType, ServiceType
from protocols.ngap.decode import Counters as NgapCounters
from protocols.ngap.decode import decode as decode_ngap
from regstorm.drivers.association import Association, CloseReason
from regstorm.drivers.core_side import CoreHalf
from regstorm.drivers.lockstep import LockstepClock
from regstorm.drivers.memory import MemoryListener, MemoryTransport
from regstorm.drivers.n3 import N3_PPID
from regstorm.drivers.population import Population
from regstorm.drivers.warming import warm_codecs
from regstorm.measures.amplification import PAIR_INTERFACES, Fired, Message
from regstorm.records import counters, procedures
from regstorm.records.operations import N1N2_TRANSFER, Nf
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.reference_core.bus import Call
from ue_models.ue import UeMachine

QUIET_S: Final = 8.0
"""Every procedure has ended long before, NAS timers have not expired (T3510 15 s)."""
FULL: Final = "full registration"
"""SUCI, every session, and IMS if the population has it."""
_NEVER_S: Final = 1e9
_AHEAD: Final = 1 << 20
"""How far a USIM's sequence number is beyond the home network's, so that it asks for a resynchronisation."""


class NotMeasured(RuntimeError):
    """A procedure did not end as it should: `str()` says which, and how it ended."""


class OneUe:
    """A core, a gNB and a UE, and what passes between them."""

    def __init__(self, scenario: Scenario, strategy: Strategy, seed: int) -> None:
        warm_codecs(scenario.network)
        self.scenario = scenario
        self.messages: Counter[Message] = Counter()
        self.counts: Counter[str] = Counter()
        self.ended: list[tuple[str, str | None]] = []
        self.clock = LockstepClock()
        self._transport = MemoryTransport()
        self._half = CoreHalf(scenario, strategy, seed, self.clock, self, self._listen)
        self.core = self._half.core
        self.core.bus.watch = self._on_the_bus
        self._population = Population(
            scenario, seed, self.clock, self._dial, self, trace_of=lambda index: self, dial_n3=self._dial
        )
        self.ue: UeMachine = self._population.seats.take_outage()
        self.supi = supi_of(self.ue.index, Plmn(scenario.network.mcc, scenario.network.mnc))
        self._population.links[0].connect(0.0)
        self._half.start(0.0)
        self.run(1.0)

    def close(self) -> None:
        """Lets go of the associations."""
        self._population.close()
        self._half.close()

    # --- the script --------------------------------------------------------------------------------------------

    def run(self, for_s: float) -> None:
        """Scenario time passes."""
        self.clock.run(self.clock.now + for_s)

    def do(self, action: Callable[[float], object]) -> None:
        """`action(now)`, and what comes of it."""

        def act(now: float) -> None:
            action(now)

        self.clock.at(self.clock.now, act)
        self.run(QUIET_S)

    def begin(self) -> None:
        """From now on everything counts."""
        self.messages.clear()
        self.counts.clear()
        self.ended.clear()

    def in_service_since_before(self) -> None:
        """Registered and idle, on both sides."""
        self._half.provision(1, 0)
        self._population.in_service_since_before(self.clock.now)

    def hold_sessions(self, *free: str) -> None:
        """The UE asks for no session but those to `free`."""
        dnns = self.scenario.network.dnns
        self.ue.state.barred_sessions = sum(1 << psi for psi, dnn in enumerate(dnns, start=1) if dnn not in free)

    # --- what passes -------------------------------------------------------------------------------------------

    def _on_the_bus(self, call: Call, is_answer: bool) -> None:
        operation = call.operation
        ends = str(_consumer(call)), str(operation.server)
        source, target = reversed(ends) if is_answer else ends
        name = f"answer to {operation.name}" if is_answer else operation.name
        self.messages[Message(operation.interface, source, target, name)] += 1

    def _listen(self, on_association: Callable[[Association], None]) -> MemoryListener:
        self._listener = self._transport.listen(on_association)
        return self._listener

    def _dial(self, number: int, now: float) -> Association:
        near = self.clock.connect(self._transport, self._listener)
        far = self.clock.peer(near)
        near.tap = _Tap(self.messages, to_core=False)
        if far is not None:
            far.tap = _Tap(self.messages, to_core=True)
        return near

    def note(self, at_s: float, event: str, name: str, detail: str = "") -> None:
        """As ue_models.traced_ue.Trace has it: NAS and SIP as the UE sends and hears them."""
        if event in ("up", "down"):
            sip = name.startswith("SIP ")
            peer = "SBC" if sip else "AMF"
            ends = ("UE", peer) if event == "up" else (peer, "UE")
            self.messages[Message("Gm" if sip else "N1", *ends, name.removeprefix("SIP "))] += 1

    # --- what is told (records.ports: Tally and UeObserver) -------------------------------------------------------

    def count(self, name: str, now: float, amount: int = 1) -> None:
        """Whatever the core counts."""
        self.counts[name] += amount

    def gauge(self, name: str, change: int) -> None:
        """Levels are of no interest."""

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """Its end will be told."""

    def attempt_ended(self, ue: int, procedure: str, started: float, now: float, failure: str | None) -> None:
        """For whoever asks whether it went well."""
        self.ended.append((procedure, failure))

    def rejected(self, ue: int, cause: str, protected: bool, now: float) -> None:
        """The attempt's end says it too."""

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """The attempts' ends say it too."""

    def registration_lost(self, ue: int, why: str, now: float) -> None:
        """Only where a script makes it so."""

    def waiting(self, timer: str, change: int, now: float) -> None:
        """The attempts' ends say it too."""


class _Tap:
    """At one end of N2 or N3: what arrives there."""

    def __init__(self, messages: Counter[Message], to_core: bool) -> None:
        self._messages = messages
        self._to_core = to_core
        self._counters = NgapCounters()

    def message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        """See association.Tap."""
        user_plane = ppid == N3_PPID
        message = decode_gtpu(data) if user_plane else decode_ngap(data, self._counters)
        if user_plane and not isinstance(message, GPdu):
            return  # echoes keep the path, no procedure needs them
        ends = ("gNB", "UPF" if user_plane else "AMF")
        source, target = ends if self._to_core else ends[::-1]
        name = "G-PDU" if user_plane else type(message).__name__
        self._messages[Message("N3" if user_plane else "N2", source, target, name)] += 1

    def closed(self, reason: CloseReason, ended_here: bool, now: float) -> None:
        """Nothing passes any more."""


def _consumer(call: Call) -> Nf:
    """Who asks; the AMF and the SBC, which begin procedures, do not say so."""
    if call.consumer is not None:
        return call.consumer
    if call.operation is N1N2_TRANSFER:
        return Nf.SMF
    return Nf.SBC if call.operation.interface == "Mw" else Nf.AMF


# --- the procedures --------------------------------------------------------------------------------------------------

Script = Callable[[OneUe], None]
"""Makes everything ready, calls `begin`, and fires."""


def _registers_with_suci(one: OneUe) -> None:
    one.hold_sessions()
    one.begin()
    one.do(one.ue.power_on)


def _registers_with_guti(one: OneUe) -> None:
    one.in_service_since_before()
    one.do(one.ue.lose_coverage)
    one.core.deregister_implicitly([one.ue.index], one.clock.now)
    one.hold_sessions()
    one.begin()
    one.do(one.ue.return_to_coverage)


def _resynchronises(one: OneUe) -> None:
    state = one.ue.state
    state.sqn = UsimSqn(state.credentials.sqn + _AHEAD)
    _registers_with_suci(one)


def _update(kind: RegistrationType) -> Script:
    def updates(one: OneUe) -> None:
        one.in_service_since_before()
        one.begin()
        one.do(lambda now: one.ue.update(kind, now))

    return updates


def _requests_service(one: OneUe) -> None:
    one.in_service_since_before()
    one.begin()
    one.do(lambda now: one.ue.request_service(ServiceType.DATA, now))


def _establishes_a_session(one: OneUe) -> None:
    _registers_with_suci(one)
    one.begin()
    one.hold_sessions(one.scenario.network.dnns[0])
    one.do(one.ue.sessions_changed)


def _reaches_full_service(one: OneUe) -> None:
    one.begin()
    one.do(one.ue.power_on)


def _registers_in_ims(one: OneUe) -> None:
    _reaches_full_service(one)
    ims, core_ims = one.ue.ims, one.core.ims
    assert ims is not None
    assert core_ims is not None
    address, p_cscfs = ims.state.address, ims.state.p_cscfs
    core_ims.forget([one.supi], one.clock.now)
    one.do(ims.session_down)
    one.begin()
    one.do(lambda now: ims.session_up(address, p_cscfs, now))


def _registers_in_ims_again(one: OneUe) -> None:
    """Without being asked: when the time has come."""
    _reaches_full_service(one)
    while procedures.IMS_REREGISTRATION not in (name for name, _ in one.ended):
        one.begin()
        one.run(QUIET_S)
        if one.clock.now > one.scenario.core.ims.expires_s:
            return


def _leaves_ims(one: OneUe) -> None:
    _reaches_full_service(one)
    one.begin()
    one.do(lambda now: one.ue.ims is not None and one.ue.ims.deregister(now))


def _sends_a_message(one: OneUe) -> None:
    _reaches_full_service(one)
    one.begin()
    one.do(lambda now: one.ue.ims is not None and one.ue.ims.send_message(now))


def _leaves(one: OneUe) -> None:
    _reaches_full_service(one)
    one.begin()
    one.do(one.ue.deregister)


def _falls_idle(one: OneUe) -> None:
    """The gNB's inactivity timer is the only one here that matters."""
    _reaches_full_service(one)
    one.begin()
    one.run(one.scenario.online.inactivity_s)


RELEASE: Final = "release to idle"
_IN_5GC: Final[dict[str, tuple[Script, str]]] = {
    "5G registration (SUCI)": (_registers_with_suci, procedures.REGISTRATION),
    "5G registration (GUTI)": (_registers_with_guti, procedures.REGISTRATION),
    "5G registration (resync)": (_resynchronises, procedures.REGISTRATION),
    "PDU session": (_establishes_a_session, "PDU session"),
    "5G periodic update": (_update(RegistrationType.PERIODIC), procedures.PERIODIC_UPDATE),
    "5G mobility update": (_update(RegistrationType.MOBILITY), procedures.MOBILITY_UPDATE),
    "5G service request": (_requests_service, procedures.SERVICE_REQUEST),
    RELEASE: (_falls_idle, ""),
    "5G deregistration": (_leaves, procedures.DEREGISTRATION),
}
_IN_IMS: Final[dict[str, tuple[Script, str]]] = {
    "IMS registration": (_registers_in_ims, procedures.IMS_REGISTRATION),
    "IMS re-registration": (_registers_in_ims_again, procedures.IMS_REREGISTRATION),
    "IMS de-registration": (_leaves_ims, procedures.IMS_DEREGISTRATION),
    "IMS message": (_sends_a_message, procedures.IMS_MESSAGE),
}
"""Names as in docs/run-record.md; each with the attempt that has to succeed, empty if the UE does nothing."""


def fire_all(scenario: Scenario, strategy: Strategy, seed: int) -> Iterator[Fired]:
    """One UE per procedure, the whole registration last. Raises NotMeasured."""
    last = procedures.IMS_REGISTRATION if scenario.population.ims else "PDU session"
    scripts = {
        **_IN_5GC,
        **(_IN_IMS if scenario.population.ims else {}),
        FULL: (_reaches_full_service, last),
    }
    for name, (script, attempt) in scripts.items():
        alone = _alone(scenario, falls_idle=name == RELEASE)
        yield _fire(name, script, attempt, alone, strategy, seed)


def _fire(name: str, script: Script, attempt: str, scenario: Scenario, strategy: Strategy, seed: int) -> Fired:
    one = OneUe(scenario, strategy, seed)
    try:
        script(one)
        _judge(name, attempt, one.ended)
        pairs = {interface: one.counts[f"{counters.UDM_OFFERED}.{interface}"] for interface in PAIR_INTERFACES}
        return Fired(name, Counter(one.messages), pairs)
    finally:
        one.close()


def _judge(name: str, attempt: str, ended: list[tuple[str, str | None]]) -> None:
    """The attempt succeeded, and none beside it failed."""
    failures = [f"{procedure}: {failure}" for procedure, failure in ended if failure is not None]
    ended_at_all = any(procedure.startswith(attempt) for procedure, _ in ended) or not attempt
    if failures or not ended_at_all:
        raise NotMeasured(f"{name}: {'; '.join(failures) or 'the attempt did not end'}")


def _alone(scenario: Scenario, falls_idle: bool) -> Scenario:
    """The scenario with one UE that does nothing of itself and stays connected, or `falls_idle` when it is quiet."""
    population = scenario.population.model_copy(update={"outage_ues": 1, "online_ues": 0})
    online = scenario.online.model_copy(
        update={"every_s": _NEVER_S, "inactivity_s": QUIET_S + 2 if falls_idle else _NEVER_S}
    )
    return scenario.model_copy(update={"population": population, "online": online})
