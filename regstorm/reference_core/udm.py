"""The UDM: what it answers to each operation (TS 29.503). Its front door and its capacity: pair_server.py."""

from random import Random
from typing import NamedTuple

from protocols.aka import generate_vector, resynchronise
from protocols.nas5g.messages import Snssai
from regstorm.records import operations as ops
from regstorm.reference_core.bus import Answer, Call, Failed
from regstorm.reference_core.pair_server import Doors
from regstorm.reference_core.payloads import (
    AmData,
    AmfRegistration,
    AuthenticationInfo,
    Done,
    HomeVector,
    SmData,
    SmfSelectionData,
)
from regstorm.reference_core.subscribers import IND_OF_5GS, Subscriber, Subscribers


class Subscription(NamedTuple):
    """What every subscriber of the population has."""

    slices: tuple[Snssai, ...]
    dnns: tuple[str, ...]


class Udm:
    """Serves every Nudm operation of the core."""

    def __init__(
        self,
        subscribers: Subscribers,
        subscription: Subscription,
        doors: Doors,
        rng: Random,
    ) -> None:
        self.subscribers = subscribers
        self.subscription = subscription
        self._rng = rng
        self._handlers = {
            ops.GENERATE_AUTH_DATA: self._generate_auth_data,
            ops.CONFIRM_AUTHENTICATION: _acknowledge,
            ops.REGISTER_AMF: self._register_amf,
            ops.DEREGISTER_AMF: self._deregister_amf,
            ops.GET_AM_DATA: lambda call, subscriber: AmData(self.subscription.slices),
            ops.GET_SMF_SELECTION: lambda call, subscriber: SmfSelectionData(self.subscription.dnns),
            ops.GET_SM_DATA: self._get_sm_data,
            ops.GET_UE_CONTEXT_IN_SMF: _acknowledge,
            ops.SUBSCRIBE_AMF: _acknowledge,
            ops.UNSUBSCRIBE_AMF: _acknowledge,
            ops.SUBSCRIBE_SMF: _acknowledge,
            ops.UNSUBSCRIBE_SMF: _acknowledge,
            ops.REGISTER_SMF: _acknowledge,
            ops.DEREGISTER_SMF: _acknowledge,
            ops.SUBSCRIBE_AMF_WITH_DATA: lambda call, subscriber: AmData(self.subscription.slices),
            ops.SUBSCRIBE_SMF_WITH_DATA: self._get_sm_data,
        }
        doors.answers(dict.fromkeys(self._handlers, self._answer))

    # --- the operations ----------------------------------------------------------------------------------------------

    def _answer(self, call: Call) -> Answer:
        if call.operation is ops.GENERATE_AUTH_DATA and call.payload.suci is not None:
            subscriber = self.subscribers.by_suci(call.payload.suci)
        else:
            subscriber = self.subscribers.by_supi(call.subject)
        if subscriber is None:
            return Failed("USER_NOT_FOUND")
        return self._handlers[call.operation](call, subscriber)

    def _generate_auth_data(self, call: Call, subscriber: Subscriber) -> Answer:
        """A fresh vector; after AUTS with the USIM's own sequence number as the base (TS 33.102 6.3.5)."""
        info: AuthenticationInfo = call.payload
        milenage = subscriber.milenage()
        if info.resynchronisation is not None:
            sqn_ms = resynchronise(milenage, info.resynchronisation.rand, info.resynchronisation.auts)
            if sqn_ms is None:
                return Failed("AUTHENTICATION_REJECTED")
            subscriber.resynchronise(sqn_ms)
        sqn = subscriber.fresh_sqn(IND_OF_5GS)
        rand = self._rng.randbytes(16)
        vector = generate_vector(milenage, sqn, rand, subscriber.amf_field, info.serving_network)
        return HomeVector(subscriber.supi, vector.rand, vector.autn, vector.xres_star, vector.kausf)

    def _register_amf(self, call: Call, subscriber: Subscriber) -> Answer:
        registration: AmfRegistration = call.payload
        subscriber.serving_amf = registration.amf
        return Done()

    def _deregister_amf(self, call: Call, subscriber: Subscriber) -> Answer:
        subscriber.serving_amf = None
        return Done()

    def _get_sm_data(self, call: Call, subscriber: Subscriber) -> Answer:
        wanted: SmData = call.payload
        return wanted if wanted.dnn in self.subscription.dnns else Failed("DNN_NOT_ALLOWED")


def _acknowledge(call: Call, subscriber: Subscriber) -> Answer:
    """Stored; nothing in this core reads it back."""
    return Done()
