"""The AUSF: 5G-AKA between AMF and UDM (TS 33.501 6.1.3.2, TS 29.509).

It keeps one authentication per subscriber, the last one; a newer challenge replaces it.
"""

from hmac import compare_digest
from typing import NamedTuple

from protocols.aka import hres_star, k_seaf
from regstorm.records import operations as ops
from regstorm.records.operations import Nf
from regstorm.reference_core.bus import Bus, Call, Failed, Function, Steps
from regstorm.reference_core.payloads import (
    Authenticated,
    AuthenticationInfo,
    AuthEvent,
    Challenge,
    Confirmation,
    Done,
    HomeVector,
)


class _Authentication(NamedTuple):
    """A challenge that has not been confirmed."""

    vector: HomeVector
    serving_network: str


class Ausf:
    """Serves Nausf_UEAuthentication."""

    def __init__(self, bus: Bus) -> None:
        self._running: dict[int, _Authentication] = {}
        self._last_of: dict[str, int] = {}
        self._number = 0
        Function(Nf.AUSF, bus, {ops.AUTHENTICATE: self._authenticate, ops.CONFIRM_5G_AKA: self._confirm})

    def _authenticate(self, call: Call, now: float) -> Steps:
        info: AuthenticationInfo = call.payload
        vector = yield Call(ops.GENERATE_AUTH_DATA, call.subject, info, call.message_class)
        if not isinstance(vector, HomeVector):
            return vector
        self._number += 1
        self._running.pop(self._last_of.get(vector.supi, 0), None)
        self._last_of[vector.supi] = self._number
        self._running[self._number] = _Authentication(vector, info.serving_network)
        hxres_star = hres_star(vector.rand, vector.xres_star)
        return Challenge(self._number, vector.rand, vector.autn, hxres_star)

    def _confirm(self, call: Call, now: float) -> Steps:
        confirmation: Confirmation = call.payload
        running = self._running.pop(confirmation.context, None)
        if running is None:
            return Failed("CONTEXT_NOT_FOUND")
        genuine = compare_digest(running.vector.xres_star, confirmation.res_star)
        event = AuthEvent(running.serving_network, genuine)
        told = yield Call(ops.CONFIRM_AUTHENTICATION, running.vector.supi, event, call.message_class)
        if not isinstance(told, Done):
            return told
        if not genuine:
            return Failed("AUTHENTICATION_REJECTED")
        return Authenticated(running.vector.supi, k_seaf(running.vector.kausf, running.serving_network))
