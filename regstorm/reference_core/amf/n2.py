"""Connections on N2: their numbers, what is sent on them, and how they end (TS 38.413 8.3, 8.6)."""

from collections.abc import Callable
from typing import Any

from protocols.nas5g.encode import encode as encode_nas
from protocols.nas_security import HeaderType, SecurityContext
from protocols.ngap.encode import encode as encode_ngap
from protocols.ngap.messages import (
    Cause,
    DownlinkNasTransport,
    ErrorIndication,
    RrcCause,
    UeContextReleaseCommand,
)
from regstorm.reference_core.amf.ue_context import (
    FIRST_AMF_UE_ID,
    LAST_AMF_UE_ID,
    Association,
    Connection,
    UeContext,
)

COMMON_STREAM = 0
"""For what belongs to no UE (TS 38.412 clause 7)."""


class N2:
    """All associations and connections of the AMF."""

    def __init__(self, forget_stranger: Callable[[UeContext, float], None]) -> None:
        """`forget_stranger(ue, now)`: called when a UE has lost its connection, to stop what runs for it."""
        self._connection_gone = forget_stranger
        self._associations: dict[int, Association] = {}
        self._connections: dict[int, Connection] = {}
        self._last_id = FIRST_AMF_UE_ID - 1

    # --- associations ------------------------------------------------------------------------------------------------

    def association_up(self, peer: int, send: Callable[[bytes, int], None]) -> None:
        """A gNB has connected."""
        self._associations[peer] = Association(peer, send)

    def association(self, peer: int) -> Association | None:
        """The association of that peer, if it is up."""
        return self._associations.get(peer)

    def associations(self) -> list[Association]:
        """All that are up."""
        return list(self._associations.values())

    def association_lost(self, peer: int, now: float) -> None:
        """It is gone, and all its connections with it (TS 38.413 8.7.1: as after a reset)."""
        association = self._associations.pop(peer, None)
        if association is not None:
            self.drop_all(association, now)

    def drop_all(self, association: Association, now: float) -> None:
        """Every connection of the association ends without a word to the gNB."""
        for connection in list(association.connections.values()):
            self.drop(connection, now)

    # --- connections -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Connections that there are."""
        return len(self._connections)

    def connection(self, amf_ue_id: int) -> Connection | None:
        """The connection with that AMF UE NGAP ID."""
        return self._connections.get(amf_ue_id)

    def connect(self, association: Association, ran_ue_id: int, stream: int, rrc_cause: RrcCause) -> Connection:
        """A new connection, for an INITIAL UE MESSAGE."""
        connection = Connection(association, self._free_id(), ran_ue_id, stream, rrc_cause)
        self._connections[connection.amf_ue_id] = connection
        association.connections[ran_ue_id] = connection
        return connection

    def attach(self, connection: Connection, ue: UeContext, cause_for_old: Cause, now: float) -> None:
        """The UE speaks on `connection` from now on; an older connection of it is released."""
        old = ue.connection
        if old is connection:
            return
        if old is not None:
            self.release(old, cause_for_old, now)
        connection.ue = ue
        ue.connection = connection

    def release(self, connection: Connection, cause: Cause, now: float) -> None:
        """UE CONTEXT RELEASE COMMAND; the UE is idle at once, the numbers are free with the gNB's COMPLETE."""
        if not connection.alive or connection.releasing:
            return
        connection.releasing = True
        self.send(connection, UeContextReleaseCommand(connection.amf_ue_id, connection.ran_ue_id, cause))
        self._detach(connection, now)

    def drop(self, connection: Connection, now: float) -> None:
        """The connection is gone, here at least."""
        if not connection.alive:
            return
        connection.alive = False
        del self._connections[connection.amf_ue_id]
        if connection.association.connections.get(connection.ran_ue_id) is connection:
            del connection.association.connections[connection.ran_ue_id]
        self._detach(connection, now)

    def _detach(self, connection: Connection, now: float) -> None:
        ue = connection.ue
        connection.ue = None
        if ue is not None and ue.connection is connection:
            ue.connection = None
            ue.drop_ciphers()
            self._connection_gone(ue, now)

    def _free_id(self) -> int:
        while True:
            self._last_id = FIRST_AMF_UE_ID if self._last_id >= LAST_AMF_UE_ID else self._last_id + 1
            if self._last_id not in self._connections:
                return self._last_id

    # --- sending -----------------------------------------------------------------------------------------------------

    def send(self, connection: Connection, message: Any) -> None:
        """An NGAP message of this connection, on its stream."""
        connection.association.send(encode_ngap(message), connection.stream)

    def send_nas(self, connection: Connection, nas: bytes) -> None:
        """A NAS message as it stands (plain or protected already)."""
        self.send(connection, DownlinkNasTransport(connection.amf_ue_id, connection.ran_ue_id, nas))

    def error(
        self, association: Association, cause: Cause | None, amf_ue_id: int | None = None, ran_ue_id: int | None = None
    ) -> None:
        """ERROR INDICATION."""
        association.send(encode_ngap(ErrorIndication(amf_ue_id, ran_ue_id, cause)), COMMON_STREAM)


def protected(security: SecurityContext | None, message: Any) -> bytes:
    """The message as a secured UE wants it, integrity protected and ciphered; plain without a context."""
    plain = encode_nas(message)
    return plain if security is None else security.protect(plain, HeaderType.CIPHERED)
