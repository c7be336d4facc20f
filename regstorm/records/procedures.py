"""The procedures whose attempts are measured: the names in Locust's statistics (short, unique, under twenty)."""

REGISTRATION = "5G registration"
EMERGENCY_REGISTRATION = "5G emergency registration"
MOBILITY_UPDATE = "5G mobility update"
PERIODIC_UPDATE = "5G periodic update"
SERVICE_REQUEST = "5G service request"
DEREGISTRATION = "5G deregistration"
NG_SETUP = "NG Setup"
SESSION_RELEASE = "Session release"
IMS_REGISTRATION = "IMS registration"
IMS_REREGISTRATION = "IMS re-registration"
IMS_DEREGISTRATION = "IMS de-registration"
IMS_MESSAGE = "IMS message"


def pdu_session(dnn: str) -> str:
    """The name for establishing the session to `dnn`."""
    return f"PDU session {dnn}"


REQUEST_TYPES = {
    NG_SETUP: "NGAP",
    SESSION_RELEASE: "5GSM",
    IMS_REGISTRATION: "SIP",
    IMS_REREGISTRATION: "SIP",
    IMS_DEREGISTRATION: "SIP",
    IMS_MESSAGE: "SIP",
}
"""Locust's request type where it is not 5GMM; PDU sessions are 5GSM."""
