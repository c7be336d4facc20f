"""The catalogue of service operations between network functions, with the interface that each is counted on.

An operation that reaches the UDM is one pair (a request and its answer) at the UDM's front door, whatever calls it.
Names are those of TS 23.502 and TS 29.503; paths stand in docs/. N35 (UDM–UDR) is not UDM-facing and not counted.
"""

from dataclasses import dataclass
from enum import StrEnum


class Nf(StrEnum):
    """A network function type (TS 29.510), or a function of IMS (TS 23.228, TS 23.204)."""

    AMF = "AMF"
    AUSF = "AUSF"
    UDM = "UDM"
    SMF = "SMF"
    PCF = "PCF"
    HSS = "HSS"
    SBC = "SBC"
    ICSCF = "I-CSCF"
    SCSCF = "S-CSCF"
    TAS = "TAS"
    IP_SM_GW = "IP-SM-GW"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A named service operation: who serves it and on which reference point it is counted.

    Each is there once, in the catalogue below, and equal to itself only: every call looks several tables up by it.
    """

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

# --- aggregated reads (TS 23.502 4.2.2.2.2 NOTE 10, 4.3.2.2.1 NOTE 4): a subscription with immediate report ----------
SUBSCRIBE_AMF_WITH_DATA = Operation(
    "Nudm_SDM_Subscribe am-data, smf-select-data, ue-context-in-smf-data with immediate report", Nf.UDM, "N8"
)
SUBSCRIBE_SMF_WITH_DATA = Operation("Nudm_SDM_Subscribe sm-data with immediate report", Nf.UDM, "N10")

# --- IMS: SIP between its functions, Diameter to the HSS (TS 29.228, TS 29.328) --------------------------------------
SIP_REGISTER_ICSCF = Operation("SIP REGISTER to I-CSCF", Nf.ICSCF, "Mw")
SIP_REGISTER_SCSCF = Operation("SIP REGISTER to S-CSCF", Nf.SCSCF, "Mw")
SIP_REGISTER_TAS = Operation("SIP REGISTER to telephony AS", Nf.TAS, "ISC")
SIP_REGISTER_IP_SM_GW = Operation("SIP REGISTER to IP-SM-GW", Nf.IP_SM_GW, "ISC")
SIP_MESSAGE_ICSCF = Operation("SIP MESSAGE to I-CSCF", Nf.ICSCF, "Mw")
SIP_MESSAGE_SCSCF = Operation("SIP MESSAGE to S-CSCF", Nf.SCSCF, "Mw")
SIP_MESSAGE_IP_SM_GW = Operation("SIP MESSAGE to IP-SM-GW", Nf.IP_SM_GW, "ISC")
SIP_TO_UE = Operation("SIP request towards a UE", Nf.SBC, "Mw")
USER_AUTHORIZATION = Operation("Cx UAR", Nf.HSS, "Cx")
MULTIMEDIA_AUTH = Operation("Cx MAR", Nf.HSS, "Cx")
SERVER_ASSIGNMENT = Operation("Cx SAR", Nf.HSS, "Cx")
LOCATION_INFO = Operation("Cx LIR", Nf.HSS, "Cx")
USER_DATA = Operation("Sh UDR", Nf.HSS, "Sh")
PROFILE_UPDATE = Operation("Sh PUR", Nf.HSS, "Sh")
SUBSCRIBE_NOTIFICATIONS = Operation("Sh SNR", Nf.HSS, "Sh")

OPERATIONS_IN_PAIRS = tuple(
    one.name
    for one in list(globals().values())
    if isinstance(one, Operation) and one.server in (Nf.UDM, Nf.HSS) and one is not HEARTBEAT
)
"""Names of those that are a pair each, in the order of the catalogue."""

PAIRS_PER_REGISTRATION = {"N13": 2, "N8": 5, "N10": 6}
"""UDM pairs of a registration with two PDU sessions, by interface (TS 23.502 4.2.2.2.2 and 4.3.2.2.1)."""

PAIRS_PER_AGGREGATED_REGISTRATION = {"N13": 2, "N8": 2, "N10": 4}
"""The same where AMF and SMF read with their subscriptions."""

PAIRS_PER_IMS_REGISTRATION = {"Cx": 4, "Sh": 8}
"""HSS pairs of an IMS registration with a challenge: UAR, MAR, UAR, SAR; for the telephony AS UDR ×4 and SNR, for the
IP-SM-GW UDR, PUR, SNR. The split between the two AS is assumed; its sum is that of the paper (25 with both)."""

PAIRS_PER_AGGREGATED_IMS_REGISTRATION = {"Cx": 4, "Sh": 3}
"""The same with aggregated download: one SNR for the telephony AS; SNR and PUR for the IP-SM-GW, as a PUR writes and
takes exactly one data reference (TS 29.329 6.1.3)."""

PAIRS_PER_IMS_REREGISTRATION = 2
"""UAR and SAR: the S-CSCF does not challenge again."""

UPLINK_MESSAGES_PER_IMS_REGISTRATION = 2
"""REGISTER, and REGISTER with the answer to the challenge."""

UPLINK_MESSAGES_PER_REGISTRATION = 6
"""Uplink NAS messages of the same: Registration Request, Authentication Response, Security Mode Complete,
Registration Complete, and an UL NAS Transport for each of two sessions."""
