"""Sh between application servers and HSS (TS 29.328; commands in TS 29.329 6.1)."""

from functools import partial
from typing import Final, NamedTuple

from protocols.diameter import avps as a
from protocols.diameter import commands
from protocols.diameter.layouts import Layout, Result, many, maybe, one
from protocols.diameter.numbers import Application, Command, DataReference, OneTimeNotification, SubsReqType


class UserIdentity(NamedTuple):
    """User-Identity (6.3.1): a public identity, or an MSISDN as TBCD octets."""

    public_identity: str | None = None
    msisdn: bytes | None = None


USER_IDENTITY: Final = a.grouped(
    "User-Identity", 700, Layout(UserIdentity, (maybe(a.PUBLIC_IDENTITY), maybe(a.MSISDN)))
)


class UserDataRequest(NamedTuple):
    """UDR (6.1.1): reads. Several data references in one request are one operation."""

    user: UserIdentity
    data_references: tuple[DataReference, ...]
    service_indications: tuple[bytes, ...] = ()
    server_name: str | None = None
    user_name: str | None = None


class UserDataAnswer(NamedTuple):
    """UDA (6.1.2). `user_data` is Sh-Data (XML, TS 29.328 annex D)."""

    result: Result
    user_data: bytes | None = None


class ProfileUpdateRequest(NamedTuple):
    """PUR (6.1.3): writes, exactly one data reference."""

    user: UserIdentity
    data_reference: DataReference
    user_data: bytes
    user_name: str | None = None


class ProfileUpdateAnswer(NamedTuple):
    """PUA (6.1.4)."""

    result: Result


class SubscribeNotificationsRequest(NamedTuple):
    """SNR (6.1.5): subscribes, and reads at the same time if `send_data`. `expiry_s` is in seconds since 1970."""

    user: UserIdentity
    data_references: tuple[DataReference, ...]
    kind: SubsReqType = SubsReqType.SUBSCRIBE
    service_indications: tuple[bytes, ...] = ()
    send_data: bool | None = None
    server_name: str | None = None
    expiry_s: int | None = None
    one_time: OneTimeNotification | None = None
    user_name: str | None = None


class SubscribeNotificationsAnswer(NamedTuple):
    """SNA (6.1.6)."""

    result: Result
    user_data: bytes | None = None
    expiry_s: int | None = None


class PushNotificationRequest(NamedTuple):
    """PNR (6.1.7), HSS to AS: what the AS subscribed to has changed."""

    user: UserIdentity
    user_data: bytes
    user_name: str | None = None


class PushNotificationAnswer(NamedTuple):
    """PNA (6.1.8)."""

    result: Result


ShContent = (
    UserDataRequest
    | UserDataAnswer
    | ProfileUpdateRequest
    | ProfileUpdateAnswer
    | SubscribeNotificationsRequest
    | SubscribeNotificationsAnswer
    | PushNotificationRequest
    | PushNotificationAnswer
)

_request = partial(commands.request, of=Application.SH)
_answer = partial(commands.answer, of=Application.SH)

COMMANDS: Final = (
    _request(
        Command.USER_DATA,
        UserDataRequest,
        one(USER_IDENTITY),
        many(a.DATA_REFERENCE),
        many(a.SERVICE_INDICATION),
        maybe(a.SERVER_NAME),
        maybe(a.USER_NAME),
    ),
    _answer(Command.USER_DATA, UserDataAnswer, maybe(a.SH_USER_DATA)),
    _request(
        Command.PROFILE_UPDATE,
        ProfileUpdateRequest,
        one(USER_IDENTITY),
        one(a.DATA_REFERENCE),
        one(a.SH_USER_DATA),
        maybe(a.USER_NAME),
    ),
    _answer(Command.PROFILE_UPDATE, ProfileUpdateAnswer),
    _request(
        Command.SUBSCRIBE_NOTIFICATIONS,
        SubscribeNotificationsRequest,
        one(USER_IDENTITY),
        many(a.DATA_REFERENCE),
        one(a.SUBS_REQ_TYPE),
        many(a.SERVICE_INDICATION),
        maybe(a.SEND_DATA_INDICATION),
        maybe(a.SERVER_NAME),
        maybe(a.EXPIRY_TIME),
        maybe(a.ONE_TIME_NOTIFICATION),
        maybe(a.USER_NAME),
    ),
    _answer(Command.SUBSCRIBE_NOTIFICATIONS, SubscribeNotificationsAnswer, maybe(a.SH_USER_DATA), maybe(a.EXPIRY_TIME)),
    _request(
        Command.PUSH_NOTIFICATION, PushNotificationRequest, one(USER_IDENTITY), one(a.SH_USER_DATA), maybe(a.USER_NAME)
    ),
    _answer(Command.PUSH_NOTIFICATION, PushNotificationAnswer),
)
