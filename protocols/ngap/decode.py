"""Octets to NGAP messages: any legal peer's encoding, and an Unreadable for everything else.

Three ways, from fast to slow. What looks like our own encoding is read by its template. The rest is walked element
by element, and each element that the message needs is read by a strict small reader. An element that holds more than
the small readers know goes to the reference decoder behind its fence. `Counters` tells how many went which way.

Abstract syntax errors are judged as TS 38.413 10.3 says: an element that the message does not define makes it
unreadable if its criticality is reject and is skipped otherwise; so does a mandatory element that is missing; an
element that comes twice is a falsely constructed message. The order of elements is not judged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from protocols.ngap import messages as m
from protocols.ngap.aper import Beyond, Malformed
from protocols.ngap.causes import (
    ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY,
    ABSTRACT_SYNTAX_ERROR_REJECT,
    TRANSFER_SYNTAX_ERROR,
)
from protocols.ngap.elements import READERS
from protocols.ngap.encode import SHAPES_BY_PREFIX
from protocols.ngap.reference import read_by_reference
from protocols.ngap.tables import MESSAGES, MessageEntry
from protocols.ngap.walker import Walked, walk, walk_container
from protocols.template import Shapes


@dataclass(slots=True)
class Counters:
    """How PDUs were read: a record that the caller owns and passes to `decode`."""

    templates: int = 0  # whole PDUs read by a template
    walked: int = 0  # PDUs read element by element
    fenced: int = 0  # elements that went to the reference decoder
    unreadable: int = 0  # PDUs that were no message


class Contents:
    """The elements of one PDU, read on demand by ASN.1 type name."""

    __slots__ = ("_counters", "_elements", "_ids", "_name")

    def __init__(self, name: str, elements: dict[int, bytes], counters: Counters) -> None:
        self._name = name
        self._ids = _IDS[name]
        self._elements = elements
        self._counters = counters

    def required(self, type_name: str) -> Any:
        """The value of an element; Malformed if it is missing."""
        content = self._elements.get(self._ids[type_name])
        if content is None:
            raise Malformed(f"{self._name} lacks {type_name}", ABSTRACT_SYNTAX_ERROR_REJECT)
        return self.read(type_name, content)

    def optional(self, type_name: str, default: Any = None) -> Any:
        """The value of an element, or the default if it is missing."""
        content = self._elements.get(self._ids[type_name])
        return default if content is None else self.read(type_name, content)

    def ids(self) -> tuple[int, int]:
        """AMF and RAN UE NGAP ID."""
        return self.required("AMF-UE-NGAP-ID"), self.required("RAN-UE-NGAP-ID")

    def read(self, type_name: str, content: bytes) -> Any:
        """Content of an ASN.1 type, by its small reader or else by the reference."""
        try:
            return READERS[type_name](content)
        except Beyond:
            self._counters.fenced += 1
            return read_by_reference(type_name, content)

    def resources(self, type_name: str) -> tuple[m.PduSessionResource, ...]:
        """The sessions of a setup list, if there is one."""
        return tuple(
            m.PduSessionResource(id_, snssai, *self._upf_tunnel(transfer), nas)
            for id_, nas, snssai, transfer in self.optional(type_name, ())
        )

    def tunnels(self, type_name: str) -> tuple[m.PduSessionTunnel, ...]:
        """The tunnels of a setup response list, if there is one."""
        transfer_type = "PDUSessionResourceSetupResponseTransfer"
        return tuple(
            m.PduSessionTunnel(id_, *self.read(transfer_type, transfer))
            for id_, transfer in self.optional(type_name, ())
        )

    def session_ids(self, type_name: str) -> tuple[int, ...]:
        """The PDU session ids of a list, if there is one."""
        return tuple(id_ for id_, _ in self.optional(type_name, ()))

    def _upf_tunnel(self, transfer: bytes) -> tuple[bytes, bytes]:
        """Address and TEID in a PDUSessionResourceSetupRequestTransfer (9.3.4.1)."""
        content = walk_container(transfer).elements.get(_UL_NGU_UP_TNL_INFORMATION)
        if content is None:
            raise Malformed("transfer lacks its tunnel", ABSTRACT_SYNTAX_ERROR_REJECT)
        address, teid = self.read("UPTransportLayerInformation", content)
        return address, teid


_UL_NGU_UP_TNL_INFORMATION = 139
_AMF_UE_NGAP_ID = 10
_RAN_UE_NGAP_ID = 85

# --- messages from their elements ----------------------------------------------------------------------------


def _ng_setup_request(c: Contents) -> m.NgSetupRequest:
    plmn, gnb_id = c.required("GlobalRANNodeID")
    tac, slices = c.required("SupportedTAList")
    return m.NgSetupRequest(plmn, gnb_id, c.optional("RANNodeName", ""), tac, slices)


def _ng_setup_response(c: Contents) -> m.NgSetupResponse:
    name, guami = c.required("AMFName"), c.required("ServedGUAMIList")
    return m.NgSetupResponse(name, guami, c.required("RelativeAMFCapacity"), c.required("PLMNSupportList"))


def _initial_ue_message(c: Contents) -> m.InitialUeMessage:
    ran, nas = c.required("RAN-UE-NGAP-ID"), c.required("NAS-PDU")
    location, cause = c.required("UserLocationInformation"), c.required("RRCEstablishmentCause")
    return m.InitialUeMessage(ran, nas, location, cause, c.optional("FiveG-S-TMSI"))


def _uplink_nas_transport(c: Contents) -> m.UplinkNasTransport:
    return m.UplinkNasTransport(*c.ids(), c.required("NAS-PDU"), c.required("UserLocationInformation"))


def _initial_context_setup_request(c: Contents) -> m.InitialContextSetupRequest:
    return m.InitialContextSetupRequest(
        *c.ids(),
        c.required("GUAMI"),
        c.required("AllowedNSSAI"),
        c.required("UESecurityCapabilities"),
        c.required("SecurityKey"),
        c.optional("NAS-PDU", b""),
        c.resources("PDUSessionResourceSetupListCxtReq"),
    )


def _pdu_session_resource_setup_response(c: Contents) -> m.PduSessionResourceSetupResponse:
    return m.PduSessionResourceSetupResponse(
        *c.ids(),
        c.tunnels("PDUSessionResourceSetupListSURes"),
        c.session_ids("PDUSessionResourceFailedToSetupListSURes"),
    )


def _pdu_session_resource_release_command(c: Contents) -> m.PduSessionResourceReleaseCommand:
    ids = c.session_ids("PDUSessionResourceToReleaseListRelCmd")
    return m.PduSessionResourceReleaseCommand(*c.ids(), ids, c.optional("NAS-PDU", b""))


def _ue_context_release_command(c: Contents) -> m.UeContextReleaseCommand:
    amf, ran = c.required("UE-NGAP-IDs")
    return m.UeContextReleaseCommand(amf, ran, c.required("Cause"))


def _error_indication(c: Contents) -> m.ErrorIndication:
    amf, ran = c.optional("AMF-UE-NGAP-ID"), c.optional("RAN-UE-NGAP-ID")
    return m.ErrorIndication(amf, ran, c.optional("Cause"))


_MAKERS: dict[str, Callable[[Contents], m.Message]] = {
    "NGSetupRequest": _ng_setup_request,
    "NGSetupResponse": _ng_setup_response,
    "NGSetupFailure": lambda c: m.NgSetupFailure(c.required("Cause"), c.optional("TimeToWait")),
    "NGReset": lambda c: m.NgReset(c.required("Cause"), c.required("ResetType")),
    "NGResetAcknowledge": lambda c: m.NgResetAcknowledge(c.optional("UE-associatedLogicalNG-connectionList", ())),
    "ErrorIndication": _error_indication,
    "OverloadStart": lambda c: m.OverloadStart(
        c.optional("OverloadResponse"), c.optional("TrafficLoadReductionIndication")
    ),
    "OverloadStop": lambda c: m.OverloadStop(),
    "InitialUEMessage": _initial_ue_message,
    "UplinkNASTransport": _uplink_nas_transport,
    "DownlinkNASTransport": lambda c: m.DownlinkNasTransport(*c.ids(), c.required("NAS-PDU")),
    "InitialContextSetupRequest": _initial_context_setup_request,
    "InitialContextSetupResponse": lambda c: m.InitialContextSetupResponse(
        *c.ids(), c.tunnels("PDUSessionResourceSetupListCxtRes")
    ),
    "InitialContextSetupFailure": lambda c: m.InitialContextSetupFailure(*c.ids(), c.required("Cause")),
    "PDUSessionResourceSetupRequest": lambda c: m.PduSessionResourceSetupRequest(
        *c.ids(), c.resources("PDUSessionResourceSetupListSUReq")
    ),
    "PDUSessionResourceSetupResponse": _pdu_session_resource_setup_response,
    "PDUSessionResourceReleaseCommand": _pdu_session_resource_release_command,
    "PDUSessionResourceReleaseResponse": lambda c: m.PduSessionResourceReleaseResponse(
        *c.ids(), c.session_ids("PDUSessionResourceReleasedListRelRes")
    ),
    "UEContextReleaseRequest": lambda c: m.UeContextReleaseRequest(*c.ids(), c.required("Cause")),
    "UEContextReleaseCommand": _ue_context_release_command,
    "UEContextReleaseComplete": lambda c: m.UeContextReleaseComplete(*c.ids()),
}

_IDS = {name: {element.type: element.id for element in MESSAGES[name].elements} for name in _MAKERS}
_KNOWN_IDS = {name: frozenset(_IDS[name].values()) for name in _MAKERS}
_MANDATORY = {
    name: tuple(element for element in MESSAGES[name].elements if element.mandatory and element.criticality == "reject")
    for name in _MAKERS
}
_NO_SHAPES: Shapes = {}
_BY_HEAD = {entry.prefix[:2]: entry for entry in MESSAGES.values()}


# --- decoding ------------------------------------------------------------------------------------------------


def decode(pdu: bytes, counters: Counters | None = None) -> m.Message | m.Unreadable:
    """The message in `pdu`, or why there is none. Never raises for any octets."""
    for decoder, make in SHAPES_BY_PREFIX.get(pdu[:3], _NO_SHAPES).get(len(pdu), ()):
        values = decoder(pdu)
        if values is not None and (message := make(values)) is not None:
            if counters is not None:
                counters.templates += 1
            known: m.Message = message
            return known
    return _decode_walking(pdu, counters or Counters())


def _decode_walking(pdu: bytes, counters: Counters) -> m.Message | m.Unreadable:
    """The slow ways: element by element."""
    walked = Walked({}, {})
    try:
        entry = _entry(pdu)
        walked = walk(pdu)
        _check_elements(entry.name, walked)
        message = _MAKERS[entry.name](Contents(entry.name, walked.elements, counters))
    except Malformed as error:
        counters.unreadable += 1
        amf = _id_if_readable("AMF-UE-NGAP-ID", walked.elements.get(_AMF_UE_NGAP_ID))
        ran = _id_if_readable("RAN-UE-NGAP-ID", walked.elements.get(_RAN_UE_NGAP_ID))
        return m.Unreadable(error.cause, str(error), amf, ran, error.told)
    counters.walked += 1
    return message


_IGNORE = 1
"""Of the enumeration Criticality: reject, ignore, notify."""


def _entry(pdu: bytes) -> MessageEntry:
    """Which message a PDU is, by its head. Raises Malformed for no head and for a procedure that we do not know."""
    if len(pdu) < 4 or pdu[0] not in (0x00, 0x20, 0x40) or pdu[2] & 63 or pdu[2] >= 192:
        raise Malformed("no NGAP PDU", TRANSFER_SYNTAX_ERROR)
    entry = _BY_HEAD.get(pdu[:2])
    if entry is None or entry.name not in _MAKERS:
        criticality = pdu[2] >> 6  # reject, ignore, notify
        cause = ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY if criticality else ABSTRACT_SYNTAX_ERROR_REJECT
        name = entry.name if entry else "unknown"
        raise Malformed(f"procedure {pdu[1]} ({name}) is not ours", cause, told=criticality != _IGNORE)
    return entry


def _check_elements(name: str, walked: Walked) -> None:
    """Judge unknown and missing elements by criticality (10.3.4 and 10.3.5)."""
    known = _KNOWN_IDS[name]
    for id_, criticality in walked.criticalities.items():
        if criticality == 0 and id_ not in known:
            raise Malformed(f"{name} has an unknown element {id_}", ABSTRACT_SYNTAX_ERROR_REJECT)
    for element in _MANDATORY[name]:
        if element.id not in walked.elements:
            raise Malformed(f"{name} lacks {element.type}", ABSTRACT_SYNTAX_ERROR_REJECT)


def _id_if_readable(type_name: str, content: bytes | None) -> int | None:
    try:
        return None if content is None else int(READERS[type_name](content))
    except Malformed:
        return None
