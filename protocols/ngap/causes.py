"""Named NGAP causes (TS 38.413 9.3.1.2), by their place in the ASN.1 enumerations of clause 9.4.5.

Those that a registration storm sends or meets; a Cause that is not named here is as good.
"""

from protocols.ngap.messages import Cause, CauseGroup

# --- radio network layer -------------------------------------------------------------------------------------
RADIO_NETWORK_UNSPECIFIED = Cause(CauseGroup.RADIO_NETWORK, 0)
RELEASE_DUE_TO_NGRAN_GENERATED_REASON = Cause(CauseGroup.RADIO_NETWORK, 3)
RELEASE_DUE_TO_5GC_GENERATED_REASON = Cause(CauseGroup.RADIO_NETWORK, 4)
UNKNOWN_LOCAL_UE_NGAP_ID = Cause(CauseGroup.RADIO_NETWORK, 14)
INCONSISTENT_REMOTE_UE_NGAP_ID = Cause(CauseGroup.RADIO_NETWORK, 15)
REDUCE_LOAD_IN_SERVING_CELL = Cause(CauseGroup.RADIO_NETWORK, 19)
USER_INACTIVITY = Cause(CauseGroup.RADIO_NETWORK, 20)
RADIO_CONNECTION_WITH_UE_LOST = Cause(CauseGroup.RADIO_NETWORK, 21)
RADIO_RESOURCES_NOT_AVAILABLE = Cause(CauseGroup.RADIO_NETWORK, 22)
FAILURE_IN_RADIO_INTERFACE_PROCEDURE = Cause(CauseGroup.RADIO_NETWORK, 24)
INTERACTION_WITH_OTHER_PROCEDURE = Cause(CauseGroup.RADIO_NETWORK, 25)
UNKNOWN_PDU_SESSION_ID = Cause(CauseGroup.RADIO_NETWORK, 26)
MULTIPLE_PDU_SESSION_ID_INSTANCES = Cause(CauseGroup.RADIO_NETWORK, 28)

# --- transport layer -----------------------------------------------------------------------------------------
TRANSPORT_RESOURCE_UNAVAILABLE = Cause(CauseGroup.TRANSPORT, 0)
TRANSPORT_UNSPECIFIED = Cause(CauseGroup.TRANSPORT, 1)

# --- NAS -----------------------------------------------------------------------------------------------------
NORMAL_RELEASE = Cause(CauseGroup.NAS, 0)
AUTHENTICATION_FAILURE = Cause(CauseGroup.NAS, 1)
DEREGISTER = Cause(CauseGroup.NAS, 2)
NAS_UNSPECIFIED = Cause(CauseGroup.NAS, 3)

# --- protocol ------------------------------------------------------------------------------------------------
TRANSFER_SYNTAX_ERROR = Cause(CauseGroup.PROTOCOL, 0)
ABSTRACT_SYNTAX_ERROR_REJECT = Cause(CauseGroup.PROTOCOL, 1)
ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY = Cause(CauseGroup.PROTOCOL, 2)
MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE = Cause(CauseGroup.PROTOCOL, 3)
SEMANTIC_ERROR = Cause(CauseGroup.PROTOCOL, 4)
ABSTRACT_SYNTAX_ERROR_FALSELY_CONSTRUCTED_MESSAGE = Cause(CauseGroup.PROTOCOL, 5)
PROTOCOL_UNSPECIFIED = Cause(CauseGroup.PROTOCOL, 6)

# --- miscellaneous -------------------------------------------------------------------------------------------
CONTROL_PROCESSING_OVERLOAD = Cause(CauseGroup.MISC, 0)
NOT_ENOUGH_USER_PLANE_PROCESSING_RESOURCES = Cause(CauseGroup.MISC, 1)
HARDWARE_FAILURE = Cause(CauseGroup.MISC, 2)
OM_INTERVENTION = Cause(CauseGroup.MISC, 3)
UNKNOWN_PLMN_OR_SNPN = Cause(CauseGroup.MISC, 4)
MISC_UNSPECIFIED = Cause(CauseGroup.MISC, 5)
