"""Amplification as measured: which messages one procedure makes pass between which functions (docs/run-record.md).

Values only; drivers.amplification fires the procedures. A NAS message travels inside N2, and SIP of the UE inside N3:
they are listed, but a message counts once, on the interface where it really passes.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

SCHEMA: Final = 1
PAIR_INTERFACES: Final = ("N13", "N8", "N10", "Cx", "Sh")
CARRIED: Final = {"N1": "N2", "Gm": "N3"}
"""Interfaces whose messages travel inside those of another."""
INTERFACES: Final = ("N1", "N2", "N12", "N13", "N8", "N15", "N11", "N10", "N7", "N3", "Gm", "Mw", "Cx", "ISC", "Sh")
"""In the order of a registration; what else is met comes behind."""
OUTSIDE: Final = ("UE", "gNB")
"""Functions that are not the core's."""
NOT_MODELLED: Final = (
    "RRC between UE and gNB: NAS and IP packets pass as they are",
    "N4: the SMF opens and points tunnels in the UPF directly",
    "N6 between UPF and SBC: a datagram is handed over, not sent",
    "N35 between UDM and UDR, and the PCF's reads at the UDR: part of the work at the UDM and the PCF",
    "NRF, SCP and BSF: functions know each other",
    "charging, lawful interception, SUBSCRIBE to the reg event",
    "heartbeats between functions: there are some, they are not counted here",
)


class Message(NamedTuple):
    """One kind of message, in one direction."""

    interface: str
    source: str
    target: str
    name: str


@dataclass(frozen=True)
class Fired:
    """One procedure of one UE, measured from its first message to silence."""

    procedure: str
    messages: Counter[Message]
    pairs: dict[str, int]
    """Offered at the front door of UDM and HSS, by interface."""

    @property
    def total(self) -> int:
        """Messages, each counted once."""
        return sum(n for message, n in self.messages.items() if message.interface not in CARRIED)

    @property
    def functions(self) -> list[str]:
        """Of the core, those that sent or received something."""
        met = {end for message in self.messages for end in (message.source, message.target)}
        return sorted(met - {*OUTSIDE})

    def on(self, interface: str) -> int:
        """Messages on one interface."""
        return sum(n for message, n in self.messages.items() if message.interface == interface)

    def interfaces(self) -> dict[str, int]:
        """Messages by interface, those that are carried by others as well."""
        return {one: self.on(one) for one in _ordered({message.interface for message in self.messages})}

    def nodes(self) -> dict[str, dict[str, int]]:
        """What each function sent and received, messages that are carried by others left out."""
        found: dict[str, dict[str, int]] = {one: {"sent": 0, "received": 0} for one in (*OUTSIDE, *self.functions)}
        for message, n in self.messages.items():
            if message.interface not in CARRIED:
                found[message.source]["sent"] += n
                found[message.target]["received"] += n
        return {one: counts for one, counts in found.items() if any(counts.values())}


def document(scenario: str, strategy: str, switches: dict[str, bool], fired: Iterable[Fired], full: str) -> Any:
    """What `regstorm amplification --json` prints. `full`: the procedure that is a whole registration."""
    procedures = list(fired)
    whole = next(one for one in procedures if one.procedure == full)
    return {
        "schema": SCHEMA,
        "kind": "amplification",
        "scenario": scenario,
        "strategy": strategy,
        "deployment": switches,
        "full_registration": {
            "pairs": sum(whole.pairs.values()),
            "pairs_by_interface": whole.pairs,
            "messages": whole.total,
            "functions": whole.functions,
        },
        "procedures": [_procedure(one) for one in procedures],
        "not_modelled": list(NOT_MODELLED),
    }


def _procedure(one: Fired) -> dict[str, Any]:
    order = {name: place for place, name in enumerate(one.interfaces())}
    listed = sorted(one.messages.items(), key=lambda item: (order[item[0].interface], item[0]))
    return {
        "procedure": one.procedure,
        "pairs": one.pairs,
        "messages": one.total,
        "interfaces": one.interfaces(),
        "nodes": one.nodes(),
        "functions": one.functions,
        "by_message": [
            {"interface": m.interface, "from": m.source, "to": m.target, "name": m.name, "count": n} for m, n in listed
        ],
    }


def _ordered(met: set[str]) -> list[str]:
    return [*(one for one in INTERFACES if one in met), *sorted(met - {*INTERFACES})]
