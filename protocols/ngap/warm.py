"""Start-up: learn every shape that registrations and service requests send, so that no storm waits for pycrate.

A shape is learnt when its first message is encoded; decoding knows the same shapes, so the two sides of a run in one
process, and each side of a run in several, warm up the same way.
"""

from collections.abc import Iterable, Iterator

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import causes
from protocols.ngap import messages as m
from protocols.ngap.encode import encode

TRANSPORT_NAS_LENGTHS = range(3, 80)  # AUTHENTICATION REJECT to a protected DL NAS TRANSPORT with its 5GSM message
CONTEXT_NAS_LENGTHS = range(40, 60)  # protected REGISTRATION ACCEPT
SERVICE_NAS_LENGTHS = (10, 14)  # protected SERVICE ACCEPT without and with a PDU session status
SESSION_NAS_LENGTHS = range(60, 80)  # protected DL NAS TRANSPORT

_AMF_ID = _RAN_ID = 1 << 16  # the first of those with three octets, which AMF and gNBs allocate
_LOCATION = m.UserLocation(Plmn("001", "01"), 0, 0)
_GUAMI = m.Guami(Plmn("001", "01"), 1, 1, 1)
_KEY = bytes(32)
_CAPABILITY = bytes.fromhex("e0e0")
_ADDRESS = _TEID = bytes(4)
_RELEASE_CAUSES = (
    causes.NORMAL_RELEASE,
    causes.DEREGISTER,
    causes.AUTHENTICATION_FAILURE,
    causes.NAS_UNSPECIFIED,
    causes.USER_INACTIVITY,
    causes.RADIO_CONNECTION_WITH_UE_LOST,
    causes.RELEASE_DUE_TO_5GC_GENERATED_REASON,
    causes.CONTROL_PROCESSING_OVERLOAD,
)


def warm(
    slices: tuple[Snssai, ...],
    transport: Iterable[int] = TRANSPORT_NAS_LENGTHS,
    context: Iterable[int] = CONTEXT_NAS_LENGTHS,
    sessions: Iterable[int] = SESSION_NAS_LENGTHS,
) -> int:
    """Learn the shapes for these slices and NAS lengths in octets; returns how many messages it encoded for it.

    `transport` is for the NAS transport messages, `context` for what comes with INITIAL CONTEXT SETUP REQUEST and
    `sessions` for what comes with each PDU session. Other lengths are learnt when they come, in a few milliseconds.
    """
    count = 0
    for message in _messages(slices, transport, context, sessions):
        encode(message)
        count += 1
    return count


def _messages(
    slices: tuple[Snssai, ...], transport: Iterable[int], context: Iterable[int], sessions: Iterable[int]
) -> Iterator[m.Message]:
    for length in transport:
        yield from _nas_transport(bytes(length))
    for length in context:
        yield _context_setup(slices, nas=bytes(length))
    for snssai in slices:
        bare = m.PduSessionResource(1, snssai, _ADDRESS, _TEID)
        for length in SERVICE_NAS_LENGTHS:
            for resources in ((), (bare,), (bare, bare)):
                yield _context_setup(slices, bytes(length), resources)
        for length in sessions:
            session = bare._replace(nas=bytes(length))
            yield m.PduSessionResourceSetupRequest(_AMF_ID, _RAN_ID, (session,))
    tunnel = m.PduSessionTunnel(1, _ADDRESS, _TEID)
    for tunnels in ((), (tunnel,), (tunnel, tunnel)):
        yield m.InitialContextSetupResponse(_AMF_ID, _RAN_ID, tunnels)
    yield m.PduSessionResourceSetupResponse(_AMF_ID, _RAN_ID, (tunnel,))
    for cause in _RELEASE_CAUSES:
        yield m.UeContextReleaseRequest(_AMF_ID, _RAN_ID, cause)
        yield m.UeContextReleaseCommand(_AMF_ID, _RAN_ID, cause)
    yield m.UeContextReleaseComplete(_AMF_ID, _RAN_ID)


def _nas_transport(nas: bytes) -> Iterator[m.Message]:
    yield m.InitialUeMessage(_RAN_ID, nas, _LOCATION)
    yield m.InitialUeMessage(_RAN_ID, nas, _LOCATION, s_tmsi=STmsi(0, 0, 0))
    yield m.UplinkNasTransport(_AMF_ID, _RAN_ID, nas, _LOCATION)
    yield m.DownlinkNasTransport(_AMF_ID, _RAN_ID, nas)


def _context_setup(
    slices: tuple[Snssai, ...], nas: bytes, resources: tuple[m.PduSessionResource, ...] = ()
) -> m.InitialContextSetupRequest:
    return m.InitialContextSetupRequest(_AMF_ID, _RAN_ID, _GUAMI, slices, _CAPABILITY, _KEY, nas, resources)
