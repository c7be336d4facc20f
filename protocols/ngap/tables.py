"""What the ASN.1 says of each NGAP message, read once from pycrate's classes (TS 38.413 clauses 9.4.3 and 9.4.4).

Knows procedure codes, criticalities and which information elements a message may carry. Knows nothing of values.
"""

from typing import Any, NamedTuple

from pycrate_asn1dir import NGAP

KINDS = ("initiatingMessage", "successfulOutcome", "unsuccessfulOutcome")
CRITICALITIES = ("reject", "ignore", "notify")


class ElementEntry(NamedTuple):
    """One information element of a message: ProtocolIE-ID, ASN.1 type, assigned criticality, mandatory or not."""

    id: int
    type: str
    criticality: str
    mandatory: bool


class MessageEntry(NamedTuple):
    """One message: its place in the NGAP-PDU choice, procedure code, criticality, and its elements in order."""

    name: str
    kind: int
    procedure: int
    criticality: str
    elements: tuple[ElementEntry, ...]

    @property
    def prefix(self) -> bytes:
        """The first three octets of the PDU."""
        return bytes((self.kind << 5, self.procedure, CRITICALITIES.index(self.criticality) << 6))


def _elements(message: Any) -> tuple[ElementEntry, ...]:
    """The rows of the IE set that constrains the message's protocolIEs (a PRIVATE MESSAGE has none)."""
    if "protocolIEs" not in message._cont:
        return ()
    field: Any = message._cont["protocolIEs"]._cont._cont["id"]
    rows = field._const_tab._val.root if field._const_tab else ()
    return tuple(
        ElementEntry(row["id"], _type_name(row["Value"]), row["criticality"], row["presence"] == "mandatory")
        for row in rows
    )


def _type_name(value: Any) -> str:
    return str(value._tr._name if value._tr else value._name)


def _messages() -> dict[str, MessageEntry]:
    keys = ("InitiatingMessage", "SuccessfulOutcome", "UnsuccessfulOutcome")
    procedures: Any = NGAP.NGAP_PDU_Descriptions.NGAP_ELEMENTARY_PROCEDURES
    entries = {}
    for row in procedures._val.root:
        for kind, key in enumerate(keys):
            if key in row:
                name = _type_name(row[key])
                elements = _elements(row[key])
                entries[name] = MessageEntry(name, kind, row["procedureCode"], row["criticality"], elements)
    return entries


MESSAGES: dict[str, MessageEntry] = _messages()
