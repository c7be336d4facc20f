"""The catalogue of service operations between network functions, with the interface that each is counted on.

An operation that reaches the UDM is one pair (a request and its answer) at the UDM's front door, whatever calls it.
Names are those of TS 23.502 and TS 29.503; paths stand in docs/. N35 (UDM–UDR) is not UDM-facing and not counted.
"""

from enum import StrEnum
from typing import NamedTuple


class Nf(StrEnum):
    """A network function type (TS 29.510)."""

    AMF = "AMF"
    AUSF = "AUSF"
    UDM = "UDM"
    SMF = "SMF"
    PCF = "PCF"


class Operation(NamedTuple):
    """A named service operation: who serves it and on which reference point it is counted."""

    name: str
    server: Nf
    interface: str


AUTHENTICATE = Operation("Nausf_UEAuthentication_Authenticate", Nf.AUSF, "N12")
CONFIRM_5G_AKA = Operation("Nausf_UEAuthentication_Authenticate 5g-aka-confirmation", Nf.AUSF, "N12")
GENERATE_AUTH_DATA = Operation("Nudm_UEAuthentication_Get", Nf.UDM, "N13")
CONFIRM_AUTHENTICATION = Operation("Nudm_UEAuthentication_ResultConfirmation", Nf.UDM, "N13")
REGISTER_AMF = Operation("Nudm_UECM_Registration amf-3gpp-access", Nf.UDM, "N8")
GET_AM_DATA = Operation("Nudm_SDM_Get am-data", Nf.UDM, "N8")
GET_SMF_SELECTION = Operation("Nudm_SDM_Get smf-select-data", Nf.UDM, "N8")
GET_UE_CONTEXT_IN_SMF = Operation("Nudm_SDM_Get ue-context-in-smf-data", Nf.UDM, "N8")
SUBSCRIBE_AMF = Operation("Nudm_SDM_Subscribe am-data", Nf.UDM, "N8")
CREATE_AM_POLICY = Operation("Npcf_AMPolicyControl_Create", Nf.PCF, "N15")
CREATE_SM_CONTEXT = Operation("Nsmf_PDUSession_CreateSMContext", Nf.SMF, "N11")
UPDATE_SM_CONTEXT = Operation("Nsmf_PDUSession_UpdateSMContext", Nf.SMF, "N11")
RELEASE_SM_CONTEXT = Operation("Nsmf_PDUSession_ReleaseSMContext", Nf.SMF, "N11")
N1N2_TRANSFER = Operation("Namf_Communication_N1N2MessageTransfer", Nf.AMF, "N11")
GET_SM_DATA = Operation("Nudm_SDM_Get sm-data", Nf.UDM, "N10")
SUBSCRIBE_SMF = Operation("Nudm_SDM_Subscribe sm-data", Nf.UDM, "N10")
REGISTER_SMF = Operation("Nudm_UECM_Registration smf-registrations", Nf.UDM, "N10")
DEREGISTER_SMF = Operation("Nudm_UECM_Deregistration smf-registrations", Nf.UDM, "N10")
UNSUBSCRIBE_SMF = Operation("Nudm_SDM_Unsubscribe sm-data", Nf.UDM, "N10")
DEREGISTER_AMF = Operation("Nudm_UECM_Deregistration amf-3gpp-access", Nf.UDM, "N8")
UNSUBSCRIBE_AMF = Operation("Nudm_SDM_Unsubscribe am-data", Nf.UDM, "N8")
CREATE_SM_POLICY = Operation("Npcf_SMPolicyControl_Create", Nf.PCF, "N7")
HEARTBEAT = Operation("heartbeat", Nf.UDM, "heartbeat")
"""A liveness check between functions (HTTP/2 PING); never counted as a pair, never refused."""

PAIRS_PER_REGISTRATION = {"N13": 2, "N8": 5, "N10": 6}
"""UDM pairs of a registration with two PDU sessions, by interface (TS 23.502 4.2.2.2.2 and 4.3.2.2.1)."""

UPLINK_MESSAGES_PER_REGISTRATION = 6
"""Uplink NAS messages of the same: Registration Request, Authentication Response, Security Mode Complete,
Registration Complete, and an UL NAS Transport for each of two sessions."""
