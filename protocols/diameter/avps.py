"""The AVPs that this code reads and writes: code, vendor, M bit and form.

Codes are those of RFC 6733 4.5, RFC 7683, TS 29.229 table 6.3.1, TS 29.329 table 6.3.1 and TS 29.272 table 7.3.1/1. The
items of an authentication are 3GPP's 607–612, not RFC 4740's 382 and 377; User-Data is 606 on Cx and 702 on Sh.
"""

import ipaddress
from enum import IntEnum
from functools import lru_cache
from struct import Struct
from typing import Any, Final

from protocols.diameter.layouts import AvpKind, ExperimentalResult, Form, Layout, Malformed, group, one
from protocols.diameter.numbers import (
    DataReference,
    DisconnectCause,
    ExperimentalResultCode,
    OneTimeNotification,
    PdnType,
    RatType,
    ReasonCode,
    ResultCode,
    ServerAssignmentType,
    SubsReqType,
    UserAuthorizationType,
    Vendor,
)
from protocols.identities import Plmn

# --- forms (RFC 6733 4.2, 4.3) ------------------------------------------------------------------------------------

_WORD: Final = Struct(">L")
_IPV4, _IPV6 = b"\x00\x01", b"\x00\x02"  # address families of IANA
_SECONDS_1900_TO_1970: Final = 2_208_988_800


def _read_unsigned(data: bytes) -> int:
    if len(data) != 4:
        raise Malformed(ResultCode.INVALID_AVP_LENGTH, "no 32-bit number")
    return int.from_bytes(data, "big")


def _read_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed(ResultCode.INVALID_AVP_VALUE, "no UTF-8") from None


def _read_address(data: bytes) -> str:
    if (data[:2], len(data)) not in ((_IPV4, 6), (_IPV6, 18)):
        raise Malformed(ResultCode.INVALID_AVP_VALUE, "no IP address")
    return str(ipaddress.ip_address(data[2:]))


def _write_address(text: str) -> bytes:
    address = ipaddress.ip_address(text)
    return (_IPV4 if address.version == 4 else _IPV6) + address.packed


def _read_plmn(data: bytes) -> Plmn:
    plmn = Plmn.from_octets(data)
    if plmn is None:
        raise Malformed(ResultCode.INVALID_AVP_VALUE, "no PLMN")
    return plmn


def _named(names: type[IntEnum]) -> Form:
    """Enumerated."""
    listed = {_WORD.pack(member): member for member in names}
    return Form(_WORD.pack, lambda data: listed[data] if data in listed else names(_read_unsigned(data)))


def _read_time(data: bytes) -> int:
    return (_read_unsigned(data) - _SECONDS_1900_TO_1970) % (1 << 32)


OCTETS: Final = Form(bytes, bytes)
UNOPENED: Final = Form(bytes, bytes, is_group=True)
"""A grouped AVP that is passed on as it came."""
TEXT: Final = Form(str.encode, _read_text)
IDENTITY: Final = Form(lru_cache(4096)(str.encode), lru_cache(4096)(_read_text))
"""Text of which a node sees few: host and realm names."""
UNSIGNED: Final = Form(_WORD.pack, _read_unsigned)
ADDRESS: Final = Form(_write_address, _read_address)
TIME: Final = Form(lambda unix_s: _WORD.pack((unix_s + _SECONDS_1900_TO_1970) % (1 << 32)), _read_time)
"""Seconds since 1970 as seconds since 1900, modulo 2³² (RFC 6733 4.3.1): 0 to 2³² − 1 here."""
FLAG: Final = Form(lambda is_set: _WORD.pack(int(is_set)), lambda data: _read_unsigned(data) != 0)
PLMN: Final = Form(lambda plmn: plmn.octets, _read_plmn)

KNOWN: Final[dict[int, AvpKind]] = {}
"""Every AVP of this file by vendor · 2³² + code."""


def _avp(name: str, code: int, form: Form, vendor: int = Vendor.IETF, mandatory: bool = True) -> AvpKind:
    kind = AvpKind(name, code, form, vendor, mandatory)
    KNOWN[kind.key] = kind
    return kind


def _tgpp(name: str, code: int, form: Form, mandatory: bool = True) -> AvpKind:
    return _avp(name, code, form, Vendor.TGPP, mandatory)


def grouped(name: str, code: int, layout: Layout, vendor: int = Vendor.TGPP) -> AvpKind:
    """A grouped AVP; it is defined beside the value that it holds."""
    return _avp(name, code, group(layout), vendor)


# --- base (RFC 6733, RFC 7944, RFC 7683) --------------------------------------------------------------------------

USER_NAME: Final = _avp("User-Name", 1, TEXT)
HOST_IP_ADDRESS: Final = _avp("Host-IP-Address", 257, ADDRESS)
AUTH_APPLICATION_ID: Final = _avp("Auth-Application-Id", 258, UNSIGNED)
ACCT_APPLICATION_ID: Final = _avp("Acct-Application-Id", 259, UNSIGNED)
SESSION_ID: Final = _avp("Session-Id", 263, TEXT)
ORIGIN_HOST: Final = _avp("Origin-Host", 264, IDENTITY)
SUPPORTED_VENDOR_ID: Final = _avp("Supported-Vendor-Id", 265, UNSIGNED)
VENDOR_ID: Final = _avp("Vendor-Id", 266, UNSIGNED)
FIRMWARE_REVISION: Final = _avp("Firmware-Revision", 267, UNSIGNED, mandatory=False)
RESULT_CODE: Final = _avp("Result-Code", 268, _named(ResultCode))
PRODUCT_NAME: Final = _avp("Product-Name", 269, TEXT, mandatory=False)
DISCONNECT_CAUSE: Final = _avp("Disconnect-Cause", 273, _named(DisconnectCause))
AUTH_SESSION_STATE: Final = _avp("Auth-Session-State", 277, UNSIGNED)
ORIGIN_STATE_ID: Final = _avp("Origin-State-Id", 278, UNSIGNED)
FAILED_AVP: Final = _avp("Failed-AVP", 279, UNOPENED)
ERROR_MESSAGE: Final = _avp("Error-Message", 281, TEXT, mandatory=False)
ROUTE_RECORD: Final = _avp("Route-Record", 282, IDENTITY)
DESTINATION_REALM: Final = _avp("Destination-Realm", 283, IDENTITY)
PROXY_INFO: Final = _avp("Proxy-Info", 284, UNOPENED)
DESTINATION_HOST: Final = _avp("Destination-Host", 293, IDENTITY)
ERROR_REPORTING_HOST: Final = _avp("Error-Reporting-Host", 294, IDENTITY, mandatory=False)
ORIGIN_REALM: Final = _avp("Origin-Realm", 296, IDENTITY)
EXPERIMENTAL_RESULT_CODE: Final = _avp("Experimental-Result-Code", 298, _named(ExperimentalResultCode))
INBAND_SECURITY_ID: Final = _avp("Inband-Security-Id", 299, UNSIGNED)
DRMP: Final = _avp("DRMP", 301, UNSIGNED, mandatory=False)
OC_SUPPORTED_FEATURES: Final = _avp("OC-Supported-Features", 621, UNOPENED, mandatory=False)
OC_OLR: Final = _avp("OC-OLR", 623, UNOPENED, mandatory=False)
SERVICE_SELECTION: Final = _avp("Service-Selection", 493, TEXT)


def _experimental(vendor: int, code: ExperimentalResultCode) -> ExperimentalResult:
    return ExperimentalResult(code, vendor)


class _ExperimentalLayout(Layout):
    """Vendor-Id stands first on the wire, and last in the value."""

    __slots__ = ()

    def write(self, value: Any) -> bytes:
        return super().write((value.vendor, value.code))


EXPERIMENTAL_RESULT: Final = grouped(
    "Experimental-Result",
    297,
    _ExperimentalLayout(_experimental, (one(VENDOR_ID), one(EXPERIMENTAL_RESULT_CODE))),
    Vendor.IETF,
)

# --- Cx (TS 29.229) -----------------------------------------------------------------------------------------------

VISITED_NETWORK_IDENTIFIER: Final = _tgpp("Visited-Network-Identifier", 600, OCTETS)
PUBLIC_IDENTITY: Final = _tgpp("Public-Identity", 601, TEXT)
SERVER_NAME: Final = _tgpp("Server-Name", 602, TEXT)
MANDATORY_CAPABILITY: Final = _tgpp("Mandatory-Capability", 604, UNSIGNED)
OPTIONAL_CAPABILITY: Final = _tgpp("Optional-Capability", 605, UNSIGNED)
CX_USER_DATA: Final = _tgpp("User-Data (Cx)", 606, OCTETS)
SIP_NUMBER_AUTH_ITEMS: Final = _tgpp("SIP-Number-Auth-Items", 607, UNSIGNED)
SIP_AUTHENTICATION_SCHEME: Final = _tgpp("SIP-Authentication-Scheme", 608, TEXT)
SIP_AUTHENTICATE: Final = _tgpp("SIP-Authenticate", 609, OCTETS)
SIP_AUTHORIZATION: Final = _tgpp("SIP-Authorization", 610, OCTETS)
SIP_ITEM_NUMBER: Final = _tgpp("SIP-Item-Number", 613, UNSIGNED)
SERVER_ASSIGNMENT_TYPE: Final = _tgpp("Server-Assignment-Type", 614, _named(ServerAssignmentType))
REASON_CODE: Final = _tgpp("Reason-Code", 616, _named(ReasonCode))
REASON_INFO: Final = _tgpp("Reason-Info", 617, TEXT)
PRIMARY_EVENT_CHARGING_FUNCTION_NAME: Final = _tgpp("Primary-Event-Charging-Function-Name", 619, TEXT)
PRIMARY_CHARGING_COLLECTION_FUNCTION_NAME: Final = _tgpp("Primary-Charging-Collection-Function-Name", 621, TEXT)
USER_AUTHORIZATION_TYPE: Final = _tgpp("User-Authorization-Type", 623, _named(UserAuthorizationType))
USER_DATA_ALREADY_AVAILABLE: Final = _tgpp("User-Data-Already-Available", 624, FLAG)
CONFIDENTIALITY_KEY: Final = _tgpp("Confidentiality-Key", 625, OCTETS)
INTEGRITY_KEY: Final = _tgpp("Integrity-Key", 626, OCTETS)
SUPPORTED_FEATURES: Final = _tgpp("Supported-Features", 628, UNOPENED)

# --- Sh (TS 29.329) -----------------------------------------------------------------------------------------------

MSISDN: Final = _tgpp("MSISDN", 701, OCTETS)
SH_USER_DATA: Final = _tgpp("User-Data (Sh)", 702, OCTETS)
DATA_REFERENCE: Final = _tgpp("Data-Reference", 703, _named(DataReference))
SERVICE_INDICATION: Final = _tgpp("Service-Indication", 704, OCTETS)
SUBS_REQ_TYPE: Final = _tgpp("Subs-Req-Type", 705, _named(SubsReqType))
EXPIRY_TIME: Final = _tgpp("Expiry-Time", 709, TIME)
SEND_DATA_INDICATION: Final = _tgpp("Send-Data-Indication", 710, FLAG)
ONE_TIME_NOTIFICATION: Final = _tgpp("One-Time-Notification", 712, _named(OneTimeNotification))

# --- S6a (TS 29.272, TS 29.212) -----------------------------------------------------------------------------------

MAX_REQUESTED_BANDWIDTH_DL: Final = _tgpp("Max-Requested-Bandwidth-DL", 515, UNSIGNED)
MAX_REQUESTED_BANDWIDTH_UL: Final = _tgpp("Max-Requested-Bandwidth-UL", 516, UNSIGNED)
QOS_CLASS_IDENTIFIER: Final = _tgpp("QoS-Class-Identifier", 1028, UNSIGNED)
RAT_TYPE: Final = _tgpp("RAT-Type", 1032, _named(RatType))
PRIORITY_LEVEL: Final = _tgpp("Priority-Level", 1046, UNSIGNED)
ULR_FLAGS: Final = _tgpp("ULR-Flags", 1405, UNSIGNED)
ULA_FLAGS: Final = _tgpp("ULA-Flags", 1406, UNSIGNED)
VISITED_PLMN_ID: Final = _tgpp("Visited-PLMN-Id", 1407, PLMN)
NUMBER_OF_REQUESTED_VECTORS: Final = _tgpp("Number-Of-Requested-Vectors", 1410, UNSIGNED)
RE_SYNCHRONIZATION_INFO: Final = _tgpp("Re-Synchronization-Info", 1411, OCTETS)
IMMEDIATE_RESPONSE_PREFERRED: Final = _tgpp("Immediate-Response-Preferred", 1412, UNSIGNED)
NETWORK_ACCESS_MODE: Final = _tgpp("Network-Access-Mode", 1417, UNSIGNED)
ITEM_NUMBER: Final = _tgpp("Item-Number", 1419, UNSIGNED)
CONTEXT_IDENTIFIER: Final = _tgpp("Context-Identifier", 1423, UNSIGNED)
SUBSCRIBER_STATUS: Final = _tgpp("Subscriber-Status", 1424, UNSIGNED)
ALL_APN_CONFIGURATIONS_INCLUDED: Final = _tgpp("All-APN-Configurations-Included-Indicator", 1428, UNSIGNED)
RAND: Final = _tgpp("RAND", 1447, OCTETS)
XRES: Final = _tgpp("XRES", 1448, OCTETS)
AUTN: Final = _tgpp("AUTN", 1449, OCTETS)
KASME: Final = _tgpp("KASME", 1450, OCTETS)
PDN_TYPE: Final = _tgpp("PDN-Type", 1456, _named(PdnType))
