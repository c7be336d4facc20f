"""A core whose back end is on the wire, without sockets: ways are queues that the test's agenda empties.

What one end sends arrives at the other in the same instant, but never inside the call that sent it.
"""

from random import Random

from core_rig import Rig, Ue
from ims_rig import ImsRig, SipUe

from protocols.diameter.messages import Identifiers
from regstorm.records.operations import Nf
from regstorm.reference_core.backend.cx_sh import HssNames
from regstorm.reference_core.backend.diameter_peer import Node
from regstorm.reference_core.backend.hss_carrier import HssCarrier
from regstorm.reference_core.backend.hss_door import HssDoor
from regstorm.reference_core.backend.nudm_carrier import NudmCarrier
from regstorm.reference_core.backend.nudm_door import NudmDoor
from regstorm.reference_core.backend.nudm_requests import Api
from regstorm.reference_core.backend.ways import Way

ADDRESS = "127.0.0.1"
REALM = "ims.mnc001.mcc001.3gppnetwork.org"
CSCF, HSS = Node(f"scscf.{REALM}", REALM, ADDRESS), Node(f"hss.{REALM}", REALM, ADDRESS)


class Pair:
    """Both ends of a connection. `said[0]` is what the consumer has sent, `said[1]` what the door has."""

    def __init__(self, agenda, receiver, accept):
        self._agenda = agenda
        self.said = ([], [])
        self.open = True
        self.silent = False
        self._receivers = [receiver, None]
        self.near = Way(lambda octets: self._send(0, octets), self.close)
        self._receivers[1] = accept(Way(lambda octets: self._send(1, octets), self.close))

    def _send(self, end, octets):
        self.said[end].append(octets)
        if self.open and not self.silent:
            self._agenda.at(self._agenda.now, lambda now: self._arrives(1 - end, octets, now))

    def _arrives(self, end, octets, now):
        if self.open:
            self._receivers[end].receive(octets, now)

    def close(self):
        """Either end is done with it: both hear so."""
        if self.open:
            self.open = False
            for receiver in self._receivers:
                self._agenda.at(self._agenda.now, receiver.lost)

    def say(self, end, octets):
        """Somebody else's octets on this connection."""
        self._send(end, octets)


class BackEnd:
    """Carriers on the bus of a rig's core, doors before its UDM and HSS, and the connections between them."""

    def __init__(self, rig):
        self.rig = rig
        self.connections = {}
        self.dialled = []
        core = rig.core
        identity = core.identity
        self.api = Api(identity.plmn, identity.slice, identity.guami)
        carrier = NudmCarrier(self.api, lambda *args: self._dial(Nf.UDM, *args), rig.tally)
        self.doors = {Nf.UDM: NudmDoor(self.api, core.bus.carry(Nf.UDM, carrier), rig.tally)}
        if core.ims is not None:
            names = HssNames(identity.plmn)
            carrier = HssCarrier(
                names, ADDRESS, lambda nf: identifiers(nf), lambda *args: self._dial(Nf.HSS, *args), rig.tally
            )
            hss = core.bus.carry(Nf.HSS, carrier)
            self.doors[Nf.HSS] = HssDoor(names, ADDRESS, identifiers(Nf.HSS), hss, rig.tally)

    def _dial(self, server, consumer, receiver, now):
        door = self.doors[server]
        pair = Pair(self.rig.agenda, receiver, lambda way: door.accept(way, now))
        self.connections[consumer] = pair
        self.dialled.append((consumer, server))
        return pair.near


def full_service(rig, index=0):
    """A phone registers in 5GS and in IMS; its SIP side."""
    phone, ue = Ue(rig, index), SipUe(rig, index)
    phone.reach_full_service()
    ue.sqn = phone.sqn
    ue.reach_service()
    rig.run(2)
    return ue


def identifiers(nf):
    return Identifiers(0.0, Random(str(nf)))


def rig_on_wire(full=False, **settings):
    """A core with its back end on the wire; `full`: with IMS."""
    rig = ImsRig(**settings) if full else Rig(**settings)
    rig.back_end = BackEnd(rig)
    return rig
