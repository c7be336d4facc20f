"""The commands between two peers (RFC 6733 clause 5): CER/CEA, DWR/DWA, DPR/DPA."""

from typing import Final, NamedTuple

from protocols.diameter import avps as a
from protocols.diameter.commands import VENDOR_SPECIFIC_APPLICATION_ID, VendorApplication, answer, request
from protocols.diameter.layouts import Result, many, maybe, one
from protocols.diameter.numbers import Application, Command, DisconnectCause, Vendor

CX_APPLICATION: Final = VendorApplication(Vendor.TGPP, Application.CX)
SH_APPLICATION: Final = VendorApplication(Vendor.TGPP, Application.SH)
S6A_APPLICATION: Final = VendorApplication(Vendor.TGPP, Application.S6A)


class CapabilitiesExchangeRequest(NamedTuple):
    """CER (5.3.1)."""

    addresses: tuple[str, ...]
    product: str
    vendor: int = 0
    origin_state: int | None = None
    supported_vendors: tuple[int, ...] = ()
    auth_applications: tuple[int, ...] = ()
    vendor_applications: tuple[VendorApplication, ...] = ()
    firmware: int | None = None


class CapabilitiesExchangeAnswer(NamedTuple):
    """CEA (5.3.2)."""

    result: Result
    addresses: tuple[str, ...] = ()
    product: str | None = None
    vendor: int | None = None
    origin_state: int | None = None
    supported_vendors: tuple[int, ...] = ()
    auth_applications: tuple[int, ...] = ()
    vendor_applications: tuple[VendorApplication, ...] = ()
    firmware: int | None = None


class DeviceWatchdogRequest(NamedTuple):
    """DWR (5.5.1)."""

    origin_state: int | None = None


class DeviceWatchdogAnswer(NamedTuple):
    """DWA (5.5.2)."""

    result: Result
    origin_state: int | None = None


class DisconnectPeerRequest(NamedTuple):
    """DPR (5.4.1)."""

    cause: DisconnectCause


class DisconnectPeerAnswer(NamedTuple):
    """DPA (5.4.2)."""

    result: Result


BaseContent = (
    CapabilitiesExchangeRequest
    | CapabilitiesExchangeAnswer
    | DeviceWatchdogRequest
    | DeviceWatchdogAnswer
    | DisconnectPeerRequest
    | DisconnectPeerAnswer
)

_CAPABILITIES: Final = (
    maybe(a.ORIGIN_STATE_ID),
    many(a.SUPPORTED_VENDOR_ID),
    many(a.AUTH_APPLICATION_ID),
    many(VENDOR_SPECIFIC_APPLICATION_ID),
    maybe(a.FIRMWARE_REVISION),
)


COMMANDS: Final = (
    request(
        Command.CAPABILITIES_EXCHANGE,
        CapabilitiesExchangeRequest,
        many(a.HOST_IP_ADDRESS),
        one(a.PRODUCT_NAME),
        one(a.VENDOR_ID),
        *_CAPABILITIES,
    ),
    answer(
        Command.CAPABILITIES_EXCHANGE,
        CapabilitiesExchangeAnswer,
        many(a.HOST_IP_ADDRESS),
        maybe(a.PRODUCT_NAME),
        maybe(a.VENDOR_ID),
        *_CAPABILITIES,
    ),
    request(Command.DEVICE_WATCHDOG, DeviceWatchdogRequest, maybe(a.ORIGIN_STATE_ID)),
    answer(Command.DEVICE_WATCHDOG, DeviceWatchdogAnswer, maybe(a.ORIGIN_STATE_ID)),
    request(Command.DISCONNECT_PEER, DisconnectPeerRequest, one(a.DISCONNECT_CAUSE)),
    answer(Command.DISCONNECT_PEER, DisconnectPeerAnswer),
)
