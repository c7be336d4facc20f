"""What the AMF says outside any procedure: a message in passing, or a reject that ends the connection."""

from protocols.nas5g.messages import DlNasTransport, FivegmmStatus, RegistrationReject, ServiceReject
from protocols.nas_security import SecurityContext
from protocols.ngap import causes
from regstorm.records import counters
from regstorm.reference_core.amf.environment import Environment
from regstorm.reference_core.amf.n2 import protected
from regstorm.reference_core.amf.ue_context import Connection


def security_in_use(connection: Connection) -> SecurityContext | None:
    """The context that messages on `connection` are protected with; None before secure exchange is established."""
    ue = connection.ue
    return ue.security if ue is not None and connection.secured else None


def tell(env: Environment, connection: Connection, message: FivegmmStatus | DlNasTransport) -> None:
    """A message that ends nothing, protected as the connection demands."""
    env.n2.send_nas(connection, protected(security_in_use(connection), message))


def reject(
    env: Environment,
    connection: Connection,
    security: SecurityContext | None,
    message: RegistrationReject | ServiceReject,
    now: float,
) -> None:
    """Protected where the UE is known: else it does not trust T3346 and draws its own (TS 24.501 5.5.1.2.5)."""
    kind = "plain" if security is None else "protected"
    env.tally.count(f"{counters.AMF_REJECTS}.{kind}", now)
    env.n2.send_nas(connection, protected(security, message))
    env.n2.release(connection, causes.NAS_UNSPECIFIED, now)
