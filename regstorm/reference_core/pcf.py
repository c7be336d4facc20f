"""The PCF: policies for access and for sessions (TS 29.507, TS 29.512). It has one policy for everybody."""

from regstorm.records import operations as ops
from regstorm.records.operations import Nf
from regstorm.reference_core.bus import Answer, Bus, Call, Function
from regstorm.reference_core.payloads import Done


class Pcf:
    """Serves Npcf_AMPolicyControl and Npcf_SMPolicyControl; what it reads at the UDR is no UDM pair."""

    def __init__(self, bus: Bus) -> None:
        Function(Nf.PCF, bus, {ops.CREATE_AM_POLICY: _grant, ops.CREATE_SM_POLICY: _grant})


def _grant(call: Call, now: float) -> Answer:
    return Done()
